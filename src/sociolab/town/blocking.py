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

from sociolab.town.places import Tile
from sociolab.town.staying import OUTSIDE, Arenas

NEVER: Final = 1 << 40
"""A step after all steps, and a gap that nobody gets over; two of them can be added."""

Steps: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]


class Gaps:
    """Where everybody stands or walks, as known, and how soon anybody else could be in view."""

    def __init__(self, count: int, arenas: Arenas, radius: int) -> None:
        self._between, self._into = arenas.between, arenas.into
        self._rooms = arenas.box
        self._radius = radius
        # [who comes, who is come upon]: from tile to tile, where one is at the end of a walk.
        self._gap: Steps = np.full((count, count), NEVER, np.int64)
        self._x, self._y, self._arenas = np.zeros((3, count), np.int64)
        self._box: Steps = np.zeros((4, count), np.int64)
        self._apart: Steps = np.zeros((count, count), np.int64)
        self._still: Flags = np.ones(count, np.bool_)
        self._walks: dict[int, _Walk] = {}
        # Who stays where, and for each of them [who stays, who else]: whether the other's known way
        # touches that arena, the gap from there, and [who else, who stays] the walk there.
        self._kept = np.full(count, OUTSIDE, np.int64)
        self._touches: Flags = np.ones((count, count), np.bool_)
        self._from_there: Steps = np.zeros((count, count), np.int64)
        self._walk_there: Steps = np.zeros((count, count), np.int64)

    def put(self, who: int, since: int, tiles: Sequence[Tile], arenas: Sequence[int]) -> None:
        """From this step on, a resident is on these tiles, one a step, and then on the last."""
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
        for other in np.flatnonzero(self._kept != OUTSIDE).tolist():
            self._relate(other, who)

    def keep(self, who: int, arena: int) -> None:
        """A resident stays in an arena for some time; `OUTSIDE` says that nothing is known."""
        if self._kept[who] != arena:
            self._kept[who] = arena
            if arena != OUTSIDE:
                for other in range(len(self._kept)):
                    self._relate(who, other)

    def _relate(self, who: int, other: int) -> None:
        arena = int(self._kept[who])
        walk = self._walks.get(other)
        x, y = (self._x[other], self._y[other]) if walk is None else (walk.x, walk.y)
        arenas = [int(self._arenas[other])] if walk is None else walk.kinds
        self._touches[who, other] = arena in arenas
        self._walk_there[other, who] = self._into[arena, y, x].min()
        left, top, right, bottom = self._rooms[:, arena]
        west, north, east, south = self._box[:, other]
        apart = self._apart_by(max(left - east, west - right), max(top - south, north - bottom))
        self._from_there[who, other] = max(int(self._between[arena, arenas].min()), int(apart))

    def near(self, who: int) -> Flags:
        """[residents]: whose ways, as known, might come into view of this one's.

        Exact where neither walks.
        """
        near: Flags = self._apart[who] <= 0
        if self._still[who]:
            near &= ~self._still | (self._arenas == self._arenas[who])
        near[who] = False
        return near

    def arrivals(self, least: Steps, until: Steps, stays: Flags) -> Steps:
        """[who comes, who is come upon]: the first step at which one could be in view of the other.

        Everybody keeps to the known way until `least`, and the other one beyond; whether two see
        each other who both keep to their ways is not told. Who `stays` is from `least` on, and
        before `until`, in the arena where it is kept: whose way does not touch that arena is not
        seen from it.
        """
        arrivals = self._arrivals(least)
        if stays.any():
            later = np.maximum(arrivals, until[:, None] + self._from_there)
            arrivals = np.where(stays[:, None] & ~self._touches, later, arrivals)
        return arrivals

    def entries(self, least: Steps, until: Steps, stays: Flags) -> Steps:
        """[who else, who stays]: when others could first be in the arena where one is kept.

        0 for those whose known way touches it.
        """
        entries: Steps = least[:, None] + self._walk_there
        later = until[:, None] + self._between[self._kept[:, None], self._kept]
        entries = np.where(stays[:, None], np.maximum(entries, later), entries)
        entries[self._touches.T] = 0
        np.fill_diagonal(entries, NEVER)
        return entries

    def _arrivals(self, least: Steps) -> Steps:
        arrivals: Steps = least[:, None] + self._gap
        steps = {who: int(least[who]) for who, walk in self._walks.items() if least[who] < walk.end}
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
        apart = self._apart_by(abs(walk.x[:, None] - self._x), abs(walk.y[:, None] - self._y))
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
