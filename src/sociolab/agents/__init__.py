"""Who plays, and the names that an agent of your own needs (docs/agents.md).

An agent is an object with
`async def reply(self, request: Request, memory: Json) -> Reply | NoReply`.
"""

from sociolab.core.episode import Action, ActionSpace, Json
from sociolab.core.ports import NoReply, Player, Question, Reply, Request

__all__ = [
    "Action",
    "ActionSpace",
    "Json",
    "NoReply",
    "Player",
    "Question",
    "Reply",
    "Request",
]
