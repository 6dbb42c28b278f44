"""Each resident at its own step: nobody waits for those who cannot affect them.

Rules as in AI Metropolis (arXiv 2411.03519, section 3), but using walls and paths. Everybody has a
front: the last step that is settled, and what follows from it if nobody comes near: staying on a
tile or going on with a walk, until the step at which the life goes on by itself.

- Residents who see each other at a step, and those whom they see, live it together, in one `Round`.
- They live it when it is certain that nobody else is in view of any of them by then: everybody else
is known to be elsewhere at that step, or acts too late to be near by then (`Gaps`).
- Nobody acts upon a sleeper, or upon somebody in a talk before it is over: a sleeper notices
nothing, nobody speaks to either, and neither leaves its tile.
- Steps at which nothing happens to a resident are skipped, also for those who look on: two walks
that nobody disturbs meet where they meet.
- The earliest step first; it can always be lived, since nobody is behind.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.town.life import Talk
from sociolab.town.lockstep import Round, Thread, Woken
from sociolab.town.map import Tile, TownMap
from sociolab.town.paths import Paths
from sociolab.town.person import Person, Surroundings, in_view, sees
from sociolab.town.questions import MindQuestion


class OutOfOrder:
    """Produces the same trace as `LockStep`, in another order."""

    def __init__(
        self, around: Surroundings, ask: Callable[[Thread, MindQuestion[Any]], None]
    ) -> None:
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
        self._settled_until = 0
        for front in self._fronts:
            self._update_gaps(front)

    @property
    def settled_until(self) -> int:
        """The step before which everything is settled for everybody."""
        return min(self._settled_until, self._steps)

    def ready(self) -> list[Round]:
        """A round for each group that may live its next step, the earliest first."""
        closed = self._frozen | self._open
        look = np.minimum(self._flag, self._meets.min(axis=1))
        own = np.where(closed, self._goes, np.minimum(self._goes, look))
        least, arrivals = self._gaps.earliest(own, closed)
        self._settled_until = int(least.min())
        # Whose step is later than the least step may be woken before it.
        numbers = np.flatnonzero((own == least) & ~self._open & (own < self._steps))
        rounds = []
        for number in numbers[np.argsort(own[numbers], kind="stable")].tolist():
            if not self._open[number]:
                step = int(own[number])
                group = self._group_at(number, step, least, arrivals)
                if group is not None:
                    rounds.append(self._round(step, sorted(group)))
        return rounds

    def over(self, round: Round) -> None:
        """Put into effect what was decided, for all who lived this step."""
        for talk in round.talks:
            self._talks[talk.starter.number] = self._talks[talk.other.number] = talk
        for person in round.members:
            if person.next_appearance is not person.appearance:
                self._reveal(person, round.step)
        for person in round.members:
            self._go_on(person, round.step)
        for person in round.members:
            self._foresee(person.number)

    # -------------------------------------------------------------- who lives a step together

    def _group_at(self, number: int, step: int, least: Steps, arrivals: Steps) -> set[int] | None:
        """All in view of each other at this step; None while somebody else might be."""
        group = {number}
        waiting = [number]
        behind = least < step
        while waiting:
            who = waiting.pop()
            if (arrivals[behind, who] <= step).any():
                return None
            for other in np.flatnonzero(self._near[who] & ~behind).tolist():
                if other in group or not self._sees(who, other, step):
                    continue
                if not self._open[other]:
                    group.add(other)
                    waiting.append(other)
                elif self._goes[other] < step:
                    return None  # opened just now, at an earlier step: that must be over first
                # Whoever lives a later step just now is not needed for this one.
        return group

    def _sees(self, who: int, other: int, step: int) -> bool:
        """Whether two who are near by their known paths see each other at this step."""
        own, its = self._fronts[who], self._fronts[other]
        # Whoever has lived a later step was out of view: else it would have waited.
        if step < its.since:
            return False
        if own.end == own.since and its.end == its.since:
            return True
        return sees(*own.at(step), *its.at(step), self._radius)

    def _round(self, step: int, group: Sequence[int]) -> Round:
        members = [self._people[number] for number in group]
        woken = [each for each in [self._woken(person, step) for person in members] if each]
        for person in members:
            number = person.number
            person.tile, person.arena = self._fronts[number].at(step)
            self._goes[number] = step
            self._open[number] = True
            self._meets[number] = self._meets[:, number] = NEVER
        for person in members:
            person.view = in_view(person, members, self._radius)
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
        if person.goes_on <= step or (looks and not person.appearance.asleep):
            return Woken(person, looks=looks)
        return None

    # -------------------------------------------------------------- what comes next

    def _reveal(self, person: Person, step: int) -> None:
        """As in lock-step: whoever sees somebody begin something looks, and so does
        whoever wakes."""
        before, person.appearance = person.appearance, person.next_appearance
        if before == person.appearance:
            return
        for number in person.view:
            self._flag[number] = step + 1
        if before.asleep or before.talking:
            self._flag[person.number] = step + 1

    def _go_on(self, person: Person, step: int) -> None:
        """Work out the path from here, and the step at which the life goes on if nobody
        comes near."""
        number, front = person.number, self._fronts[person.number]
        self._open[number] = False
        self._frozen[number] = person.appearance.asleep or person.busy_until is not None
        if self._frozen[number]:
            self._flag[number] = NEVER
        self._goes[number] = person.goes_on
        walked = len(front.tiles) > 1
        front.start(step)
        if walked or len(front.tiles) > 1:
            self._update_gaps(front)

    def _update_gaps(self, front: _Front) -> None:
        number = front.person.number
        self._gaps.set_path(number, front.since, front.tiles, front.arenas)
        self._near[number] = self._near[:, number] = self._gaps.near(number)

    def _foresee(self, number: int) -> None:
        """When this resident and others come into view of each other, if all go on as they do."""
        self._meets[number] = self._meets[:, number] = NEVER
        for other in np.flatnonzero(self._near[number] & ~self._open).tolist():
            meets = self._meeting_step(number, other)
            self._meets[number, other] = self._meets[other, number] = meets

    def _meeting_step(self, who: int, other: int) -> int:
        own, its = self._fronts[who], self._fronts[other]
        last = min(max(own.end, its.end), int(self._goes[who]), int(self._goes[other]))
        steps = np.arange(max(own.since, its.since), last + 1)
        if len(steps) < 2:
            return NEVER
        x, y, arena = own.along(steps)
        its_x, its_y, its_arena = its.along(steps)
        radius = self._radius
        sees = (arena == its_arena) & (abs(x - its_x) <= radius) & (abs(y - its_y) <= radius)
        gains = sees[1:] & ~sees[:-1]
        return int(steps[1 + gains.argmax()]) if gains.any() else NEVER


NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""

OUTDOORS: Final = -1
Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Table: TypeAlias = npt.NDArray[np.int32]


class Gaps:
    """Where everybody is known to stay or walk, and how soon anybody else could be in view.

    These are the light cones of AI Metropolis, with walls. A resident moves one tile a step. So
    whoever acts at step u is in view of another at step t only if t - u is at least their gap, the
    larger of
    - the columns between them less the radius, and the rows less the radius, together (where there
    are more): one sees as far in both directions at once, but walks in one of them at a time;
    - the walk into the other's arena, since only those in the same arena see each other.
    Both are lower bounds. arXiv 2411.03519 takes the distance less the radius.
    """

    def __init__(self, count: int, town: TownMap, paths: Paths, radius: int) -> None:
        self._paths = paths
        self._radius = radius
        # Of everybody, where they are at the end of a walk, and the walk there from each tile.
        self._x, self._y, self._arenas = np.full((3, count), OUTDOORS, np.int64)
        self._into: Table = np.zeros((count, town.height, town.width), np.int32)
        self._into[:] = paths.reach(OUTDOORS)
        # [who comes, who is come upon]: the gap from such a tile to such a tile.
        self._gap: Steps = np.full((count, count), NEVER, np.int64)
        # Of the whole way: least x, least y, most x, most y; and what is between, at least.
        self._box: Steps = np.zeros((4, count), np.int64)
        self._apart: Steps = np.zeros((count, count), np.int64)
        self._still: Flags = np.ones(count, np.bool_)
        self._walks: dict[int, _Walk] = {}

    def set_path(self, who: int, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """From this step on, a resident is on these tiles, one a step, and then stays on
        the last."""
        columns, rows = zip(*tiles, strict=True)
        self._box[:, who] = min(columns), min(rows), max(columns), max(rows)
        self._apart[who] = self._apart[:, who] = self._boxes_apart(who)
        self._still[who] = len(tiles) == 1
        self._x[who], self._y[who] = x, y = tiles[-1]
        if self._arenas[who] != arenas[-1]:
            self._arenas[who] = arenas[-1]
            self._into[who] = self._paths.reach(arenas[-1])
        between = _steps_between(abs(self._x - x), abs(self._y - y), self._radius)
        self._gap[:, who] = np.maximum(between, self._into[who, self._y, self._x])
        self._gap[who] = np.maximum(between, self._into[:, y, x])
        self._gap[who, who] = NEVER
        self._walks.pop(who, None)
        for walk in self._walks.values():
            walk.set_target(who, (x, y), self._radius)
        if len(tiles) > 1:
            walk = self._walks[who] = _Walk(since, tiles, arenas, self._paths)
            walk.starts = walk.starts_from(self._x, self._y, self._radius)
            walk.starts[:, who] = -NEVER

    def near(self, who: int) -> Flags:
        """[residents]: whose known paths may come into view of this one's; where neither walks, who
        is in view."""
        near: Flags = self._apart[who] <= 0
        if self._still[who]:
            near &= ~self._still | (self._arenas == self._arenas[who])
        near[who] = False
        return near

    def earliest(self, own: Steps, closed: Flags) -> tuple[Steps, Steps]:
        """[residents]: a step before which each certainly does nothing that others can notice.

        `own` is the step at which each does something if nobody comes near, `closed` who does
        nothing before that whatever others do. With it, the arrivals that follow.

        It is the greatest solution of `least = min(own, arrivals of the others)`. Suppose that
        somebody does something before its `least`, and that it is the first to. It is not at its
        own step, so another has come into its view, or was in view and did something at that very
        step. That other kept to its known way until its own `least`, as nobody else was earlier,
        and was no faster than a tile a step after that: so it arrived no sooner than was allowed
        for here, which is a contradiction.
        """
        least = own
        while True:
            arrivals = self.arrivals(least, closed)
            come = arrivals.min(axis=0)
            come[closed] = NEVER
            lower = np.minimum(least, come)
            if (lower == least).all():
                return least, arrivals
            least = lower

    def arrivals(self, least: Steps, closed: Flags) -> Steps:
        """[who comes, who is approached]: the first step at which one could be in view of the
        other.

        Everybody keeps to the known path until `least`, and the other one beyond. Nothing is said
        of two who both keep to their paths, nor of somebody who is approached on a walk and is
        `closed`.
        """
        arrivals: Steps = least[:, None] + self._gap
        steps = {who: int(least[who]) for who, walk in self._walks.items() if least[who] < walk.end}
        numbers = np.array(list(steps), np.int64)
        if steps:
            x, y = np.array([self._walks[who].at(step) for who, step in steps.items()]).T
            columns, rows = abs(self._x - x[:, None]), abs(self._y - y[:, None])
            between = _steps_between(columns, rows, self._radius)
            gaps = np.maximum(between, self._into[:, y, x].T)
            arrivals[numbers] = least[numbers, None] + gaps
        for who, walk in self._walks.items():
            if closed[who]:
                continue
            late = np.maximum(arrivals[:, who], walk.end)
            in_time = least <= walk.starts[-1]
            in_time[numbers] = False
            early = least[numbers] + self._apart[who, numbers] <= walk.end
            for other in numbers[early].tolist():
                starts = walk.early(self._walks[other].at(steps[other]), self._radius)
                if other != who and steps[other] <= starts[-1]:
                    late[other] = walk.since + bisect_left(starts, steps[other])
            some = np.flatnonzero(in_time)
            if len(some):
                late[some] = walk.since + (walk.starts[:, some] < least[some]).sum(axis=0)
            arrivals[:, who] = late
        np.fill_diagonal(arrivals, NEVER)
        return arrivals

    def _boxes_apart(self, who: int) -> Steps:
        """[residents]: gaps, without walls, between the boxes around the known paths."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        across = np.maximum(left - east, west - right)
        down = np.maximum(top - south, north - bottom)
        apart: Steps = _steps_between(across, down, self._radius)
        return apart


