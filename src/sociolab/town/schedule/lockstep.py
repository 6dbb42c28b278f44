"""All residents at the same step: nobody goes on before everybody's step is lived."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from sociolab.town.life.conversation import Talk
from sociolab.town.life.person import Person
from sociolab.town.life.surroundings import Surroundings
from sociolab.town.perception import Whereabouts
from sociolab.town.schedule.round import Round, Thread, Woken
from sociolab.town.thoughts import Thought


class LockStep:
    """Steps at which nobody moves, is woken or sees something new are passed over."""

    def __init__(self, around: Surroundings, ask: Callable[[Thread, Thought], None]) -> None:
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
        self._whereabouts = Whereabouts(around.rules.radius)
        for person in self._people:
            self._whereabouts.put(person.number, person.tile, person.arena)
        for person in self._people:
            person.view = frozenset(self._whereabouts.near(person.number))

    @property
    def lived(self) -> int:
        """The step before which everything is settled for everybody."""
        return min(self._step, self._steps)

    def ready(self) -> list[Round]:
        """The rounds of the next step at which something happens, when those before are over."""
        while not self._open and self._step < self._steps:
            self._under_way = self._rounds()
            if self._under_way:
                self._open = len(self._under_way)
                return self._under_way
            self._next()
        return []

    def over(self, round: Round) -> None:
        """Go on to the next step when all rounds of this one are over."""
        self._open -= 1
        if not self._open:
            self._settle()
            self._next()

    # -------------------------------------------------------------- who is woken

    def _rounds(self) -> list[Round]:
        woken = self._woken()
        rounds = []
        placed: set[int] = set()
        for each in woken:
            if each.person.number in placed:
                continue
            group = together(each.person, self._people)
            placed |= group
            members = [self._people[number] for number in sorted(group)]
            own = [one for one in woken if one.person.number in group]
            rounds.append(Round(self._step, members, own, self._around, self._ask))
        return rounds

    def _woken(self) -> list[Woken]:
        due = self._due_now()
        found = []
        for number in sorted(due | self._looks):
            person = self._people[number]
            person.step = self._step
            looks = number in self._looks
            if person.busy_until is not None:
                if person.busy_until <= self._step:
                    person.busy_until = None
                    found.append(Woken(person, self._talks.pop(number)))
            elif number in due or (looks and not person.shown.asleep):
                found.append(Woken(person, looks=looks))
        self._looks.clear()
        return found

    def _due_now(self) -> set[int]:
        due = set()
        while self._due and self._due[0][0] <= self._step:
            step, number = heappop(self._due)
            person = self._people[number]
            if step == person.goes_on:
                due.add(number)
        return due

    # -------------------------------------------------------------- from step to step

    def _settle(self) -> None:
        """What was decided in the rounds of this step takes effect."""
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
                if person.showing is not person.shown:
                    self._show(person)
        self._under_way = []

    def _show(self, person: Person) -> None:
        """Who sees somebody begin something looks; so does who wakes, or comes out of a talk."""
        before, person.shown = person.shown, person.showing
        if before == person.shown:
            return
        self._looks |= person.view
        if before.asleep or before.talking:
            self._looks.add(person.number)

    def _next(self) -> None:
        """Move on by a step, or to the next step at which something happens."""
        self._step += 1
        if self._walkers:
            self._move()
        elif not self._looks:
            self._step = max(self._step, self._due[0][0] if self._due else self._steps)

    def _move(self) -> None:
        moved = []
        for person in self._walkers.values():
            if person.move_to(self._step):
                self._whereabouts.put(person.number, person.tile, person.arena)
                moved.append(person)
        for person in moved:
            self._look_around(person)

    def _look_around(self, person: Person) -> None:
        """Who comes into view looks, and is looked at."""
        view = frozenset(self._whereabouts.near(person.number))
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


def together(person: Person, people: Iterable[Person]) -> set[int]:
    """The numbers of all whom this person sees, whom those see, and so on; its own included."""
    everybody = tuple(people)
    found = {person.number}
    waiting = [person]
    while waiting:
        for number in waiting.pop().view:
            if number not in found:
                found.add(number)
                waiting.append(everybody[number])
    return found
