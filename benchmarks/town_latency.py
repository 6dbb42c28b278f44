"""Lives a town in virtual time: nobody waits, latencies are drawn, the makespan comes out."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, TypeAlias

from sociolab.core.episode import Happened
from sociolab.core.ports import Completed, NoReply, Play, Reply, Request, Sent, StartRequests
from sociolab.core.seeding import stream
from sociolab.town.mind import Mind, MindPlayer

MEDIAN = 1.0
"""Seconds: the middle of all latencies."""
SPREAD = 0.6
"""The standard deviation of their logarithms: one in a hundred takes four times the median."""


Latency: TypeAlias = Callable[[Request], float]


@dataclass(frozen=True, slots=True)
class Lived:
    """What came of a play: its trace, when it was over, and each request with its latency."""

    trace: tuple[Happened, ...]
    makespan: float
    asked: tuple[tuple[Request, float], ...]

    @property
    def work(self) -> float:
        """All latencies together, as when one thing is asked after another."""
        return sum(latency for _, latency in self.asked)


def lognormal(seed: int) -> Latency:
    """A latency for each request: the same for the same question, whoever schedules."""

    def latency(request: Request) -> float:
        chance = stream(seed, request.seat, request.turn, request.name)
        return chance.lognormvariate(0.0, SPREAD) * MEDIAN

    return latency


class Line:
    """Requests under way in virtual time: at most `places`, the earliest step first."""

    def __init__(self, mind: Mind, latency: Latency, places: int) -> None:
        self.now = 0.0
        self.asked: list[tuple[Request, float]] = []
        self._player = MindPlayer(mind, built_in=True)
        self._latency = latency
        self._places = places
        self._waiting: list[tuple[int, int, Request]] = []
        self._flying: list[tuple[float, int, Request]] = []

    def begin(self, requests: Sequence[Request]) -> None:
        """Put requests in the line."""
        for request in requests:
            number = len(self.asked)
            heappush(self._waiting, (request.turn, number, request))
            self.asked.append((request, self._latency(request)))

    def next(self) -> Completed:
        """The next reply; the clock is put on to when it comes."""
        while self._waiting and len(self._flying) < self._places:
            _, number, request = heappop(self._waiting)
            heappush(self._flying, (self.now + self.asked[number][1], number, request))
        self.now, _, request = heappop(self._flying)
        return Completed(request, answer_now(self._player.reply(request, None)))


def live_through(play: Play, line: Line) -> Lived:
    """Drive a play to its end."""
    trace: list[Happened] = []
    sent: Sent = None
    while True:
        try:
            step = play.send(sent)
        except StopIteration:
            return Lived(tuple(trace), line.now, tuple(line.asked))
        sent = None
        if isinstance(step, StartRequests):
            line.begin(step.requests)
            sent = [line.next()]
        elif isinstance(step, Happened):
            trace.append(step)


def answer_now(asked: Coroutine[Any, Any, Reply | NoReply]) -> Reply | NoReply:
    """The answer of a mind that waits for nothing."""
    try:
        asked.send(None)
    except StopIteration as over:
        reply: Reply | NoReply = over.value
        return reply
    raise RuntimeError("expected a mind that answers at once, found one that waits")
