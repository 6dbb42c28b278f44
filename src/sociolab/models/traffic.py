"""Traffic control for an endpoint: concurrency, rate, timeouts, pauses, and when to give up.

What the endpoint can take is learned from its replies, its refusals, and how long they take.
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
"""Seconds: the longest pause that we choose ourselves. A server may ask for a longer one."""

PROBE_PAUSES = (5.0, 60.0)
"""Seconds before the last request to an endpoint that only fails: one that never replied, and one
that did and may be restarting."""

START = 4
"""Requests in flight before the first replies from an endpoint."""

_SMALLEST_WINDOW = 8
_WINDOWS_HELD = 8
"""Windows of replies after which a limit that holds is raised for a trial."""

_QUEUES = 1.7
"""If requests get slower by this factor when twice as many are in flight, they queue at the server:
throughput has grown by less than a fifth."""

_TOKENS_BESIDE = 20
"""The time to the first token, in tokens, so that short replies can be compared with long ones."""

_RATE_WINDOW = 15.0
"""Seconds over which a rate is measured when requests are refused, and after which it grows."""

_FASTER = 1.1

_USUAL_PAUSE, _SHORTEST_PAUSE = 1.0, 0.01
"""Seconds: the pause assumed where the server names none, and the shortest that is believed."""

_SOONEST = 20.0
"""Seconds: the shortest timeout of a request, however fast its endpoint usually is."""

_ENOUGH = 10
"""Replies of a kind after which the usual time for that kind counts as known."""


class InFlightLimit:
    """How many requests may be in flight: doubled as long as that does not slow them down.

    The pace of a reply is its seconds per token, so that a window of short replies can be compared
    with one of long ones. Only replies to requests that were sent under the current limit, while it
    was reached, count. All times are in seconds by one clock.
    """

    def __init__(self, ceiling: int) -> None:
        self.ceiling = ceiling
        self.current = min(ceiling, START)
        self._trend: Literal["grow", "hold", "shrink"] = "grow"
        self._settling = True
        self._changed = float("-inf")
        self._before: float | None = None
        self._window: list[float] = []
        self._windows_held = 0

    def halve(self, at: float) -> None:
        """Halve the limit after a refusal for too many requests; it then grows again."""
        self._change(self.current // 2, at, "grow")
        self._before = None

    def add(self, sent: float, tokens: int, at: float) -> None:
        """Record a reply, now, to a request that was sent while the limit was reached."""
        if sent < self._changed:
            return
        if self._settling:  # the first burst under a new limit finds a shorter queue
            self._settling, self._changed = False, at
            return
        self._window.append((at - sent) / (tokens + _TOKENS_BESIDE))
        if len(self._window) < max(_SMALLEST_WINDOW, self.current):
            return
        pace = median(self._window)
        self._window.clear()
        before, self._before = self._before, pace
        slower = pace / before if before else 1.0
        match self._trend:
            case "grow" if slower > _QUEUES:
                self._before = before
                self._change(self.current // 2, at, "hold")
            case "grow":
                self._change(self.current * 2, at, "grow")
            case "shrink" if (
                slower < 1 / _QUEUES and self.current > START
            ):  # they queued at the server
                self._change(self.current // 2, at, "shrink")
            case "hold" if slower > 2:
                self._change(self.current // 2, at, "shrink")
            case _:
                self._trend = "hold"
                self._windows_held += 1
                if self._windows_held == _WINDOWS_HELD:
                    self._change(self.current * 2, at, "grow")

    def _change(self, limit: int, at: float, trend: Literal["grow", "hold", "shrink"]) -> None:
        self.current = min(max(limit, 1), self.ceiling)
        self._trend, self._settling, self._changed = trend, True, at
        self._windows_held = 0
        self._window.clear()


class RequestRate:
    """Requests per second: unlimited until the endpoint refuses some for their number, then what it
    accepted in the last seconds, and slowly more again."""

    def __init__(self, per_minute: float | None) -> None:
        self._most = per_minute / 60 if per_minute else None
        self.current = self._most
        self._taken: deque[float] = deque(maxlen=4096)
        self._changed = 0.0

    def record_request(self, at: float) -> None:
        """Record a request that is sent now; it counts as accepted until it is refused."""
        self._taken.append(at)
        if self.current and self.current != self._most and at - self._changed > _RATE_WINDOW:
            self.current, self._changed = self._limit(self.current * _FASTER), at

    def record_refusal(self, sent: float, at: float, pause: float) -> None:
        """Record that the request sent at that time was refused for the number of requests.

        The rate never falls below one request per pause that the server asks for: else a server
        that refuses at random would bring everything to a halt.
        """
        with suppress(ValueError):
            self._taken.remove(sent)
        while self._taken and at - self._taken[0] > _RATE_WINDOW:
            self._taken.popleft()
        self._changed = at
        if self._taken:
            measured = len(self._taken) / max(at - self._taken[0], 1.0)
            measured = max(min(measured, self.current or measured), 1 / max(pause, _SHORTEST_PAUSE))
            self.current = self._limit(measured)

    def _limit(self, rate: float) -> float:
        return rate if self._most is None else min(rate, self._most)


@dataclass(slots=True)
class ReplyTimes:
    """How long to wait for a reply: up to the time limit, less where replies of its kind are known
    to take far less, and more while the endpoint as a whole is slow but replies."""

    limit: float
    _by_kind: dict[str, deque[float]] = field(default_factory=dict)
    _all: deque[float] = field(default_factory=lambda: deque(maxlen=50))
    _last_reply: float = float("-inf")

    def record_reply(self, kind: str, seconds: float, at: float) -> None:
        self._by_kind.setdefault(kind, deque(maxlen=100)).append(seconds)
        self._all.append(seconds)
        self._last_reply = at

    def first_limit(self, kind: str) -> float:
        """Seconds after which a first attempt times out, unless there is an `extension`."""
        seconds = self._by_kind.get(kind, ())
        if len(seconds) < _ENOUGH:
            return self.limit
        return min(self.limit, max(_SOONEST, 6 * max(seconds)))

    def extension(self, waited: float, at: float) -> float:
        """Further seconds for a request whose time is over; 0 or less if there are none.

        While other requests to the endpoint succeed, it gets three times what they usually take.
        """
        if not self._all or at - self._last_reply > self.limit:
            return 0.0
        return 3 * sum(self._all) / len(self._all) - waited


class _Waiter(NamedTuple):
    rank: int
    number: int
    turn: asyncio.Future[None]  # never compared: no two have one number


class Traffic:
    """All requests to one endpoint: which goes next, how many at once, when, and whether at all.

    Requests of the episode that started first go first, so that episodes finish before many others
    start. A refusal for a limit pauses all of them. `in_flight` counts requests under way.
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
        """Reset for another event loop: nobody waits, nothing is in flight."""
        self._queue: list[_Waiter] = []
        self._arrivals = 0
        self._timer: asyncio.TimerHandle | None = None
        self.in_flight = 0

    def rank(self, trial: str) -> int:
        """The priority of an episode, by the order in which they first called this endpoint."""
        return self._ranks.setdefault(trial, len(self._ranks))

    @asynccontextmanager
    async def slot(self, rank: int) -> AsyncIterator[bool]:
        """Wait for a slot in flight, and hold it; yields whether that reaches the limit."""
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
            yield self.in_flight >= self.limit.current
        finally:
            self._leave(loop)

    def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """Free the slot; the next request goes once the outcome of this one is recorded."""
        self.in_flight -= 1
        if not loop.is_closed():  # else the run was interrupted, and nobody waits
            loop.call_soon(self._admit)

    def _admit(self) -> None:
        """Give free slots to the next in the queue; where none may go yet, set a timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue:
            if self._queue[0].turn.done():  # cancelled while it waited
                heapq.heappop(self._queue)
                continue
            if self.in_flight >= (self.limit.current if self._probe_at is None else 1):
                return
            at = self.now()
            wait = max(self._closed_until, self._next_request if self.rate.current else 0.0) - at
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._admit)
                return
            if self.rate.current:
                self._next_request = max(self._next_request, at) + 1 / self.rate.current
            self.in_flight += 1
            heapq.heappop(self._queue).turn.set_result(None)

    # ------------------------------------------------------------ outcomes of requests

    def record_reply(self, model: str, kind: str, sent: float, tokens: int, *, full: bool) -> None:
        """Record a reply to a request sent at that time; `full`: at the limit in flight."""
        at = self.now()
        self.record_success(model)
        self.times.record_reply(kind, at - sent, at)
        if full:
            self.limit.add(sent, tokens, at)

    def record_success(self, model: str) -> None:
        """Record that the endpoint works for a model, even if it refused this one prompt."""
        self._failed_in_a_row.pop(model, None)
        self._probe_at, self._has_replied = None, True
        self._limited_since, self._limited_in_a_row = None, 0

    def close_for(self, seconds: float) -> None:
        """Send nothing for so many seconds, since a limit is used up."""
        self._closed_until = max(self._closed_until, self.now() + seconds)

    def record_limit(self, error: ModelError, sent: float) -> None:
        """Record a refusal since the server is busy, loading or at a limit; all requests pause.

        ModelError, fatal, where the pauses would take longer than `total_s`, or have.
        """
        at = self.now()
        self.rate.record_refusal(sent, at, _USUAL_PAUSE if error.pause is None else error.pause)
        if self.in_flight:  # the server has accepted others, it seems
            self._limited_since, self._limited_in_a_row = at, 1
        else:
            self._limited_since = self._limited_since or at
            self._limited_in_a_row += 1
            if self.rate.current is None:
                self.limit.halve(at)
        own = min(backoff(self._limited_in_a_row), self._spec.total_s)
        pause = own if error.pause is None else error.pause
        if self._limited_in_a_row > 2:  # the pauses that it asked for were not enough
            pause = max(pause, own)
        if pause > self._spec.total_s:
            raise _stopped(error, f"it asks for a pause until {_clock_time(pause)}")
        if at - self._limited_since > self._spec.total_s:
            raise _stopped(error, f"it took no request for {self._spec.total_s:g} s")
        self.close_for(pause)

    def record_failure(self, error: ModelError, model: str, sent: float) -> None:
        """Record a failure that may be the endpoint's fault.

        After somewhat more failures in a row than may be in flight, the endpoint gets one more
        request after a pause. ModelError, fatal, where that fails, too.
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
            why = "no request succeeds any more"
            if error.cause == "timeout":
                why += " (if it is only slow, raise timeout_s in models.toml)"
            raise _stopped(error, why)


def backoff(failures: int, pause: float | None = None) -> float:
    """Seconds to pause after so many failures in a row: `pause`, if the server names one, else
    doubling from .5; at most `LONGEST_PAUSE`."""
    return min(0.5 * 2 ** min(failures - 1, 20) if pause is None else pause, LONGEST_PAUSE)


@asynccontextmanager
async def extendable_timeout(
    seconds: float, extension: Callable[[float], float]
) -> AsyncIterator[None]:
    """TimeoutError after so many seconds; each time they are over, `extension`, given the seconds
    waited so far, may add some."""
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


_LONGEST_SHOWN = 1e9
"""Seconds, some 30 years: servers name any number, and dates end with the year 9999."""


def _clock_time(pause: float) -> str:
    """The local time at which a pause is over."""
    until = datetime.now().astimezone() + timedelta(seconds=min(pause, _LONGEST_SHOWN))
    return f"{until:%H:%M}" if pause < 43_200 else f"{until:%Y-%m-%d %H:%M}"
