"""What a program or service in a seat is sent: the observation as JSON, in a documented version."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from sociolab.core.episode import Json
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    NoReply,
    Player,
    Prompt,
    Reply,
    Request,
)

VERSION = 1
"""Goes up where a field changes its meaning or is taken away; fields may be added."""

_current: ContextVar[Request | None] = ContextVar("request", default=None)


@dataclass(frozen=True, slots=True)
class ObservedPlayer:
    """A player whose chat model is no model: it is shown the request beside the prompt."""

    player: Player

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        token = _current.set(request)
        try:
            return await self.player.reply(request, memory)
        finally:
            _current.reset(token)


def write_observation(prompt: Prompt, key: CallKey) -> dict[str, Any]:
    """The observation for this prompt: who is asked for what, what a model would be sent, the JSON
    schema of the reply, and what the seat saw, line by line.

    `messages` hold everything; `history`, `you` and `others` are the same as records. `turn` counts
    from 1.
    """
    row: dict[str, Any] = {
        "version": VERSION,
        "episode": key.trial,
        "seat": key.seat,
        "turn": key.turn + 1,
        "asked": key.name,
        "attempt": key.attempt,
        "messages": [{"role": one.role, "content": one.text} for one in prompt.messages],
        "schema": json.loads(prompt.schema.text) if prompt.schema else None,
    }
    if (request := _current.get()) is None:
        return row
    shown = request.observation
    lines = [
        {"turn": line.turn + 1, "who": line.who, "you": line.you, "text": line.text}
        for line in shown.history
    ]
    return {
        **row,
        "you": shown.you,
        "others": list(shown.others),
        "history": lines,
        "problem": request.problem,
        "last": request.last,
    }


@dataclass(frozen=True, slots=True)
class ObservingModel:
    """A service as a chat model: each of its prompts carries the observation as an option."""

    model: ChatModel

    @property
    def label(self) -> str:
        return self.model.label

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        observation = json.dumps(write_observation(prompt, key))
        sent = replace(prompt, options=(*prompt.options, ("observation", observation)))
        return await self.model.complete(sent, key)
