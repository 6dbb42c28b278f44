"""A person elsewhere as a player: the request is laid down for them, and their answer awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from sociolab.core.episode import Action, Json
from sociolab.core.ports import NoReply, Reply, Request

LEFT = "the person left"
SKIPPED = "the person skipped the question"

FORM_SECONDS = 300.0
"""For an answer to an optional question, however long a turn may take: nobody waits for it."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request that waits for a person's answer until `due`, in the event loop's time."""

    request: Request
    due: float


class _LeftError(Exception):
    """Nobody is there any more to answer."""


class SeatedPlayer:
    """One seat of one episode. `told` is called when the person is asked, and when time is up.

    A turn without an answer in `seconds` is a NoReply and not asked again: whoever is away would
    be waited for three times as long. `memory` counts the turns without an answer in a row; an
    optional question is no turn, and has `FORM_SECONDS`.
    """

    def __init__(self, seconds: float, told: Callable[[], None]) -> None:
        self.asked: PendingRequest | None = None
        self._seconds = seconds
        self._told = told
        self._answer: asyncio.Future[tuple[Action, ...] | BaseModel | NoReply] | None = None
        self._gone = False

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """What the person answers, or that nothing came in time."""
        missed = missed_turns(memory) + (not request.optional)
        if self._gone:
            return NoReply("gave up", LEFT, again=False, memory=missed)
        loop = asyncio.get_running_loop()
        self._answer = loop.create_future()
        seconds = FORM_SECONDS if request.optional else self._seconds
        self.asked = PendingRequest(request, loop.time() + seconds)
        self._told()
        try:
            async with asyncio.timeout_at(self.asked.due):
                given = await self._answer
            return given if isinstance(given, NoReply) else Reply(given)
        except TimeoutError:
            problem = f"no answer within {seconds:g} s"
            return NoReply("timeout", problem, again=False, memory=missed)
        except _LeftError:
            return NoReply("gave up", LEFT, again=False, memory=missed)
        finally:
            self.asked = self._answer = None

    def leave(self) -> None:
        """The person has gone: what is asked now, and ever after, has no answer at once."""
        self._gone = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(_LeftError())

    def answer(self, value: tuple[Action, ...] | BaseModel | NoReply) -> bool:
        """Answer what is asked; False if nothing is, or an answer was given to it already.

        A NoReply declines to answer, without waiting for the time to run out.
        """
        if self._answer is None or self._answer.done():
            return False
        self._answer.set_result(value)
        return True


def missed_turns(memory: Json) -> int:
    """How many turns in a row went by without an answer, read off what a seat carries on."""
    return memory if isinstance(memory, int) else 0
