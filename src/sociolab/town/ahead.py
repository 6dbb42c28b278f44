"""Each resident at its own step: nobody waits for those who cannot matter to them.

Rules as in AI Metropolis (arXiv 2411.03519, section 3), with walls and ways made use of. Everybody
has a front: the last step that is lived, and from there what is bound to come if nobody comes near:
staying on a tile or going on with a walk, until the step at which its life goes on by itself.

- Whoever sees each other at a step, and those whom they see, live it together, in one `Round`.
- They live it when it is certain that nobody else is in view of any of them by then: everybody
  else is known to be elsewhere at that step, or acts too late to be near by then (`Gaps`).
- Whoever sleeps or is in a talk is not acted upon before that is over: a sleeper notices nothing,
  nobody speaks to either, and neither leaves its tile.
- Steps at which nothing happens to a resident are leapt over, also for those who look on: two
  ways on which nobody interferes meet where they meet.
- The earliest step first; it can always be lived, since nobody is behind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from sociolab.town.blocking import NEVER, Flags, Gaps, Steps
from sociolab.town.conversation import Talk
from sociolab.town.perception import sees
from sociolab.town.person import Person
from sociolab.town.places import Tile
from sociolab.town.round import Round, Thread, Woken
from sociolab.town.staying import OUTSIDE, Arenas, kept_in
from sociolab.town.surroundings import Surroundings
from sociolab.town.thoughts import Decompose, RateImportance, Reflect, Thought

QUIET: Final = (Decompose, RateImportance, Reflect)
"""Questions in a block of which the place is chosen: whatever the answer, it is done there."""


class Ahead:
    """Lives the same as `LockStep`, in another order."""

    def __init__(self, around: Surroundings, ask: Callable[[Thread, Thought], None]) -> None:
        self._around = around
        self._pass_on = ask
        self._people = around.people
        self._steps = around.setting.steps
        self._radius = around.rules.radius
        count = len(self._people)
        self._arenas = Arenas(around.town, around.paths)
        self._gaps = Gaps(count, self._arenas, self._radius)
        self._fronts = [_Front(person) for person in self._people]
        # When each life goes on by itself, and when each looks, as far as that is known.
        self._goes: Steps = np.zeros(count, np.int64)
        self._flag: Steps = np.full(count, NEVER, np.int64)
        self._meets: Steps = np.full((count, count), NEVER, np.int64)
        # Before this step neither of two would speak to the other.
        self._calm: Steps = np.zeros((count, count), np.int64)
        self._near: Flags = np.zeros((count, count), np.bool_)
        self._frozen: Flags = np.ones(count, np.bool_)
        self._held: Flags = np.zeros(count, np.bool_)
        self._acting: Flags = np.zeros(count, np.bool_)
        # The step until which each stays in an arena if nobody interferes; 0 if that is not known.
        self._kept: Steps = np.zeros(count, np.int64)
        self._begun: list[Round] = []
        self._stirring: set[Round] = set()
        self._talks: dict[int, Talk] = {}
        self._lived = 0
        for front in self._fronts:
            self._put(front)

    @property
    def lived(self) -> int:
        """The step before which everything is settled for everybody."""
        return min(self._lived, self._steps)

    def ready(self) -> list[Round]:
        """A round for all who may live their next step, the earliest first."""
        self._release()
        look = np.minimum(self._flag, self._meets.min(axis=1))
        look[self._frozen | self._acting] = NEVER
        least, arrivals = self._bounds(look)
        mine = np.minimum(self._goes, look)
        come = arrivals.min(axis=0)
        come[self._frozen | self._acting] = NEVER
        self._lived = int(np.minimum(mine, come).min())
        could = ~self._held & (mine < self._steps) & ((come >= mine) | self._frozen)
        numbers = np.flatnonzero(could)
        rounds = []
        for number in numbers[np.argsort(mine[numbers], kind="stable")].tolist():
            if not self._held[number]:
                group = self._together(number, mine, least, arrivals)
                if group is not None:
                    rounds.append(self._round(int(mine[number]), sorted(group)))
        self._begun = list(rounds)
        return rounds

    def over(self, round: Round) -> None:
        """What was decided takes effect for all who lived this step."""
        self._stirring.discard(round)
        for talk in round.talks:
            self._talks[talk.starter.number] = self._talks[talk.other.number] = talk
        for person in round.members:
            if person.showing is not person.shown:
                self._show(person, round.step)
        for person in round.members:
            self._go_on(person, round.step)
        for person in round.members:
            self._foresee(person)

    def _ask(self, thread: Thread, question: Thought) -> None:
        if not isinstance(question, QUIET):
            self._stirring.add(thread.round)
        self._pass_on(thread, question)

    # -------------------------------------------------------------- what is certain

    def _release(self) -> None:
        """Of the rounds that have begun, who only looks goes on as before, whatever comes of it."""
        for round in self._begun:
            for person in round.members:
                number = person.number
                if self._held[number] and number not in round.acting:
                    self._acting[number] = False
                    self._goes[number] = _goes_on(person)
                    self._keep(person, round.step)
                elif self._held[number] and not round.greets and round not in self._stirring:
                    self._keep(person, round.step)
        self._begun = []

    def _bounds(self, look: Steps) -> tuple[Steps, Steps]:
        """The step before which each certainly does not act, and the arrivals that follow."""
        closed = self._frozen | self._acting
        least, until = self._goes, self._kept
        while True:
            stays = (until > 0) & (least >= self._goes)
            arrivals = self._gaps.arrivals(least, until, stays)
            come = np.minimum(look, arrivals.min(axis=0))
            acts = np.maximum(come, self._moved(np.where(self._near, 0, arrivals)))
            acts[closed] = NEVER
            lower = np.minimum(least, acts)
            sooner = until
            if stays.any():
                entries = self._gaps.entries(least, until, stays)
                enter = np.maximum(entries.min(axis=0), self._moved(entries))
                sooner = np.minimum(until, np.maximum(enter, self._goes))
            if (lower == least).all() and (sooner == until).all():
                return least, arrivals
            least, until = lower, sooner

    def _moved(self, present: Steps) -> Steps:
        """[residents]: when each could first speak or be spoken to, others being `present` then."""
        moved: Steps = np.maximum(self._calm, present).min(axis=0)
        return moved

    # -------------------------------------------------------------- who lives a step together

    def _together(self, number: int, mine: Steps, least: Steps, arrivals: Steps) -> set[int] | None:
        """All in view of each other at this one's step; None while somebody else might be."""
        step = int(mine[number])
        found = {number}
        waiting = [number]
        behind = least < step
        while waiting:
            one = waiting.pop()
            if self._held[one] or mine[one] < step or (arrivals[behind, one] <= step).any():
                return None
            for other in np.flatnonzero(self._near[one]).tolist():
                if other not in found and self._sees(one, other, step):
                    found.add(other)
                    waiting.append(other)
        return found

    def _sees(self, one: int, other: int, step: int) -> bool:
        """Of two who are near, as known: whether they see each other at this step."""
        mine, its = self._fronts[one], self._fronts[other]
        # Whoever has lived a later step was out of view: else it would have waited.
        if step < its.since:
            return False
        if mine.end == mine.since and its.end == its.since:
            return True
        return sees(*mine.at(step), *its.at(step), self._radius)

    def _round(self, step: int, group: Sequence[int]) -> Round:
        members = [self._people[number] for number in group]
        woken = [one for one in [self._woken(person, step) for person in members] if one]
        for person in members:
            number = person.number
            person.tile, person.arena = self._fronts[number].at(step)
            self._goes[number] = step
            self._kept[number] = 0
            self._held[number] = self._acting[number] = True
        for person in members:
            person.view = frozenset(
                other.number
                for other in members
                if other is not person
                and sees(person.tile, person.arena, other.tile, other.arena, self._radius)
            )
        return Round(step, members, woken, self._around, self._ask)

    def _woken(self, person: Person, step: int) -> Woken | None:
        number = person.number
        looks = bool(self._flag[number] == step or (self._meets[number] == step).any())
        self._flag[number] = NEVER
        person.step = step
        if person.busy_until is not None:
            if person.busy_until > step:
                return None
            person.busy_until = None
            return Woken(person, self._talks.pop(number))
        if person.until <= step or (looks and not person.shown.asleep):
            return Woken(person, looks=looks)
        return None

    # -------------------------------------------------------------- what comes next

    def _show(self, person: Person, step: int) -> None:
        """As in lock-step: who sees somebody begin something looks, and so does who wakes."""
        before, person.shown = person.shown, person.showing
        if before == person.shown:
            return
        for number in person.view:
            self._flag[number] = step + 1
        if before.asleep or before.talking:
            self._flag[person.number] = step + 1

    def _go_on(self, person: Person, step: int) -> None:
        """The way from here, and the step at which the life goes on if nobody comes near."""
        number, front = person.number, self._fronts[person.number]
        self._held[number] = self._acting[number] = False
        self._frozen[number] = person.shown.asleep or person.busy_until is not None
        if self._frozen[number]:
            self._flag[number] = NEVER
        self._goes[number] = _goes_on(person)
        self._kept[number] = 0
        still = len(front.tiles) == 1
        front.start(step)
        if not still or len(front.tiles) > 1:
            self._put(front)
        if not self._frozen[number]:
            self._keep(person, step)

    def _keep(self, person: Person, step: int) -> None:
        """How long the plan keeps a person where it is, or where its walk ends."""
        front, number = self._fronts[person.number], person.number
        self._kept[number] = 0
        place, until = kept_in(person, step, self._around.clock)
        arena = front.arenas[-1]
        found = self._around.town.place(place) if place else None
        here = found is not None and self._around.town.places[arena] == found
        # Who does not arrive before the life goes on may turn to another spot on the way.
        arrives = front.end <= self._goes[number]
        if arena != OUTSIDE and here and arrives and self._arenas.closed(arena):
            self._kept[number] = until
            self._gaps.keep(number, arena)

    def _put(self, front: _Front) -> None:
        number = front.person.number
        self._gaps.put(number, front.since, front.tiles, front.arenas)
        self._near[number] = self._near[:, number] = self._gaps.near(number)

    def _foresee(self, person: Person) -> None:
        """When this one and others come into view, if both go on as they do; whom it spoke to."""
        number = person.number
        self._meets[number] = self._meets[:, number] = NEVER
        for other in np.flatnonzero(self._near[number] & ~self._acting).tolist():
            meets = self._meeting(number, other)
            self._meets[number, other] = self._meets[other, number] = meets
        for other in person.view:
            calm = min(
                self._quiet(person, self._people[other]), self._quiet(self._people[other], person)
            )
            self._calm[number, other] = self._calm[other, number] = calm

    def _quiet(self, person: Person, other: Person) -> int:
        """The step before which a person will not speak to another for what was before."""
        minutes, rules = self._around.clock.minutes, self._around.rules
        spoke = person.last_talk.get(other.number, -NEVER) + minutes(rules.cooldown)
        asked = person.last_asked.get(other.number, -NEVER) + minutes(rules.patience)
        return max(0, spoke, asked)

    def _meeting(self, one: int, other: int) -> int:
        mine, its = self._fronts[one], self._fronts[other]
        last = min(max(mine.end, its.end), int(self._goes[one]), int(self._goes[other]))
        steps = np.arange(max(mine.since, its.since), last + 1)
        if len(steps) < 2:
            return NEVER
        x, y, arena = mine.along(steps)
        its_x, its_y, its_arena = its.along(steps)
        radius = self._radius
        sees = (arena == its_arena) & (abs(x - its_x) <= radius) & (abs(y - its_y) <= radius)
        gains = sees[1:] & ~sees[:-1]
        return int(steps[1 + gains.argmax()]) if gains.any() else NEVER


