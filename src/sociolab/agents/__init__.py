"""Who plays, and the names that an agent of your own needs (docs/agents.md).

An agent is an object with
`async def reply(self, request: Request, memory: Json) -> Reply | NoReply`.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.agents.forms import fields_of as fields_of
    from sociolab.agents.gateway import Gateway as Gateway
    from sociolab.agents.human import (
        SeatedPlayer as SeatedPlayer,
        TerminalPlayer as TerminalPlayer,
        action_help as action_help,
        field_hint as field_hint,
        typed_action as typed_action,
        typed_answer as typed_answer,
        typed_field as typed_field,
    )
    from sociolab.agents.prompted import (
        Dialect as Dialect,
        PromptedPlayer as PromptedPlayer,
        act_type as act_type,
        read_json as read_json,
        read_plain as read_plain,
        read_words as read_words,
        written_turn as written_turn,
    )
    from sociolab.core.episode import (
        Action as Action,
        ActionSpace as ActionSpace,
        Json as Json,
    )
    from sociolab.core.ports import (
        Message as Message,
        NoReply as NoReply,
        Player as Player,
        Question as Question,
        Reply as Reply,
        Request as Request,
        ToolCall as ToolCall,
        ToolDefinition as ToolDefinition,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
