"""How soon anybody could come into anybody's view: the light cones of AI Metropolis, with walls.

A resident moves one tile a step. So whoever acts at step u, standing on some tile, is in view of
another at step t only if t - u is at least
- the Chebyshev distance between them less the radius, since a step brings them nearer by one, and
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
        self._x[who], self._y[who] = x, y = tiles[-1]
        self._arenas[who] = arena = arenas[-1]
        self._still[who] = len(tiles) == 1
        apart = np.maximum(abs(self._x - x), abs(self._y - y)) - self._radius
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
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        radius = self._radius
        near: Flags = (left - east <= radius) & (west - right <= radius)
        near &= (top - south <= radius) & (north - bottom <= radius)
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
        under_way = [
            (who, walk, int(least[who]))
            for who, walk in self._walks.items()
            if least[who] < walk.end
        ]
        if under_way:
            numbers = [who for who, _, _ in under_way]
            arrivals[numbers] = least[numbers, None] + self._from(
                np.array([walk.at(step) for _, walk, step in under_way])
            )
        for who, walk in self._walks.items():
            late = np.maximum(arrivals[:, who], walk.end)
            early = np.flatnonzero(least < walk.end)
            if len(early):
                gaps = walk.gaps[:, early]
                for other, way, step in under_way:
                    place = int(np.searchsorted(early, other))
                    if place < len(early) and early[place] == other:
                        gaps[:, place] = self._early(walk, other, way, step)
                meets = least[early] + gaps <= walk.times[:, None]
                first = walk.times[meets.argmax(axis=0)]
                late[early] = np.where(meets.any(axis=0), first, late[early])
            arrivals[:, who] = late
        np.fill_diagonal(arrivals, NEVER)
        return arrivals

    def _put_walk(self, who: int, walk: _Walk) -> None:
        apart = np.maximum(abs(walk.x[:, None] - self._x), abs(walk.y[:, None] - self._y))
        into = self._into[walk.kinds][:, self._y, self._x][walk.kind]
        walk.gaps = np.maximum(apart - self._radius, into)
        self._walks[who] = walk

    def _early(self, walk: _Walk, other: int, way: _Walk, step: int) -> Steps:
        """[tiles of the walk]: the gaps from where another walk is at a step."""
        gaps = walk.early.get((other, step))
        if gaps is None:
            gaps = walk.early[other, step] = self._upon(walk, *way.at(step))
        return gaps

    def _upon(self, walk: _Walk, x: int, y: int) -> Steps:
        """[tiles of the walk]: the gaps from a tile."""
        apart = np.maximum(abs(walk.x - x), abs(walk.y - y)) - self._radius
        gaps: Steps = np.maximum(apart, self._into[walk.kinds, y, x][walk.kind])
        return gaps

    def _from(self, tiles: Steps) -> Steps:
        """[tiles, residents]: the gaps from tiles, to where everybody is in the end."""
        x, y = tiles.T
        apart = np.maximum(abs(self._x - x[:, None]), abs(self._y - y[:, None])) - self._radius
        gaps: Steps = np.maximum(apart, self._into[self._arenas, y[:, None], x[:, None]])
        return gaps

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
