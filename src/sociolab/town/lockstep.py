"""Which residents live a step together, and how all go through the steps at once.

A round is one step of residents who can see each other: they look, decide and talk. It reads only
what held when the step began, and what is decided shows at the next step, so that the order in
which answers arrive makes no difference. In lock-step nobody goes on before everybody's step is
over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from sociolab.core.errors import WorldError
from sociolab.town.life import News, Propose, Stay, Talk, converse, could_talk
from sociolab.town.person import Noticed, Percept, Person, Surroundings, in_view
from sociolab.town.questions import MindQuestion
from sociolab.town.trace import Did, Remembered


@dataclass(slots=True)
class Thread:
    """A generator of questions: a life, or a talk (`person` None), in its current `round`."""

    run: Generator[Any, Any, Any]
    person: Person | None
    round: Round


@dataclass(frozen=True, slots=True)
class Woken:
    """A person whose life goes on in this round: it is time, a talk is over, or there is something
    to see."""

    person: Person
    why: Talk | None = None
    looks: bool = False


class Round:
    """One step of some residents, which include everybody whom one of them sees.

    `ask(thread, question)` is called for every question; pass its answer to `answered`.
    """

    def __init__(
        self,
        step: int,
        members: Sequence[Person],
        woken: Sequence[Woken],
        around: Surroundings,
        ask: Callable[[Thread, MindQuestion[Any]], None],
    ) -> None:
        self.step = step
        self.members = members
        self.talks: list[Talk] = []
        self._woken = woken
        self._around = around
        self._ask = ask
        self._open = 0
        self._proposals: list[tuple[Person, Person, Thread]] = []
        self._talking: set[int] = set()
        self._began = False

    @property
    def is_over(self) -> bool:
        """All have decided, and no talk is under way."""
        return self._began and not self._open

    def begin(self, people: Sequence[Person]) -> None:
        """Look around, and resume lives; `people` are all residents, by number."""
        for woken in self._woken:
            if woken.looks:
                self._look(woken.person, people)
        self._began = True
        self._open += 1  # no talk begins before everybody has been woken
        for woken in self._woken:
            person = woken.person
            life = person.life
            assert life is not None
            if woken.why is not None or person.until <= self.step:
                person.hears_from = self.step + 1  # one's own life first, then who came by
                self._send(Thread(life, person, self), woken.why)
            elif news := self._news(person):
                self._send(Thread(life, person, self), News(news))
        self._close()

    def answered(self, thread: Thread, answer: object) -> None:
        """Pass on the answer to a question; None where there is none."""
        self._send(thread, answer)
        self._close()

    # -------------------------------------------------------------- looking

    def _look(self, person: Person, people: Sequence[Person]) -> None:
        """Remember what is new in view; people who could be talked to become newcomers.

        A watchful resident remembers later, when memories are rated: to it everything is news.
        """
        if person.appearance.asleep or person.busy_until is not None:
            return
        x, y = person.tile
        near = [people[number] for number in person.view]
        near.sort(key=lambda o: ((o.tile[0] - x) ** 2 + (o.tile[1] - y) ** 2, o.number))
        if person.watchful:
            self._notice(person, near)
            return
        new = person.attention.attend([(other.number, other.appearance.doing) for other in near])
        for number, doing in new:
            text = f"saw {people[number].name}: {doing}"
            person.memory.add(self.step, "seen", text)
            person.records.append(Remembered(self.step, person.id, "seen", text))
            if could_talk(person, people[number], self.step, self._around):
                person.newcomers.append(Noticed(people[number], doing))

    def _notice(self, person: Person, near: Sequence[Person]) -> None:
        """Attend to what people do and to the things that they use, nearest first."""
        noticed: dict[Percept, Noticed] = {}
        for other in near:
            activities = [Noticed(other, other.appearance.doing)]
            if thing := other.appearance.thing:
                name, _, state = thing.partition(": ")
                activities.append(Noticed(other, state, name))
            noticed |= {activity.percept: activity for activity in activities}
        person.newcomers += [noticed[percept] for percept in person.attention.attend([*noticed])]

    def _news(self, person: Person) -> tuple[Noticed, ...]:
        """What to bring to this person's attention: one newcomer a step, the nearest first, if
        still in view; a watchful resident gets all at once."""
        person.hears_from = self.step + 1
        if person.watchful:
            news, person.newcomers = tuple(person.newcomers), []
            return news
        while person.newcomers:
            noticed = person.newcomers.pop(0)
            other = noticed.other
            if other.number in person.view and could_talk(person, other, self.step, self._around):
                return (noticed,)
        return ()

    # -------------------------------------------------------------- going on

    def _send(self, thread: Thread, value: object) -> None:
        """Resume a generator until its next question, or its end in this round."""
        try:
            wants = thread.run.send(value)
        except StopIteration as over:  # a talk: lives do not end
            self._end_talk(over.value)
            return
        if isinstance(wants, Stay):
            assert thread.person is not None
            thread.person.until = wants.until
            if thread.person.next_appearance.asleep:
                thread.person.newcomers.clear()
        elif isinstance(wants, Propose):
            assert thread.person is not None
            self._proposals.append((thread.person, wants.other, thread))
        else:
            self._open += 1
            self._ask(thread, wants)

    def _close(self) -> None:
        """Count one open item off; once all have decided, talks begin."""
        self._open -= 1
        if self._open or not self._proposals:
            return
        proposals = sorted(self._proposals, key=lambda p: p[0].number)
        self._proposals = []
        self._open += 1
        for person, other, thread in proposals:
            if self._is_free(person) and self._is_free(other):
                self._talking |= {person.number, other.number}
                talk = converse(person, other, self.step, self._around)
                self._send(Thread(talk, None, self), None)
            elif person.number not in self._talking:
                self._send(thread, None)
                if self._proposals:
                    raise WorldError(f"{person.id} proposed a second talk at step {self.step}")
        self._close()

    def _is_free(self, person: Person) -> bool:
        return (
            person.number not in self._talking
            and person.busy_until is None
            and not person.next_appearance.asleep
        )

    def _end_talk(self, talk: Talk) -> None:
        self.talks.append(talk)
        for person in (talk.starter, talk.other):
            person.stop(self.step)
            if not person.watchful:
                person.newcomers.clear()
            person.busy_until = talk.end
            before, partner = person.doing, talk.partner(person)
            doing = f"talking with {partner.name}"
            state = Did(
                self.step, person.id, doing, before.block, before.place, before.object, "talking"
            )
            person.do(state, self.step)


# ------------------------------------------------------------------ all at the same step


class LockStep:
    """All residents at the same step; steps at which nobody moves, wakes or sees anything new are
    skipped."""

    def __init__(
        self, around: Surroundings, ask: Callable[[Thread, MindQuestion[Any]], None]
    ) -> None:
        self._around = around
        self._ask = ask
        self._people = around.people
        self._steps = around.setting.steps
        self._step = 0
        self._under_way: list[Round] = []
        self._open = 0
        self._due: list[tuple[int, int]] = [(0, person.number) for person in self._people]
        self._walkers: dict[int, Person] = {}
        self._looks: set[int] = set()
        self._talks: dict[int, Talk] = {}
        self._whereabouts = _Whereabouts(self._people, around.rules.radius)
        for person in self._people:
            person.view = self._whereabouts.view(person)

    @property
    def settled_until(self) -> int:
        """The step before which everything is settled for everybody."""
        return min(self._step, self._steps)

    def ready(self) -> list[Round]:
        """The rounds of the next eventful step, once those before are over."""
        while not self._open and self._step < self._steps:
            self._under_way = self._rounds()
            if self._under_way:
                self._open = len(self._under_way)
                return self._under_way
            self._next()
        return []

    def over(self, round: Round) -> None:
        """End a round; when all rounds of the step are over, go on to the next."""
        self._open -= 1
        if not self._open:
            self._settle()
            self._next()

    # -------------------------------------------------------------- who is woken

    def _rounds(self) -> list[Round]:
        woken = {each.person.number: each for each in self._woken()}
        rounds = []
        placed: set[int] = set()
        for each in woken.values():
            if each.person.number in placed:
                continue
            group = group_in_view(each.person, self._people)
            placed |= group
            members = [self._people[number] for number in sorted(group)]
            own = [woken[member.number] for member in members if member.number in woken]
            rounds.append(Round(self._step, members, own, self._around, self._ask))
        return rounds

    def _woken(self) -> list[Woken]:
        due = set()
        while self._due and self._due[0][0] <= self._step:
            step, number = heappop(self._due)
            if step == self._people[number].goes_on:
                due.add(number)
        woken = []
        for number in sorted(due | self._looks):
            person = self._people[number]
            person.step = self._step
            looks = number in self._looks
            if person.busy_until is not None:
                if person.busy_until <= self._step:
                    person.busy_until = None
                    woken.append(Woken(person, self._talks.pop(number)))
            elif number in due or (looks and not person.appearance.asleep):
                woken.append(Woken(person, looks=looks))
        self._looks.clear()
        return woken

    # -------------------------------------------------------------- from step to step

    def _settle(self) -> None:
        """Put into effect what the rounds of this step decided."""
        for each in self._under_way:
            for talk in each.talks:
                for person in (talk.starter, talk.other):
                    self._talks[person.number] = talk
            for person in each.members:
                heappush(self._due, (person.goes_on, person.number))
                if person.path:
                    self._walkers[person.number] = person
                else:
                    self._walkers.pop(person.number, None)
                if person.next_appearance is not person.appearance:
                    self._reveal(person)
        self._under_way = []

    def _reveal(self, person: Person) -> None:
        """Whoever sees somebody begin something looks, and so does whoever wakes or ends a talk."""
        before, person.appearance = person.appearance, person.next_appearance
        if before == person.appearance:
            return
        self._looks |= person.view
        if before.asleep or before.talking:
            self._looks.add(person.number)

    def _next(self) -> None:
        """Move on by a step, or to the next eventful step."""
        self._step += 1
        if self._walkers:
            # All move before anybody looks.
            moved = [walker for walker in self._walkers.values() if walker.move_to(self._step)]
            for person in moved:
                self._whereabouts.move(person)
            for person in moved:
                self._look_around(person)
        elif not self._looks:
            self._step = max(self._step, self._due[0][0] if self._due else self._steps)

    def _look_around(self, person: Person) -> None:
        """Whoever comes into view looks, and is looked at."""
        view = self._whereabouts.view(person)
        if view == person.view:
            return
        own = person.number
        for number in person.view - view:
            self._people[number].view -= {own}
        gained = view - person.view
        for number in gained:
            self._people[number].view |= {own}
        person.view = view
        if gained:
            self._looks |= gained
            self._looks.add(own)


class _Whereabouts:
    """Residents by arena and by squares as wide as the radius: all in view stand in one of nine
    squares."""

    def __init__(self, people: Sequence[Person], radius: int) -> None:
        self._radius = radius
        self._side = max(1, radius)
        self._squares: defaultdict[tuple[int, int, int], set[Person]] = defaultdict(set)
        self._square_of = [self._square(person) for person in people]
        self._around = [self._nine_squares(square) for square in self._square_of]
        for person in people:
            self._squares[self._square_of[person.number]].add(person)

    def move(self, person: Person) -> None:
        before, after = self._square_of[person.number], self._square(person)
        if after != before:
            self._squares[before].remove(person)
            self._squares[after].add(person)
            self._square_of[person.number] = after
            self._around[person.number] = self._nine_squares(after)

    def view(self, person: Person) -> frozenset[int]:
        near = [other for square in self._around[person.number] if square for other in square]
        return in_view(person, near, self._radius) if len(near) > 1 else frozenset()

    def _square(self, person: Person) -> tuple[int, int, int]:
        x, y = person.tile
        return person.arena, x // self._side, y // self._side

    def _nine_squares(self, square: tuple[int, int, int]) -> tuple[set[Person], ...]:
        arena, x, y = square
        around = ((arena, x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        return tuple([self._squares[each] for each in around])


def group_in_view(person: Person, people: Iterable[Person]) -> set[int]:
    """The numbers of all whom this person sees, whom those see, and so on; its own included."""
    everybody = tuple(people)
    group = {person.number}
    waiting = [person]
    while waiting:
        for number in waiting.pop().view:
            if number not in group:
                group.add(number)
                waiting.append(everybody[number])
    return group
