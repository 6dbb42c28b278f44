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

from sociolab.town.blocking import NEVER, Flags, Gaps, Steps
from sociolab.town.conversation import Talk
from sociolab.town.perception import sees
from sociolab.town.person import Person
from sociolab.town.places import Tile
from sociolab.town.round import Round, Thread, Woken
from sociolab.town.surroundings import Surroundings
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
        self._gaps = Gaps(count, around.paths, self._radius)
        self._fronts = [_Front(person) for person in self._people]
        for front in self._fronts:
            self._gaps.put(front.person.number, front.tiles, front.arenas)
        self._own: Steps = np.zeros(count, np.int64)
        self._least: Steps = np.zeros(count, np.int64)
        self._flying: Flags = np.zeros(count, np.bool_)
        self._frozen: Flags = np.ones(count, np.bool_)
        self._meets: Steps = np.full((count, count), NEVER, np.int64)
        self._looks: set[int] = set()
        self._talks: dict[int, Talk] = {}

    @property
    def lived(self) -> int:
        """The step before which everything is settled for everybody."""
        return min(int(self._least.min()), self._steps)

    def ready(self) -> list[Round]:
        """A round for all who may live their next step, the earliest first."""
        mine = np.where(self._frozen, self._own, np.minimum(self._own, self._meets.min(axis=1)))
        self._least = self._gaps.earliest(mine, self._frozen | self._flying)
        # Where something earlier cannot be ruled out, the next step is not known.
        known = (self._least == mine) & ~self._flying & (mine < self._steps)
        numbers = np.flatnonzero(known)
        rounds = []
        for number in numbers[np.argsort(mine[numbers], kind="stable")].tolist():
            if not self._flying[number]:
                step = int(mine[number])
                group = self._together(number, step)
                if group is not None:
                    rounds.append(self._round(step, sorted(group)))
        return rounds

    def over(self, round: Round) -> None:
        """What was decided takes effect for all who lived this step."""
        for talk in round.talks:
            self._talks[talk.starter.number] = self._talks[talk.other.number] = talk
        for person in round.members:
            if person.showing is not person.shown:
                self._show(person)
        for person in round.members:
            self._go_on(person, round.step)
        for person in round.members:
            self._foresee(person.number)

    # -------------------------------------------------------------- who lives a step together

    def _together(self, number: int, step: int) -> set[int] | None:
        """All in view of each other at this step; None while somebody else might be."""
        found = {number}
        waiting = [number]
        behind = self._least < step
        while waiting:
            one = waiting.pop()
            gap = self._gaps.gap[:, one]
            if (behind & (self._least + gap <= step)).any():
                return None
            for other in np.flatnonzero(gap == 0).tolist():
                if other not in found and not behind[other] and self._sees(one, other, step):
                    found.add(other)
                    waiting.append(other)
        return found

    def _sees(self, one: int, other: int, step: int) -> bool:
        mine, its = self._fronts[one], self._fronts[other]
        # Whoever has lived a later step was out of view: else it would have waited.
        if step < its.since:
            return False
        return sees(*mine.at(step), *its.at(step), self._radius)

    def _round(self, step: int, group: Sequence[int]) -> Round:
        members = [self._people[number] for number in group]
        woken = []
        for person in members:
            one = self._woken(person, step)
            if one is not None:
                woken.append(one)
        for person in members:
            self._stand(person, step)
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
        looks = number in self._looks or bool((self._meets[number] == step).any())
        self._looks.discard(number)
        person.step = step
        if person.busy_until is not None:
            if person.busy_until > step:
                return None
            person.busy_until = None
            return Woken(person, self._talks.pop(number))
        if person.until <= step or (looks and not person.shown.asleep):
            return Woken(person, looks=looks)
        return None

    def _stand(self, person: Person, step: int) -> None:
        """From now on nothing is certain of a person but where it is at this step."""
        number, front = person.number, self._fronts[person.number]
        person.tile, person.arena = front.at(step)
        if len(front.tiles) > 1:
            self._gaps.put(number, (person.tile,), (person.arena,))
        self._own[number] = step
        self._flying[number] = True
        self._meets[number, :] = self._meets[:, number] = NEVER

    # -------------------------------------------------------------- what comes next

    def _show(self, person: Person) -> None:
        """As in lock-step: who sees somebody begin something looks, and so does who wakes."""
        before, person.shown = person.shown, person.showing
        if before == person.shown:
            return
        self._looks |= person.view
        if before.asleep or before.talking:
            self._looks.add(person.number)

    def _go_on(self, person: Person, step: int) -> None:
        """The way from here, and the step at which the life goes on if nobody comes near."""
        number, front = person.number, self._fronts[person.number]
        self._flying[number] = False
        front.start(step)
        if len(front.tiles) > 1:
            self._gaps.put(number, front.tiles, front.arenas)
        frozen = person.shown.asleep or person.busy_until is not None
        self._frozen[number] = frozen
        self._own[number] = person.until if person.busy_until is None else person.busy_until
        if frozen:
            self._looks.discard(number)
        elif number in self._looks:
            self._own[number] = step + 1

    def _foresee(self, number: int) -> None:
        """The steps at which this one and each other come into view, if both go on as they do."""
        gap = self._gaps.gap
        for other in np.flatnonzero((gap[number] == 0) & (gap[:, number] == 0)).tolist():
            meets = NEVER if self._flying[other] else self._meeting(number, other)
            self._meets[number, other] = self._meets[other, number] = meets

    def _meeting(self, one: int, other: int) -> int:
        mine, its = self._fronts[one], self._fronts[other]
        last = min(max(mine.end, its.end), int(self._own[one]), int(self._own[other]))
        step = max(mine.since, its.since)
        before = step < last and self._sees(one, other, step)
        while step < last:
            step += 1
            now = self._sees(one, other, step)
            if now and not before:
                return step
            before = now
        return NEVER


class _Front:
    """Where a person is from a step on: `tiles` are those of its walk, one a step, then the last.

    `end` is the step from which it stays. Kept beside the person's own walk, of which the trace
    takes what is told.
    """

    __slots__ = ("arenas", "end", "person", "since", "tiles")

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

    def at(self, step: int) -> tuple[Tile, int]:
        """Tile and arena at a step, if nothing comes between."""
        gone = min(step, self.end) - self.since
        return self.tiles[gone], self.arenas[gone]
