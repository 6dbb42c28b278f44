"""Partners that are no people take their time: nobody can tell by the clock who they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from sociolab.app.floor.plan import POLICY
from sociolab.core.episode import Json
from sociolab.core.errors import StoreError
from sociolab.core.ports import NoReply, Player, Reply, Request
from sociolab.core.seeding import stream

Sleep = Callable[[float], Awaitable[None]]

READING = 4.0
"""How much faster people read than they type."""
SPREAD = (0.7, 1.3)
"""A turn takes between these shares of its usual time."""
THINKING = (1.5, 5.0)
"""Seconds before anything is typed."""
ARRIVING = (4.0, 20.0)
"""Seconds until a partner comes into the waiting room."""
PATIENCE = (0.7, 1.0)
"""A stand-in comes between these shares of the longest wait."""
LONGEST = 0.8
"""Share of a turn's time that is taken at most."""


USUAL = 15
"""Words of a turn, where nothing tells what is usual."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Reads and types at `words_a_minute` (0: at once), within turns of `turn_seconds`."""

    words_a_minute: int
    turn_seconds: float
    seed: int

    def turn(self, request: Request, reply: Reply | NoReply | None) -> float:
        """Seconds from being asked to having answered: read what is new, think, type. Who could not
        answer has typed what is usual for them."""
        if self.words_a_minute == 0:
            return 0.0
        random = stream(self.seed, "pace", request.trial, request.seat, request.turn, request.name)
        typed = _typed(reply) if isinstance(reply, Reply) else _usual(request)
        words = typed + _new(request) / READING
        took = words / self.words_a_minute * 60 * random.uniform(*SPREAD)
        return min(took + random.uniform(*THINKING), LONGEST * self.turn_seconds)

    def arrival(self, *who: str | int) -> float:
        """Seconds until a partner seems to have come; the same for the same person and play."""
        if self.words_a_minute == 0:
            return 0.0
        return stream(self.seed, "arrival", *who).uniform(*ARRIVING)

    def patience(self, seconds: float, *who: str | int) -> float:
        """Seconds until a stand-in comes: not always the longest, or the clock would tell."""
        if self.words_a_minute == 0:
            return seconds
        return seconds * stream(self.seed, "patience", *who).uniform(*PATIENCE)


@dataclass(frozen=True, slots=True)
class PacedPlayer:
    """A player whose turns come at a pace; the time that it needs itself, for all its attempts,
    counts towards it. A turn that fails for good, and an error, take as long as any other turn.

    Who needs longer than a turn takes has let it go by, as a person would have.
    """

    player: Player
    pace: Pace
    sleep: Sleep = asyncio.sleep
    _began: dict[tuple[str, str, str], tuple[int, float]] = field(default_factory=dict)
    """When each seat was first asked for what it is asked, by trial, seat and name: the turn."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The player's own reply, not before its time."""
        began = self._first_asked(request)
        try:
            async with asyncio.timeout_at(began + self.pace.turn_seconds) as limit:
                reply = await self.player.reply(request, memory)
        except StoreError:
            raise  # it is cut off, and asked again
        except Exception as error:
            if not (isinstance(error, TimeoutError) and limit.expired()):
                await self._rest(request, None, began)
                raise
            return NoReply("timeout", f"no answer in {self.pace.turn_seconds:g} s", again=False)
        last = isinstance(reply, Reply) or not reply.again or request.attempt >= POLICY.attempts
        if last:
            await self._rest(request, reply, began)
        return reply

    def _first_asked(self, request: Request) -> float:
        key, now = (request.trial, request.seat, request.name), asyncio.get_running_loop().time()
        turn, began = self._began.get(key, (None, now))
        if turn != request.turn or request.attempt == 1:
            began = now
            self._began[key] = request.turn, now
        return began

    async def _rest(self, request: Request, reply: Reply | NoReply | None, began: float) -> None:
        if request.optional:
            return  # nobody waits for it, so that it tells nobody anything
        took = asyncio.get_running_loop().time() - began
        rest = self.pace.turn(request, reply) - took
        if rest > 0:
            await self.sleep(rest)


def _typed(reply: Reply) -> float:
    if isinstance(reply.value, tuple):
        return sum(len(action.text.split()) for action in reply.value)
    return len(reply.value.model_dump_json().split())


def _usual(request: Request) -> int:
    """Words of this seat's turns so far, in the mean."""
    own = [len(line.text.split()) for line in request.observation.history if line.you]
    return round(sum(own) / len(own)) if own else USUAL


def _new(request: Request) -> float:
    """Words that this seat has not read yet: what was said since its own last line."""
    words = 0
    for line in reversed(request.observation.history):
        if line.you:
            break
        words += len(line.text.split())
    return words
