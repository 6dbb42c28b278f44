"""Partners that break."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from sociolab.core.episode import Action, Json
from sociolab.core.errors import BudgetSpent, ModelError
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


class Mumbling:
    """Says nothing that can be used, however often it is asked."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return NoReply("unreadable", "mumbled", "hm")


class Asleep:
    """Lets every turn go by."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return NoReply("timeout", "no answer in 180 s", again=False)


class Unreachable:
    """A model whose endpoint is down, unless it is told to be `up`."""

    up: ClassVar[bool] = False

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if not Unreachable.up:
            raise ModelError("the connection broke", cause="connection", retryable=True, tries=6)
        return Reply((Action("speak", "Here I am."),))


class Spending:
    """A model that answers once, and has no money for a second time."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if request.turn > 1:
            raise BudgetSpent("the budget of $1.00 is used up")
        return Reply((Action("speak", "Let us be quick."),))