def _goes_on(person: Person) -> int:
    """The step at which a person's life goes on by itself."""
    return person.until if person.busy_until is None else person.busy_until


class _Front:
    """Where a person is from a step on: `tiles` are those of its walk, one a step, then the last.

    `end` is the step from which it stays. Kept beside the person's own walk, of which the trace
    takes what is told.
    """

    __slots__ = ("_columns", "arenas", "end", "person", "since", "tiles")

    def __init__(self, person: Person) -> None:
        self.person = person
        self.start(0)

    def start(self, step: int) -> None:
        """From this step on, as the person is now."""
        person = self.person
        self.tiles: tuple[Tile, ...] = (person.tile,)
        if person.path:
            self.tiles = person.way[step - person.way_from :]
        self.arenas = tuple([person.town.arena_at(tile) for tile in self.tiles])
        self.since = step
        self.end = step + len(self.tiles) - 1
        self._columns: Steps | None = None

    def at(self, step: int) -> tuple[Tile, int]:
        """Tile and arena at a step, if nothing comes between."""
        gone = min(step, self.end) - self.since
        return self.tiles[gone], self.arenas[gone]

    def along(self, steps: Steps) -> Steps:
        """[x, y and arena, steps], the same."""
        if self._columns is None:
            x, y = zip(*self.tiles, strict=True)
            self._columns = np.array((x, y, self.arenas), np.int64)
        return self._columns[:, np.minimum(steps, self.end) - self.since]
