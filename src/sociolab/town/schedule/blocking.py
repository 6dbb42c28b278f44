"""How soon anybody could come into anybody's view: the light cones of AI Metropolis, with walls.

A resident moves one tile a step. So whoever acts at step u is in view of another at step t only if
t - u is at least their gap, the larger of
- the columns between them less the radius, and the rows less the radius, together (where there are
  more): one sees as far in both directions at once, but walks a step in one of them at a time;
- the walk into the arena in which the other is, since only those in the same arena see each other.
Both are less than the truth or equal to it. arXiv 2411.03519 takes the distance less the radius.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.places import Tile

NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""
OUTDOORS: Final = -1

Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Table: TypeAlias = npt.NDArray[np.int32]


class Gaps:
    """Where everybody stays or walks, as known, and how soon anybody else could be in view."""

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

    def put(self, who: int, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """From this step on, a resident is on these tiles, one a step, and then on the last."""
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
            walk.put(who, (x, y), self._radius)
        if len(tiles) > 1:
            walk = self._walks[who] = _Walk(since, tiles, arenas, self._paths)
            walk.starts = walk.starts_from(self._x, self._y, self._radius)
            walk.starts[:, who] = -NEVER

    def near(self, who: int) -> Flags:
        """[residents]: whose ways, as known, may come into view of this one's.

        Where neither walks, those in view.
        """
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
        """[who comes, who is come upon]: the first step at which one could be in view of the other.

        Everybody keeps to the known way until `least`, and the other one beyond; whether two see
        each other who both keep to their ways is not told, nor anything of who is come upon on a
        walk and is `closed`.
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
        """[residents]: gaps, walls left out, between the boxes around the known ways."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        across = np.maximum(left - east, west - right)
        down = np.maximum(top - south, north - bottom)
        apart: Steps = _steps_between(across, down, self._radius)
        return apart


class _Walk:
    """A walk that is known: at step since + i at tiles[i]; from `end` on at the last of them.

    `starts` is [tiles, residents]: the last step at which each can set out, from where it is in the
    end, to be in view of the walk by the time that it is at this tile.
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
        """Where the walk is at a step before its end."""
        return self._tiles[max(0, step - self.since)]

    def starts_from(self, x: Steps, y: Steps, radius: int) -> Steps:
        """[tiles of the walk, others], as `starts`, from these tiles."""
        columns, rows = abs(self._x[:, None] - x), abs(self._y[:, None] - y)
        into = np.array([table[y, x] for table in self._into], np.int64)[self._kind]
        gaps = np.maximum(_steps_between(columns, rows, radius), into)
        return np.maximum.accumulate(self._times[:, None] - gaps, axis=0)

    def early(self, tile: Tile, radius: int) -> list[int]:
        """[tiles of the walk], as `starts`, from a tile at which another is on its way."""
        found = self._early.get(tile)
        if found is None:
            x, y = np.array([tile]).T
            found = self._early[tile] = self.starts_from(x, y, radius)[:, 0].tolist()
        return found

    def put(self, other: int, tile: Tile, radius: int) -> None:
        """Another goes elsewhere, to stay on this tile in the end."""
        self.starts[:, other] = self.early(tile, radius)


def _steps_between(columns: Any, rows: Any, radius: int) -> Any:
    """Steps until one who is so far away sees the other, if there were no walls."""
    return np.maximum(columns - radius, 0) + np.maximum(rows - radius, 0)