class _Walk:
    """A known walk: at step since + i on tiles[i], and from `end` on on the last of them.

    `starts` is [tiles, residents]: the last step at which each can set out, from where it ends up,
    to be in view of the walk by the time that it is at this tile.
    """

    def __init__(
        self, since: int, tiles: Sequence[Tile], arenas: Sequence[int], paths: Paths
    ) -> None:
        self.since = since
        self.end = since + len(tiles) - 1
        self._times: Steps = np.arange(since, since + len(tiles), dtype=np.int64)
        self.starts: Steps = self._times[:, None]
        self._tiles = tiles
        self._x, self._y = np.array(tiles, np.int64).T
        kinds = list(dict.fromkeys(arenas))
        self._into = [paths.reach(arena) for arena in kinds]
        self._kind = np.array([kinds.index(arena) for arena in arenas])
        self._early: dict[Tile, list[int]] = {}

    def at(self, step: int) -> Tile:
        """The tile of the walk at a step before its end."""
        return self._tiles[max(0, step - self.since)]

    def starts_from(self, x: Steps, y: Steps, radius: int) -> Steps:
        """[tiles of the walk, others]: as `starts`, for others on these tiles."""
        columns, rows = abs(self._x[:, None] - x), abs(self._y[:, None] - y)
        into = np.array([table[y, x] for table in self._into], np.int64)[self._kind]
        gaps = np.maximum(_steps_between(columns, rows, radius), into)
        return np.maximum.accumulate(self._times[:, None] - gaps, axis=0)

    def early(self, tile: Tile, radius: int) -> list[int]:
        """[tiles of the walk]: as `starts`, from a tile that another passes on a walk."""
        starts = self._early.get(tile)
        if starts is None:
            x, y = np.array([tile]).T
            starts = self._early[tile] = self.starts_from(x, y, radius)[:, 0].tolist()
        return starts

    def set_target(self, other: int, tile: Tile, radius: int) -> None:
        """Another goes elsewhere, and ends up on this tile."""
        self.starts[:, other] = self.early(tile, radius)


