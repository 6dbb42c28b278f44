"""When a request may be sent to an endpoint, how long it is waited for, and when to stop asking.

What the endpoint takes is learned from its replies, its refusals and how long they need.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import Literal, NamedTuple

from sociolab.core.errors import ModelError
from sociolab.models.config import EndpointSpec

LONGEST_PAUSE = 60.0
"""Seconds: no pause that we choose ourselves is longer. One that the server names may be."""

PROBE_PAUSES = (5.0, 60.0)
"""Seconds before the last request to an endpoint that only fails: where it never replied, and where
it did, so that a restart is survived."""

START = 4
"""Requests in flight while nothing is known of an endpoint."""

_SMALLEST_WINDOW = 8
_WINDOWS_HELD = 8
"""Windows of replies after which a limit that was found is tried anew."""

_QUEUES = 1.7
"""Twice as many requests in flight that each take longer than this factor wait for one another at
the server: throughput has grown by less than a fifth."""

_TOKENS_BESIDE = 20
"""Tokens that the time to the first one is worth, so that short replies can be compared."""

_RATE_WINDOW = 15.0
"""Seconds over which a rate is measured where requests are refused, and after which it grows."""

_FASTER = 1.1

_USUAL_PAUSE, _SHORTEST_PAUSE = 1.0, 0.01
"""Seconds: what a server that names none is taken to ask for, and the least that is believed."""

_SOONEST = 20.0
"""Seconds that every request is waited for, whatever is usual at its endpoint."""

_ENOUGH = 10
"""Replies of a kind from which on it is known how long they take."""


class InFlightLimit:
    """How many requests an endpoint works on at once: doubled while they are not slower for it.

    The pace of a reply is its seconds by its tokens, so that a window of short replies can be
    compared with one of long ones. Only replies to requests that were sent under this limit, while
    it was reached, count.
    """

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.now = min(ceiling, START)
        self._trend: Literal["grow", "hold", "shrink"] = "grow"
        self._settling = True
        self._changed = float("-inf")
        self._before: float | None = None
        self._window: list[float] = []
        self._windows_held = 0

    def halve(self, at: float) -> None:
        """The endpoint refused for being asked too much: from here it grows again."""
        self._change(self.now // 2, at, "grow")
        self._before = None

    def add(self, sent: float, tokens: int, at: float) -> None:
        """A reply that came now, to a request that was sent while the limit was reached."""
        if sent < self._changed:
            return
        if self._settling:  # the first burst under a new limit finds a shorter queue
            self._settling, self._changed = False, at
            return
        self._window.append((at - sent) / (tokens + _TOKENS_BESIDE))
        if len(self._window) < max(_SMALLEST_WINDOW, self.now):
            return
        pace = median(self._window)
        self._window.clear()
        before, self._before = self._before, pace
        slower = pace / before if before else 1.0
        match self._trend:
            case "grow" if slower > _QUEUES:
                self._before = before
                self._change(self.now // 2, at, "hold")
            case "grow":
                self._change(self.now * 2, at, "grow")
            case "shrink" if slower < 1 / _QUEUES and self.now > START:  # they queued at the server
                self._change(self.now // 2, at, "shrink")
            case "hold" if slower > 2:
                self._change(self.now // 2, at, "shrink")
            case _:
                self._trend = "hold"
                self._windows_held += 1
                if self._windows_held == _WINDOWS_HELD:
                    self._change(self.now * 2, at, "grow")

    def _change(self, limit: int, at: float, trend: Literal["grow", "hold", "shrink"]) -> None:
        self.now = min(max(limit, 1), self.ceiling)
        self._trend, self._settling, self._changed = trend, True, at
        self._windows_held = 0
        self._window.clear()


class RequestRate:
    """Requests a second that an endpoint takes: unlimited until it refuses some for their number,
    then what it took in the last seconds, and slowly more again."""

    def __init__(self, per_minute: float | None) -> None:
        self._most = per_minute / 60 if per_minute else None
        self.now = self._most
        self._taken: deque[float] = deque(maxlen=4096)
        self._changed = 0.0

    def sent(self, at: float) -> None:
        """A request goes: it counts as taken until it is refused."""
        self._taken.append(at)
        if self.now and self.now != self._most and at - self._changed > _RATE_WINDOW:
            self.now, self._changed = self._bounded(self.now * _FASTER), at

    def refused(self, sent: float, at: float, pause: float) -> None:
        """The request of that time was refused for the number of requests. One in each pause that
        the server asks for is always sent: what it refuses at random would else slow all down."""
        with suppress(ValueError):
            self._taken.remove(sent)
        while self._taken and at - self._taken[0] > _RATE_WINDOW:
            self._taken.popleft()
        self._changed = at
        if self._taken:
            measured = len(self._taken) / max(at - self._taken[0], 1.0)
            measured = max(min(measured, self.now or measured), 1 / max(pause, _SHORTEST_PAUSE))
            self.now = self._bounded(measured)

    def _bounded(self, rate: float) -> float:
        return rate if self._most is None else min(rate, self._most)


@dataclass(slots=True)
class ReplyTimes:
    """How long a request is waited for: its time limit, but less where replies of its kind are
    known to take far less, and more while the endpoint replies and is slow as a whole."""

    limit: float
    _by_kind: dict[str, deque[float]] = field(default_factory=dict)
    _all: deque[float] = field(default_factory=lambda: deque(maxlen=50))
    _last_reply: float = float("-inf")

    def replied(self, kind: str, seconds: float, at: float) -> None:
        """A reply to a question of a kind came after so many seconds."""
        self._by_kind.setdefault(kind, deque(maxlen=100)).append(seconds)
        self._all.append(seconds)
        self._last_reply = at

    def first_limit(self, kind: str) -> float:
        """Seconds after which a first attempt is given up, unless `extension` says otherwise."""
        seconds = self._by_kind.get(kind, ())
        if len(seconds) < _ENOUGH:
            return self.limit
        return min(self.limit, max(_SOONEST, 6 * max(seconds)))

    def extension(self, waited: float, at: float) -> float:
        """Seconds more for a request whose time is over: while others of the endpoint come back,
        three times what they usually take; 0 or less where it hangs."""
        if not self._all or at - self._last_reply > self.limit:
            return 0.0
        return 3 * sum(self._all) / len(self._all) - waited


class _Waiter(NamedTuple):
    rank: int
    number: int
    turn: asyncio.Future[None]  # never compared: no two have one number


class Traffic:
    """All requests to one endpoint: who goes next, how many at once, when, and whether at all.

    Requests of the episode that came first go first, so that what is begun is ended before much
    else is begun. A refusal for a limit pauses all of them. `in_flight` counts requests under way.
    """

    def __init__(self, spec: EndpointSpec, clock: Callable[[], float] = time.monotonic) -> None:
        self._spec = spec
        self.now = clock
        self.limit = InFlightLimit(spec.in_flight)
        self.rate = RequestRate(spec.requests_per_minute)
        self.times = ReplyTimes(spec.timeout_s)
        self._ranks: dict[str, int] = {}
        self._closed_until = 0.0
        self._next_request = 0.0
        self._limited_since: float | None = None
        self._limited_in_a_row = 0
        self._failed_in_a_row: dict[str, int] = {}
        self._probe_at: float | None = None
        self._has_replied = False
        self.forget_waiters()

    def forget_waiters(self) -> None:
        """For another event loop: nobody waits, nothing is under way."""
        self._queue: list[_Waiter] = []
        self._arrivals = 0
        self._timer: asyncio.TimerHandle | None = None
        self.in_flight = 0

    def rank(self, trial: str) -> int:
        """The place of an episode among those that called this endpoint, the first first."""
        return self._ranks.setdefault(trial, len(self._ranks))

    @asynccontextmanager
    async def place(self, rank: int) -> AsyncIterator[bool]:
        """A place in flight when it is this one's turn; whether that reached the limit."""
        loop = asyncio.get_running_loop()
        waiter = _Waiter(rank, self._arrivals, loop.create_future())
        self._arrivals += 1
        heapq.heappush(self._queue, waiter)
        self._admit()
        try:
            await waiter.turn
        except asyncio.CancelledError:
            if waiter.turn.done() and not waiter.turn.cancelled():
                self._leave(loop)
            raise
        try:
            yield self.in_flight >= self.limit.now
        finally:
            self._leave(loop)

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """The next one goes once it is known what came of this one."""
        self.in_flight -= 1
        if not loop.is_closed():  # else the run was broken off, and nobody waits
            loop.call_soon(self._admit)

    def _admit(self) -> None:
        """Give places to those that are next, as far as there are any; else look again later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue:
            if self._queue[0].turn.done():  # cancelled while it waited
                heapq.heappop(self._queue)
                continue
            if self.in_flight >= (self.limit.now if self._probe_at is None else 1):
                return
            at = self.now()
            wait = max(self._closed_until, self._next_request if self.rate.now else 0.0) - at
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._admit)
                return
            if self.rate.now:
                self._next_request = max(self._next_request, at) + 1 / self.rate.now
            self.in_flight += 1
            heapq.heappop(self._queue).turn.set_result(None)

    # ------------------------------------------------------------ what came of a request

    def replied(self, model: str, kind: str, sent: float, tokens: int, *, full: bool) -> None:
        """A reply came to a request of this kind that was sent then; `full`: at the limit."""
        at = self.now()
        self.works(model)
        self.times.replied(kind, at - sent, at)
        if full:
            self.limit.add(sent, tokens, at)

    def works(self, model: str) -> None:
        """The endpoint did its work for a model, be it that it refused this one prompt."""
        self._failed_in_a_row.pop(model, None)
        self._probe_at, self._has_replied = None, True
        self._limited_since, self._limited_in_a_row = None, 0

    def close_for(self, seconds: float) -> None:
        """Send nothing for so long: a limit is used up."""
        self._closed_until = max(self._closed_until, self.now() + seconds)

    def limited(self, error: ModelError, sent: float) -> None:
        """A request was refused since the server is busy, loading or at a limit: all wait.

        ModelError, fatal, where that would take longer than a call may, or has.
        """
        at = self.now()
        self.rate.refused(sent, at, _USUAL_PAUSE if error.pause is None else error.pause)
        if self.in_flight:  # some others were taken, as it seems
            self._limited_since, self._limited_in_a_row = at, 1
        else:
            self._limited_since = self._limited_since or at
            self._limited_in_a_row += 1
            if self.rate.now is None:
                self.limit.halve(at)
        own = min(backoff(self._limited_in_a_row), self._spec.total_s)
        pause = own if error.pause is None else error.pause
        if self._limited_in_a_row > 2:  # what it asks for was not enough
            pause = max(pause, own)
        if pause > self._spec.total_s:
            raise _stopped(error, f"it asks for a pause until {_clock_time(pause)}")
        if at - self._limited_since > self._spec.total_s:
            raise _stopped(error, f"it took no request for {self._spec.total_s:g} s")
        self.close_for(pause)

    def failed(self, error: ModelError, model: str, sent: float) -> None:
        """A request failed for a reason that may be the endpoint's.

        After as many failures in a row as may be in flight, and some, the endpoint is asked once
        more after a pause. ModelError, fatal, where that fails, too.
        """
        is_probe = self._probe_at is not None and sent >= self._probe_at
        count = self._failed_in_a_row[model] = self._failed_in_a_row.get(model, 0) + 1
        if is_probe or (
            self._probe_at is None and count + self.in_flight >= self._spec.in_flight + 4
        ):
            pause = PROBE_PAUSES[self._has_replied]
            self.close_for(min(pause, LONGEST_PAUSE, self._spec.total_s))
            self._probe_at = self._closed_until
        if is_probe:
            raise _stopped(error, "no request succeeds any more")


def backoff(failures: int, pause: float | None = None) -> float:
    """Seconds to pause after so many failures in a row, twice as long each time, if the server
    names no pause; `LONGEST_PAUSE` at most."""
    return min(0.5 * 2 ** min(failures - 1, 20) if pause is None else pause, LONGEST_PAUSE)


@asynccontextmanager
async def extendable_timeout(
    seconds: float, extension: Callable[[float], float]
) -> AsyncIterator[None]:
    """TimeoutError after so many seconds, and those that `extension` adds, each time they are over,
    to what was waited for already."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(None) as scope:
        timers: list[asyncio.TimerHandle] = []

        def check() -> None:
            more = extension(loop.time() - began)
            if more > 0:
                timers.append(loop.call_later(more, check))
            else:
                scope.reschedule(loop.time())

        timers.append(loop.call_later(seconds, check))
        try:
            yield
        finally:
            timers[-1].cancel()


def _stopped(error: ModelError, why: str) -> ModelError:
    return ModelError(
        f"{error}; {why}: the run stops here, and the same command resumes it",
        cause=error.cause,
        fatal=True,
        tries=error.tries,
        pause=error.pause,
    )


_LONGEST_TOLD = 1e9
"""Seconds, some 30 years: servers name any number."""


def _clock_time(pause: float) -> str:
    """When a pause is over, by the clock of this machine."""
    until = datetime.now().astimezone() + timedelta(seconds=min(pause, _LONGEST_TOLD))
    return f"{until:%H:%M}" if pause < 43_200 else f"{until:%Y-%m-%d %H:%M}"
