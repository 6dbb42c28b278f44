"""Who stays where: a plan keeps a resident in an arena until the end of a block of it.

A life (`Life._block`) does all parts of a block in the block's place and takes up nothing else
before its end, but for what somebody else brings about. Within the place it goes from spot to spot
on shortest paths; these stay inside where every way round outside is longer (`Arenas.closed`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sociolab.town.clock import Clock
from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.person import Person
from sociolab.town.places import Tile

OUTSIDE = -1
_AROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))


def kept_in(person: Person, step: int, clock: Clock) -> tuple[str, int]:
    """The place of the block under way, and the step at which a block is over that is elsewhere.

    Blocks in the same place that follow each other count as one. "" where no place is certain:
    between blocks, where one is still to be chosen, and where several blocks are under way.
    """
    now = clock.at(step)
    under_way = [block for block in person.blocks if block.start <= now < block.end]
    if len(under_way) != 1:
        return "", step
    place, end = under_way[0].place, under_way[0].end
    for block in person.blocks:
        if block.start == end and block.place == place:
            end = block.end
        elif now < block.start < end:
            return "", step
    return place, clock.step(end)


class Arenas:
    """Walks into and between the arenas of a town, by number; the outdoors, -1, come last.

    `into` is [arenas + 1, height, width]: steps from a tile into the arena. `between` is
    [arenas + 1, arenas + 1]: from the nearest tile of the first. `box` is [4, arenas + 1]: least x,
    least y, most x, most y.
    """

    def __init__(self, town: TownMap, paths: Paths) -> None:
        self._town = town
        count = len(town.places) + 1
        self.into: npt.NDArray[np.int16] = np.empty((count, town.height, town.width), np.int16)
        self.between = np.zeros((count, count), np.int64)
        self.box = np.zeros((4, count), np.int64)
        self._closed: dict[int, bool] = {}
        for arena in range(OUTSIDE, count - 1):
            self.into[arena] = np.minimum(paths.reach(arena), np.iinfo(np.int16).max)
        for arena in range(OUTSIDE, count - 1):
            rows, columns = np.nonzero(self.into[arena] == 0)
            if len(rows):
                self.between[arena] = self.into[:, rows, columns].min(axis=1)
                self.box[:, arena] = columns.min(), rows.min(), columns.max(), rows.max()

    def closed(self, arena: int) -> bool:
        """Whether no shortest path between two tiles of this arena leads out of it.

        One that did would leave from a tile at the border and come back to another. It takes two
        steps more than lie between the tiles just outside; the way inside must take fewer.
        """
        if arena == OUTSIDE:
            return False
        if arena not in self._closed:
            self._closed[arena] = self._is_closed(arena)
        return self._closed[arena]

    def _is_closed(self, arena: int) -> bool:
        exits = list(self._exits(arena))
        for inner, outer in exits:
            inside = self._within(arena, inner)
            for other, beyond in exits:
                around = abs(outer[0] - beyond[0]) + abs(outer[1] - beyond[1]) + 2
                if other != inner and inside.get(other, around) >= around:
                    return False
        return True

    def _exits(self, arena: int) -> Iterator[tuple[Tile, Tile]]:
        """Tiles of the arena with the tiles beside them that are not."""
        for row, column in np.argwhere(self.into[arena] == 0).tolist():
            for across, down in _AROUND:
                x, y = column + across, row + down
                inside = 0 <= x < self._town.width and 0 <= y < self._town.height
                if inside and self._town.walkable[y, x] and self._town.arena_at((x, y)) != arena:
                    yield (column, row), (x, y)

    def _within(self, arena: int, start: Tile) -> dict[Tile, int]:
        """Steps from a tile to all others of its arena, without leaving it."""
        table = self.into[arena]
        found = {start: 0}
        for tile in (queue := [start]):
            for across, down in _AROUND:
                x, y = tile[0] + across, tile[1] + down
                inside = 0 <= x < self._town.width and 0 <= y < self._town.height
                if inside and (x, y) not in found and not table[y, x]:
                    found[x, y] = found[tile] + 1
                    queue.append((x, y))
        return found
