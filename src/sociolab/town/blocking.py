"""How soon anybody could come into anybody's view: the light cones of AI Metropolis, with walls.

A resident moves one tile a step. So whoever acts at step u is in view of another at step t only if
t - u is at least the number of steps to walk to a tile from which the other is seen: their gap.
Of one who stays on a tile it is known exactly, by a breadth-first search from all such tiles. Of
one who is on a walk a lower bound is taken at each tile of it, the larger of
- the columns between them less the radius, and the rows less the radius, together (where there are
  more): one sees as far in both directions at once, but walks a step in one of them at a time;
- the walk into the arena in which the other is, since only those in the same arena see each other.
arXiv 2411.03519 takes distances less the radius, and no walls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.town.flood import flood
from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.places import Tile

NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""
_FAR: Final = 32_000
_KEPT: Final = 64 * 2**20

Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Table: TypeAlias = npt.NDArray[np.int16]


class Gaps:
    """Where everybody stays or walks, as known, and how soon anybody else could be in view."""

    def __init__(self, count: int, town: TownMap, paths: Paths, radius: int) -> None:
        self._lookouts = Lookouts(town, radius)
        self._paths = paths
        self._radius = radius
        # Of everybody, where they are at the end of a walk: the tile, and the gap from each tile.
        self._x, self._y, self._arenas = np.zeros((3, count), np.int64)
        self._tables: Table = np.zeros((count, town.height, town.width), np.int16)
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
        self._arenas[who] = arenas[-1]
        self._tables[who] = self._lookouts.table((x, y))
        self._gap[:, who] = self._tables[who, self._y, self._x]
        self._gap[who] = self._tables[:, y, x]
        self._gap[who, who] = NEVER
        self._walks.pop(who, None)
        for walk in self._walks.values():
            walk.forget(who)
            walk.gaps[:, who] = walk.gaps_from(np.array([x]), np.array([y]), self._radius)[:, 0]
        if len(tiles) > 1:
            walk = _Walk(since, tiles, arenas, self._paths)
            walk.gaps = walk.gaps_from(self._x, self._y, self._radius)
            self._walks[who] = walk

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
            arrivals = self.arrivals(least)
            come = arrivals.min(axis=0)
            come[closed] = NEVER
            lower = np.minimum(least, come)
            if (lower == least).all():
                return least, arrivals
            least = lower

    def arrivals(self, least: Steps) -> Steps:
        """[who comes, who is come upon]: the first step at which one could be in view of the other.

        Everybody keeps to the known way until `least`, and the other one beyond; whether two see
        each other who both keep to their ways is not told.
        """
        arrivals: Steps = least[:, None] + self._gap
        steps = {who: int(least[who]) for who, walk in self._walks.items() if least[who] < walk.end}
        if steps:
            numbers = list(steps)
            x, y = np.array([self._walks[who].at(step) for who, step in steps.items()]).T
            arrivals[numbers] = least[numbers, None] + self._tables[:, y, x].T
        for who, walk in self._walks.items():
            late = np.maximum(arrivals[:, who], walk.end)
            early = np.flatnonzero(least + self._apart[who] <= walk.end)
            if len(early):
                meets = least[early] + self._gaps_upon(walk, early, steps) <= walk.times[:, None]
                first = walk.times[meets.argmax(axis=0)]
                late[early] = np.where(meets.any(axis=0), first, late[early])
            arrivals[:, who] = late
        np.fill_diagonal(arrivals, NEVER)
        return arrivals

    def _gaps_upon(self, walk: _Walk, whose: Steps, steps: dict[int, int]) -> Steps:
        """[tiles of the walk, whose]: the gaps from where they are, at these steps if they walk."""
        gaps = walk.gaps[:, whose]
        for place, other in enumerate(whose.tolist()):
            if other in steps:
                tile = self._walks[other].at(steps[other])
                gaps[:, place] = walk.gaps_from_early(other, tile, self._radius)
        return gaps

    def _boxes_apart(self, who: int) -> Steps:
        """[residents]: gaps, walls left out, between the boxes around the known ways."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        across = np.maximum(left - east, west - right)
        down = np.maximum(top - south, north - bottom)
        apart: Steps = _steps_between(across, down, self._radius)
        return apart


class Lookouts:
    """For each tile, how far it is from anywhere to a tile from which one sees it."""

    def __init__(self, town: TownMap, radius: int) -> None:
        self._town = town
        self._radius = radius
        self._tables: dict[Tile, Table] = {}
        self._most = max(1, _KEPT // (2 * town.height * town.width))

    def table(self, tile: Tile) -> Table:
        """[height, width]: steps; very many where no way leads there."""
        table = self._tables.get(tile)
        if table is None:
            if len(self._tables) >= self._most:
                del self._tables[next(iter(self._tables))]
            table = self._tables[tile] = self._worked_out(tile)
        return table

    def _worked_out(self, tile: Tile) -> Table:
        (x, y), radius, town = tile, self._radius, self._town
        window = (
            slice(max(0, y - radius), y + radius + 1),
            slice(max(0, x - radius), x + radius + 1),
        )
        goals = np.zeros_like(town.walkable)
        goals[window] = town.walkable[window] & (town.arena[window] == town.arena_at(tile))
        counted, _ = flood(town.walkable, goals, _FAR)
        steps = counted.reshape(town.height + 2, -1)[1:-1, :-1].astype(np.int16)
        return np.where(steps > 0, steps - 1, np.int16(_FAR))


class _Walk:
    """A walk that is known: at step times[i] at tiles[i]; from `end` on at the last of them.

    `gaps` is [tiles, residents], from where each is in the end.
    """

    def __init__(
        self, since: int, tiles: Sequence[Tile], arenas: Sequence[int], paths: Paths
    ) -> None:
        self.since = since
        self.end = since + len(tiles) - 1
        self.times: Steps = np.arange(since, since + len(tiles), dtype=np.int64)
        self.gaps: Steps = self.times[:, None]
        self._tiles = tiles
        self._x, self._y = np.array(tiles, np.int64).T
        kinds = list(dict.fromkeys(arenas))
        self._into = [paths.reach(arena) for arena in kinds]
        self._kind = np.array([kinds.index(arena) for arena in arenas])
        self._early: dict[tuple[int, Tile], Steps] = {}

    def at(self, step: int) -> Tile:
        """Where the walk is at a step before its end."""
        return self._tiles[max(0, step - self.since)]

    def gaps_from(self, x: Steps, y: Steps, radius: int) -> Steps:
        """[tiles of the walk, others]: the gaps from these tiles."""
        columns, rows = abs(self._x[:, None] - x), abs(self._y[:, None] - y)
        into = np.array([table[y, x] for table in self._into], np.int64)[self._kind]
        gaps: Steps = np.maximum(_steps_between(columns, rows, radius), into)
        return gaps

    def gaps_from_early(self, other: int, tile: Tile, radius: int) -> Steps:
        """[tiles of the walk]: the gaps from where another is on a walk."""
        found = self._early.get((other, tile))
        if found is None:
            x, y = np.array([tile]).T
            found = self._early[other, tile] = self.gaps_from(x, y, radius)[:, 0]
        return found

    def forget(self, other: int) -> None:
        """Another goes elsewhere."""
        self._early = {key: gaps for key, gaps in self._early.items() if key[0] != other}


def _steps_between(columns: Any, rows: Any, radius: int) -> Any:
    """Steps until one who is so far away sees the other, if there were no walls."""
    return np.maximum(columns - radius, 0) + np.maximum(rows - radius, 0)
