"""A partner that breaks."""

from __future__ import annotations

from sociolab.core.episode import Json
from sociolab.core.ports import NoReply, Reply, Request


class Faulty:
    """Divides by nothing, whatever it is asked."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise ZeroDivisionError(1 // request.turn if request.turn == 0 else 0)
