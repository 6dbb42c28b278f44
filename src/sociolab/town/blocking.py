"""How soon anybody could come into anybody's view: the light cones of AI Metropolis, with walls.

A resident moves one tile a step. So whoever acts at step u, standing on some tile, is in view of
another at step t only if t - u is at least
- the columns between them less the radius, and the rows less the radius, together (where there
  are more): one sees as far in both directions at once, but walks a step in one of them at a time;
- the length of the shortest walk into the arena in which the other is, since only those in the same
  arena see each other (arXiv 2411.03519 knows distances only).
The larger of the two is the gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.places import Tile

NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""

Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]


class Gaps:
    """Where everybody stands or walks, as known, and how soon anybody else could be in view."""

    def __init__(self, count: int, town: TownMap, paths: Paths, radius: int) -> None:
        self._paths = paths
        self._radius = radius
        # [who comes, who is come upon]: from tile to tile, where one is at the end of a walk.
        self._gap: Steps = np.full((count, count), NEVER, np.int64)
        self._x, self._y, self._arenas = np.zeros((3, count), np.int64)
        self._box: Steps = np.zeros((4, count), np.int64)
        self._apart: Steps = np.zeros((count, count), np.int64)
        self._still: Flags = np.ones(count, np.bool_)
        self._walks: dict[int, _Walk] = {}
        shape = (len(town.places) + 1, town.height, town.width)
        # The outdoors, arena -1, come last; a table is filled when somebody is there first.
        self._into = np.empty(shape, np.int16)
        self._filled = np.zeros(shape[0], np.bool_)

    def put(self, who: int, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """From this step on, a resident is on these tiles, one a step, and then on the last."""
        for arena in {*arenas}:
            self._fill(arena)
        columns, rows = zip(*tiles, strict=True)
        self._box[:, who] = min(columns), min(rows), max(columns), max(rows)
        self._apart[who] = self._apart[:, who] = self._boxes_apart(who)
        self._x[who], self._y[who] = x, y = tiles[-1]
        self._arenas[who] = arena = arenas[-1]
        self._still[who] = len(tiles) == 1
        apart = self._apart_by(abs(self._x - x), abs(self._y - y))
        self._gap[:, who] = np.maximum(apart, self._into[arena][self._y, self._x])
        self._gap[who, :] = np.maximum(apart, self._into[:, y, x][self._arenas])
        self._gap[who, who] = NEVER
        self._walks.pop(who, None)
        for walk in self._walks.values():
            walk.gaps[:, who] = self._upon(walk, x, y)
            walk.early = {key: gap for key, gap in walk.early.items() if key[0] != who}
        if len(tiles) > 1:
            self._put_walk(who, _Walk(since, tiles, arenas))

    def near(self, who: int) -> Flags:
        """[residents]: whose ways, as known, might come into view of this one's.

        Exact where neither walks.
        """
        near: Flags = self._apart[who] <= 0
        if self._still[who]:
            near &= ~self._still | (self._arenas == self._arenas[who])
        near[who] = False
        return near

    def arrivals(self, least: Steps) -> Steps:
        """[who comes, who is come upon]: the first step at which one could be in view of the other.

        Everybody keeps to the known way until `least`, and the other one beyond; whether two see
        each other who both keep to their ways is not told.
        """
        arrivals: Steps = least[:, None] + self._gap
        steps = {
            who: int(least[who]) for who, walk in self._walks.items() if least[who] < walk.end
        }
        if steps:
            numbers = list(steps)
            tiles = [self._walks[who].at(step) for who, step in steps.items()]
            arrivals[numbers] = least[numbers, None] + self._from(np.array(tiles))
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

    def _boxes_apart(self, who: int) -> Steps:
        """[residents]: gaps, walls left out, between the boxes around the known ways."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        across = np.maximum(left - east, west - right)
        return self._apart_by(across, np.maximum(top - south, north - bottom))

    def _put_walk(self, who: int, walk: _Walk) -> None:
        apart = self._apart_by(
            abs(walk.x[:, None] - self._x), abs(walk.y[:, None] - self._y)
        )
        into = self._into[walk.kinds][:, self._y, self._x][walk.kind]
        walk.gaps = np.maximum(apart, into)
        self._walks[who] = walk

    def _gaps_upon(self, walk: _Walk, whose: Steps, steps: dict[int, int]) -> Steps:
        """[tiles of the walk, whose]: the gaps from where they are, at these steps if they walk."""
        gaps = walk.gaps[:, whose]
        for place, other in enumerate(whose.tolist()):
            if other in steps:
                step = steps[other]
                early = walk.early.get((other, step))
                if early is None:
                    early = self._upon(walk, *self._walks[other].at(step))
                    walk.early[other, step] = early
                gaps[:, place] = early
        return gaps

    def _upon(self, walk: _Walk, x: int, y: int) -> Steps:
        """[tiles of the walk]: the gaps from a tile."""
        apart = self._apart_by(abs(walk.x - x), abs(walk.y - y))
        gaps: Steps = np.maximum(apart, self._into[walk.kinds, y, x][walk.kind])
        return gaps

    def _from(self, tiles: Steps) -> Steps:
        """[tiles, residents]: the gaps from tiles, to where everybody is in the end."""
        x, y = tiles.T
        apart = self._apart_by(abs(self._x - x[:, None]), abs(self._y - y[:, None]))
        gaps: Steps = np.maximum(apart, self._into[self._arenas, y[:, None], x[:, None]])
        return gaps

    def _apart_by(self, columns: Steps, rows: Steps) -> Steps:
        """Steps until one who is so far away sees the other, if there were no walls."""
        radius = self._radius
        return np.maximum(columns - radius, 0) + np.maximum(rows - radius, 0)

    def _fill(self, arena: int) -> None:
        if not self._filled[arena]:
            self._filled[arena] = True
            self._into[arena] = np.minimum(self._paths.reach(arena), np.iinfo(np.int16).max)


class _Walk:
    """A walk that is known: at step times[i] at x[i], y[i]; from `end` on at the last of them.

    `gaps` is [tiles, residents], from where they are in the end; `early` has those from where
    others are earlier on walks of theirs.
    """

    def __init__(self, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        self.tiles = tiles
        self.x, self.y = np.array(tiles, np.int64).T
        self.times: Steps = np.arange(since, since + len(tiles), dtype=np.int64)
        self.since = since
        self.end = since + len(tiles) - 1
        self.kinds = list(dict.fromkeys(arenas))
        self.kind = np.array([self.kinds.index(arena) for arena in arenas])
        self.gaps: Steps = self.times[:, None]
        self.early: dict[tuple[int, int], Steps] = {}

    def at(self, step: int) -> Tile:
        """Where the walk is at a step before its end."""
        return self.tiles[max(0, step - self.since)]
