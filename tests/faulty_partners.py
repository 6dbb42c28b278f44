"""Partners that break."""

from __future__ import annotations

import asyncio

from sociolab.core.episode import Action, Json
from sociolab.core.ports import NoReply, Reply, Request


class Faulty:
    """Divides by nothing, whatever it is asked."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise ZeroDivisionError(1 // request.turn if request.turn == 0 else 0)


class Clumsy:
    """Says something that can be used only at the third attempt, and takes its time."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.sleep(0.01)
        if request.attempt < 3:
            return NoReply("unreadable", "mumbled")
        return Reply((Action("speak", "At last."),))
