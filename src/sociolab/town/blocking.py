"""How soon anybody could come into anybody's view: the light cones of AI Metropolis, with walls.

A resident moves one tile a step. So whoever acts at step u, standing on some tile, is in view of
another at step t only if t - u is at least
- the Chebyshev distance between them less the radius, since a step brings them nearer by one, and
- the length of the shortest walk into an arena in which the other is, since only those in the same
  arena see each other (arXiv 2411.03519 knows distances only).
The larger of the two is the gap. Of one who is on a walk the gap is the least over all tiles that
are left of it, wherever on it the resident is by then: perhaps less than the truth, never more.
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


class Gaps:
    """`gap` is [who comes, who is come upon], in steps; `NEVER` from somebody to themselves."""

    def __init__(self, count: int, paths: Paths, radius: int) -> None:
        self.gap: Steps = np.full((count, count), NEVER, np.int64)
        self._paths = paths
        self._radius = radius
        # Columns of least x, least y, most x, most y; and one tile, the first, of everybody.
        self._box: Steps = np.zeros((4, count), np.int64)
        self._first: Steps = np.zeros((2, count), np.int64)
        self._arenas: list[tuple[int, ...]] = [(-1,)] * count
        self._walks: dict[int, tuple[Steps, Steps]] = {}

    def put(self, who: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """A resident is on one of these tiles from now on; `arenas` are theirs, one a tile."""
        way = np.array(tiles, np.int64).T
        self._first[:, who] = way[:, 0]
        self._box[:2, who] = way.min(axis=1)
        self._box[2:, who] = way.max(axis=1)
        self._arenas[who] = tuple(dict.fromkeys(arenas))
        self._walks.pop(who, None)
        if len(tiles) > 1:
            self._walks[who] = (way[0], way[1])
        apart = self._apart(who)
        self.gap[:, who] = np.maximum(apart, self._walks_to(who))
        self.gap[who, :] = np.maximum(apart, self._walks_from(who, way))
        self.gap[who, who] = NEVER

    def earliest(self, own: Steps, closed: Flags) -> Steps:
        """[residents]: a step before which each is certainly not acted upon, nor acts.

        `own` is the step at which each acts next if nobody comes near, `closed` who cannot be
        acted upon before that. The greatest solution of `least = min(own, least of others + gap)`:
        suppose that somebody acts, or is acted upon, before its step here, and that it is the
        first; it is not its own step, so somebody else came into its view, who until its own step
        here kept to its way, and after that was no faster than one tile a step: a contradiction.
        """
        least = own
        while True:
            come: Steps = (least[:, None] + self.gap).min(axis=0)
            come[closed] = NEVER
            lower = np.minimum(least, come)
            if (lower == least).all():
                return lower
            least = lower

    def _apart(self, who: int) -> Steps:
        """[residents]: Chebyshev distance between the boxes, less the radius."""
        left, top, right, bottom = self._box
        west, north, east, south = self._box[:, who]
        across = np.maximum(left - east, west - right)
        down = np.maximum(top - south, north - bottom)
        apart: Steps = np.maximum(np.maximum(across, down) - self._radius, 0)
        return apart

    def _walks_to(self, who: int) -> Steps:
        """[residents]: steps from each of them into an arena of this one."""
        x, y = self._first
        walks = np.full(len(x), NEVER, np.int64)
        for arena in self._arenas[who]:
            table = self._paths.reach(arena)
            steps = table[y, x].astype(np.int64)
            for walker, (way_x, way_y) in self._walks.items():
                steps[walker] = table[way_y, way_x].min()
            np.minimum(walks, steps, out=walks)
        return walks

    def _walks_from(self, who: int, way: Steps) -> Steps:
        """[residents]: steps from this one into an arena of each of them."""
        x, y = way
        into = {
            arena: int(self._paths.reach(arena)[y, x].min())
            for arena in {arena for arenas in self._arenas for arena in arenas}
        }
        return np.array([min([into[a] for a in arenas]) for arenas in self._arenas], np.int64)
