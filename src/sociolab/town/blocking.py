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

from sociolab.town.paths import Paths
from sociolab.town.places import Tile

NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""

Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]


class _Walk:
    """A walk that is known: at step `times[i]` at x[i], y[i]; at the last tile from then on."""

    def __init__(self, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        self.x, self.y = np.array(tiles, np.int64).T
        self.times: Steps = np.arange(since, since + len(tiles), dtype=np.int64)
        self.since = since
        self.kinds = tuple(dict.fromkeys(arenas))
        self.kind = np.array([self.kinds.index(arena) for arena in arenas])


class Gaps:
    """Who stands or walks where, as known, and how long anybody else needs to be in view."""

    def __init__(self, count: int, paths: Paths, radius: int) -> None:
        self._paths = paths
        self._radius = radius
        # [who comes, who is come upon]; of walkers not up to date.
        self._gap: Steps = np.full((count, count), NEVER, np.int64)
        self._x: Steps = np.zeros(count, np.int64)
        self._y: Steps = np.zeros(count, np.int64)
        self._box: Steps = np.zeros((4, count), np.int64)
        self._arenas = [-1] * count
        self._walks: dict[int, _Walk] = {}

    def put(self, who: int, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """From this step on, a resident is on these tiles, one a step, and then on the last."""
        self._walks.pop(who, None)
        if len(tiles) > 1:
            self._walks[who] = _Walk(since, tiles, arenas)
        columns, rows = zip(*tiles, strict=True)
        self._box[:, who] = min(columns), min(rows), max(columns), max(rows)
        self._x[who], self._y[who] = tiles[-1]
        self._arenas[who] = arenas[-1]
        self._gap[:, who] = self._to(tiles[-1], arenas[-1])
        self._gap[who, :] = self._from(tiles[-1])
        self._gap[who, who] = NEVER

    def touching(self, who: int) -> list[int]:
        """All others whose ways, as known, might come into view of this one's."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        radius = self._radius
        near = (left - east <= radius) & (west - right <= radius)
        near &= (top - south <= radius) & (north - bottom <= radius)
        near[who] = False
        found: list[int] = np.flatnonzero(near).tolist()
        return found

    def upon(self, who: int, least: Steps) -> Steps:
        """[residents]: the first step at which each, who acts at `least`, might be seen by one."""
        walk = self._walks.get(who)
        if walk is None:
            arrive: Steps = least + self._gap[:, who]
            for other in self._walks:
                x, y = self._stands(other, int(least[other]))
                arrive[other] = least[other] + self._one(x, y, who)
            return arrive
        return self._upon_walk(who, walk, least)

    def _upon_walk(self, who: int, walk: _Walk, least: Steps) -> Steps:
        x, y = self._x.copy(), self._y.copy()
        for other in self._walks:
            x[other], y[other] = self._stands(other, int(least[other]))
        apart = np.maximum(abs(x[:, None] - walk.x), abs(y[:, None] - walk.y)) - self._radius
        into = np.stack([self._paths.reach(arena)[y, x] for arena in walk.kinds], axis=1)
        arrive = least[:, None] + np.maximum(np.maximum(apart, into[:, walk.kind]), 0)
        meets = arrive <= walk.times
        last = np.maximum(arrive[:, -1], walk.times[-1])
        first: Steps = np.where(meets.any(axis=1), walk.times[meets.argmax(axis=1)], last)
        first[who] = NEVER
        return first
