"""Partners that break."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from sociolab.core import Action, BudgetSpent, Json, ModelError, NoReply, Question, Reply, Request


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


class Pensive:
    """Takes its turns at once, and answers no question until it is told that it `may`."""

    may: ClassVar[asyncio.Event]

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if isinstance(request.expected, Question):
            await Pensive.may.wait()
        return Reply((Action("speak", "Let me see."),))


class Penniless:
    """Takes its turns, and has no money left for a question."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if isinstance(request.expected, Question):
            raise BudgetSpent("the budget of $1.00 is used up")
        return Reply((Action("speak", "That was the last of it."),))


class Rambling:
    """Takes its turns; asked a question it says nothing that can be used, more slowly each time."""

    may: ClassVar[asyncio.Event]

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if not isinstance(request.expected, Question):
            return Reply((Action("speak", "Well, you see."),))
        if request.attempt > 1:
            await Rambling.may.wait()
        return NoReply("unreadable", "rambled", "hm")
