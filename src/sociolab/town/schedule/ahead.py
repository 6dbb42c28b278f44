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

import numpy as np

from sociolab.town.life.conversation import Talk
from sociolab.town.life.person import Person
from sociolab.town.life.surroundings import Surroundings
from sociolab.town.perception import sees
from sociolab.town.places import Tile
from sociolab.town.schedule.blocking import NEVER, Flags, Gaps, Steps
from sociolab.town.schedule.round import Round, Thread, Woken
from sociolab.town.thoughts import Thought


class Ahead:
    """Lives the same as `LockStep`, in another order."""

    def __init__(self, around: Surroundings, ask: Callable[[Thread, Thought], None]) -> None:
        self._around = around
        self._ask = ask
        self._people = around.people
        self._steps = around.setting.steps
        self._radius = around.rules.radius
        count = len(self._people)
        self._gaps = Gaps(count, around.town, around.paths, self._radius)
        self._fronts = [_Front(person) for person in self._people]
        # When each life goes on by itself, and when each looks, as far as that is known.
        self._goes: Steps = np.zeros(count, np.int64)
        self._flag: Steps = np.full(count, NEVER, np.int64)
        self._meets: Steps = np.full((count, count), NEVER, np.int64)
        self._near: Flags = np.zeros((count, count), np.bool_)
        self._frozen: Flags = np.ones(count, np.bool_)
        self._open: Flags = np.zeros(count, np.bool_)
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
        closed = self._frozen | self._open
        look = np.minimum(self._flag, self._meets.min(axis=1))
        own = np.where(closed, self._goes, np.minimum(self._goes, look))
        least, arrivals = self._gaps.earliest(own, closed)
        self._lived = int(least.min())
        # Whose step is later than the least step may be woken before it.
        numbers = np.flatnonzero((own == least) & ~self._open & (own < self._steps))
        rounds = []
        for number in numbers[np.argsort(own[numbers], kind="stable")].tolist():
            if not self._open[number]:
                step = int(own[number])
                group = self._together(number, step, least, arrivals)
                if group is not None:
                    rounds.append(self._round(step, sorted(group)))
        return rounds

    def over(self, round: Round) -> None:
        """What was decided takes effect for all who lived this step."""
        for talk in round.talks:
            self._talks[talk.starter.number] = self._talks[talk.other.number] = talk
        for person in round.members:
            if person.showing is not person.shown:
                self._show(person, round.step)
        for person in round.members:
            self._go_on(person, round.step)
        for person in round.members:
            self._foresee(person.number)

    # -------------------------------------------------------------- who lives a step together

    def _together(self, number: int, step: int, least: Steps, arrivals: Steps) -> set[int] | None:
        """All in view of each other at this step; None while somebody else might be."""
        found = {number}
        waiting = [number]
        behind = least < step
        while waiting:
            one = waiting.pop()
            if (arrivals[behind, one] <= step).any():
                return None
            for other in np.flatnonzero(self._near[one] & ~behind).tolist():
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
            self._open[number] = True
            self._meets[number] = self._meets[:, number] = NEVER
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
        if person.goes_on <= step or (looks and not person.shown.asleep):
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
        self._open[number] = False
        self._frozen[number] = person.shown.asleep or person.busy_until is not None
        if self._frozen[number]:
            self._flag[number] = NEVER
        self._goes[number] = person.goes_on
        walked = len(front.tiles) > 1
        front.start(step)
        if walked or len(front.tiles) > 1:
            self._put(front)

    def _put(self, front: _Front) -> None:
        number = front.person.number
        self._gaps.put(number, front.since, front.tiles, front.arenas)
        self._near[number] = self._near[:, number] = self._gaps.near(number)

    def _foresee(self, number: int) -> None:
        """When this one and others come into view of each other, if all go on as they do."""
        self._meets[number] = self._meets[:, number] = NEVER
        for other in np.flatnonzero(self._near[number] & ~self._open).tolist():
            meets = self._meeting(number, other)
            self._meets[number, other] = self._meets[other, number] = meets

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