def _steps_between(columns: Any, rows: Any, radius: int) -> Any:
    """Steps until somebody that far away sees the other, if there were no walls."""
    return np.maximum(columns - radius, 0) + np.maximum(rows - radius, 0)


class _Front:
    """Where a person is from a step on: one of `tiles` a step, and then on the last.

    `end` is the step from which it stays. Kept apart from the person's own walk, from which the
    trace is recorded.
    """

    __slots__ = ("_columns", "arenas", "end", "person", "since", "tiles")

    def __init__(self, person: Person) -> None:
        self.person = person
        self.start(0)

    def start(self, step: int) -> None:
        person = self.person
        self.tiles: tuple[Tile, ...] = (person.tile,)
        if person.path:
            self.tiles = person.way[step - person.way_from :]
        self.arenas = tuple([person.town.arena_at(tile) for tile in self.tiles])
        self.since = step
        self.end = step + len(self.tiles) - 1
        self._columns: Steps | None = None

    def at(self, step: int) -> tuple[Tile, int]:
        """Tile and arena at a step, if nothing intervenes."""
        elapsed = min(step, self.end) - self.since
        return self.tiles[elapsed], self.arenas[elapsed]

    def along(self, steps: Steps) -> Steps:
        """[x, y and arena; steps]: as `at`, for many steps."""
        if self._columns is None:
            x, y = zip(*self.tiles, strict=True)
            self._columns = np.array((x, y, self.arenas), np.int64)
        return self._columns[:, np.minimum(steps, self.end) - self.since]
