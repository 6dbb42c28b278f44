"""The simulation of a town, without I/O: questions go out as they arise, answers come in
any order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol, TypeAlias

from sociolab.core.episode import Ended, Event, Happened, Unusable
from sociolab.core.errors import WorldError
from sociolab.core.ports import Completed, Play, Reply, Request, Sent, StartRequests
from sociolab.engine.journal import reply_event, unusable_event
from sociolab.town.generative.life import GenerativeLife
from sociolab.town.life import Life
from sociolab.town.lockstep import LockStep, Round, Thread
from sociolab.town.mind import check_reply, make_request
from sociolab.town.out_of_order import OutOfOrder
from sociolab.town.person import Setting, Surroundings
from sociolab.town.questions import MOST_ROUNDS, MindQuestion
from sociolab.town.trace import TRACE, Stood, WentWithout, make_chunk, make_header

Order: TypeAlias = Literal["lock-step", "ahead"]
Ask: TypeAlias = Callable[[Thread, MindQuestion[Any]], None]


class Scheduler(Protocol):
    """Decides which residents may simulate their next step; the trace must not depend on it."""

    def ready(self) -> list[Round]:
        """Rounds that can begin; none while all wait for rounds under way, and none at the end."""
        ...

    def over(self, round: Round) -> None:
        """End a round: its members have finished this step."""
        ...

    @property
    def settled_until(self) -> int:
        """The step before which nothing can change for anybody."""
        ...


SCHEDULERS: dict[Order, Callable[[Surroundings, Ask], Scheduler]] = {
    "lock-step": LockStep,
    "ahead": OutOfOrder,
}


def simulate(setting: Setting, order: Order = "lock-step") -> Play:
    """The whole simulation; its trace comes as events, one for each hour of town time."""
    return _Town(setting, order).play()


class _Town:
    """A simulation under way."""

    def __init__(self, setting: Setting, order: Order) -> None:
        self.setting = setting
        self.around = Surroundings(setting)
        self.scheduler: Scheduler = SCHEDULERS[order](self.around, self._ask)
        self.trace = TraceWriter(self.around)
        self._requests: list[Request] = []
        self._threads: dict[tuple[str, int, str], tuple[Thread, MindQuestion[Any]]] = {}
        self._names: set[tuple[str, int, str]] = set()
        lives = Life if setting.mind == "lean" else GenerativeLife
        for person in self.around.people:
            person.records.append(Stood(0, person.id, *person.tile))
            life = lives(person, self.around)
            person.life, person.speak = life.run(), life.speak

    def play(self) -> Play:
        yield self.trace.header()
        while True:
            self._begin_rounds()
            yield from self.trace.settled(self.scheduler.settled_until)
            if not self._threads:
                if self.scheduler.settled_until < self.setting.steps:
                    raise WorldError(
                        f"nobody goes on at step {self.scheduler.settled_until} of "
                        f"{self.setting.steps}: a bug of the town's scheduler"
                    )
                break
            requests, self._requests = tuple(self._requests), []
            failed = self._take((yield StartRequests(requests)))
            if failed is not None:
                yield from self.trace.rest(min(failed.turn, self.scheduler.settled_until))
                yield Ended("failed turn", failed.turn, failed.seat)
                return
        yield from self.trace.rest(self.setting.steps)
        yield Ended("time is up", self.setting.steps)

    def _begin_rounds(self) -> None:
        """Begin all rounds that may begin, and those that may begin once these are over."""
        while rounds := self.scheduler.ready():
            for each in rounds:
                each.begin(self.around.people)
                if each.is_over:
                    self.scheduler.over(each)

    # -------------------------------------------------------------- asking

    def _ask(self, thread: Thread, question: MindQuestion[Any]) -> None:
        head = question.meta
        # A talk that begins at the last step ends a little after it.
        request = make_request(question, self.setting.steps + 2 * MOST_ROUNDS)
        key = (head.seat, head.step, request.name)
        if key in self._names:
            raise WorldError(
                f"the seat {head.seat} was asked {question.name} twice at step {head.step}, "
                f"last for {head.resident}: no reply could be told from the other; give each "
                "resident a seat of its own"
            )
        self._names.add(key)
        self._threads[key] = (thread, question)
        self._requests.append(request)

    def _take(self, sent: Sent) -> Unusable | None:
        """Pass answers on; returns the failure that ends the simulation, if there is one."""
        if not sent:
            raise WorldError("a town that waits for replies was sent none")
        for item in sent:
            if not isinstance(item, Completed):
                raise WorldError(f"a town is sent replies with their requests, found {item!r:.80}")
            key = (item.request.seat, item.request.turn, item.request.name)
            thread, question = self._threads[key]
            reply = check_reply(question, item.request, item.reply)
            if isinstance(reply, Reply):
                if question.recorded:
                    self.trace.hold(question.meta.resident, reply_event(item.request, reply))
                del self._threads[key]
                self._pass_answer(thread, reply.value)
                continue
            final = self.setting.policy.is_final(item.request, reply)
            failure = unusable_event(item.request, reply, final=final)
            self.trace.hold(question.meta.resident, failure)
            if not final:
                self._requests.append(item.request.again(reply))
                continue
            if self.setting.policy.then == "stop":
                return failure
            del self._threads[key]
            head = question.meta
            person = next(each for each in self.around.people if each.id == head.resident)
            person.records.append(
                WentWithout(head.step, person.id, question.name, failure.cause, failure.problem)
            )
            self._pass_answer(thread, None)
        return None

    def _pass_answer(self, thread: Thread, answer: object) -> None:
        thread.round.answered(thread, answer)
        if thread.round.is_over:
            self.scheduler.over(thread.round)


class TraceWriter:
    """Emits events in order of step, then resident: replies, and the trace as one event per hour.

    Each event is held until its step is settled for everybody, so that the order does not depend on
    how long replies take. A model's reply is stored earlier, with its call, so that no call is
    paid for twice.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._hour = around.clock.minutes(60)
        self._written_until = 0
        self._numbers = {person.id: person.number for person in around.people}
        self._held: list[tuple[int, int, Event]] = []

    def hold(self, who: str, event: Event) -> None:
        """Hold a resident's reply; those of one resident come in their order."""
        self._held.append((event.turn, self._numbers[who], event))

    def header(self) -> Happened:
        setting = self._around.setting
        ids = tuple(person.id for person in self._around.people)
        value = make_header(setting.clock.first, setting.clock.seconds, ids)
        return Happened(0, "", TRACE, value)

    def settled(self, step: int) -> Iterator[Event]:
        """The new events before this step: replies, and the hours that end by then."""
        while self._written_until + self._hour <= step:
            yield from self._until(self._written_until + self._hour)
        yield from self._replies(step)

    def rest(self, step: int) -> Iterator[Event]:
        """The remaining events: the trace up to this step, and all replies."""
        yield from self.settled(step)
        if self._written_until < step:
            yield from self._until(step)
        yield from self._replies()

    def _replies(self, end: int | None = None) -> Iterator[Event]:
        self._held.sort(key=lambda item: item[:2])
        count = len(self._held) if end is None else bisect_left(self._held, (end,))
        yield from (event for _, _, event in self._held[:count])
        del self._held[:count]

    def _until(self, end: int) -> Iterator[Event]:
        yield from self._replies(end)
        records = []
        for person in self._around.people:
            person.cut_walk(end)
            records += [(r.step, person.number, r) for r in person.records if r.step < end]
            person.records = [r for r in person.records if r.step >= end]
        records.sort(key=lambda item: item[:2])
        self._written_until = end
        value = make_chunk(end, [record for _, _, record in records])
        yield Happened(end, "", TRACE, value)
