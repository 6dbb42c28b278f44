"""What is the shortest way on foot from one tile to another?

By flow fields: the steps to a destination from every tile, counted when it is first walked to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import WorldError
from sociolab.town.map import Tile

Tiles: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Steps: TypeAlias = npt.NDArray[np.int32]
FAR: Final = 1_000_000_000
"""The distance in `reach` of tiles from which there is no way; adding steps overflows nothing."""

KEPT: Final = 1024
"""So many fields are kept: those of the goals walked to last."""


class WalkableMap(Protocol):
    """What paths need of a map: where one can walk, and which arena each tile belongs to."""

    @property
    def width(self) -> int:
        """Columns."""
        ...

    @property
    def height(self) -> int:
        """Rows."""
        ...

    @property
    def walkable(self) -> Tiles:
        """[height, width]."""
        ...

    @property
    def arena(self) -> npt.NDArray[np.int16]:
        """[height, width], -1 where there is none."""
        ...


class Paths:
    """Shortest ways between tiles of a map, one tile a step, north, east, south or west."""

    def __init__(self, town: WalkableMap) -> None:
        self._walkable = np.ascontiguousarray(town.walkable, dtype=np.bool_)
        self._arena = np.asarray(town.arena)
        self._row: int = self._walkable.shape[1] + 1
        self._steps_to = lru_cache(KEPT)(self._count_steps_to)
        self.reach = lru_cache(None)(self._reach)

    def path(self, start: Tile, goal: Tile) -> str:
        """The headings of a shortest path, a letter of NESW a step; "" from a tile to itself.

        Where several headings lead nearer, the first of N, E, S, W is taken, always. WorldError
        if no path leads there.
        """
        counted, at, row = self._counts(start, goal), self._index(start), self._row
        path = []
        for nearer in range(counted[at] - 1, 0, -1):
            if counted[at - row] == nearer:
                at -= row
                path.append("N")
            elif counted[at + 1] == nearer:
                at += 1
                path.append("E")
            elif counted[at + row] == nearer:
                at += row
                path.append("S")
            else:
                at -= 1
                path.append("W")
        return "".join(path)

    def distance(self, start: Tile, goal: Tile) -> int:
        """The steps of a shortest path; WorldError if there is none."""
        return int(self._counts(start, goal)[self._index(start)]) - 1

    def _reach(self, place_index: int) -> Steps:
        """[height, width]: steps to the nearest walkable tile of an arena (-1: to one outdoors).

        `FAR` where no path leads there and where one cannot walk. Not to be written to.
        """
        counted = bfs(self._walkable, self._walkable & (self._arena == place_index))
        inside = counted.reshape(-1, self._row)[1:-1, :-1].astype(np.int32)
        table = np.where(inside > 0, inside - 1, np.int32(FAR))
        table.setflags(write=False)
        return table

    def _index(self, tile: Tile) -> int:
        """Where a tile stands in the layout of `bfs`."""
        return (tile[1] + 1) * self._row + tile[0]

    def _counts(self, start: Tile, goal: Tile) -> memoryview[int]:
        """The steps to the goal, plus one, as in `bfs`; WorldError where none lead from start."""
        height, width = self._walkable.shape
        for x, y in (start, goal):
            if not (0 <= x < width and 0 <= y < height and self._walkable[y, x]):
                raise WorldError(
                    f"expected tiles to walk on, but ({x}, {y}) is a wall or off the map."
                )
        counted = self._steps_to(goal)
        if not counted[self._index(start)]:
            raise WorldError(f"expected a path from tile {start} to {goal}: there is none.")
        return counted

    def _count_steps_to(self, goal: Tile) -> memoryview[int]:
        goals = np.zeros_like(self._walkable)
        goals[goal[1], goal[0]] = True
        return bfs(self._walkable, goals).data


# ------------------------------------------------------------------ breadth-first search


def bfs(free: Tiles, goals: Tiles) -> Counts:
    """Breadth-first search from all goals at once: steps plus one, 0 where no way leads.

    Flat, row by row, with a row of walls before the first and after the last, and one wall at the
    end of each row (which is also the wall before the next).

    The tiles are the bits of one integer, so that a step in all directions from all tiles that were
    reached last is a handful of shifts.
    """
    row = free.shape[1] + 1
    front = _bits(goals)
    left = _bits(free) & ~front
    digits: list[int] = []  # digit b: the tiles in whose count bit b is set
    count = 0
    while front:
        count += 1
        if count >> len(digits):
            digits.append(0)
        for b in range(len(digits)):
            if count >> b & 1:
                digits[b] |= front
        front = (front << 1 | front >> 1 | front << row | front >> row) & left
        left ^= front
    return _numbers(digits, (free.shape[0] + 2) * row)


def _bits(tiles: Tiles) -> int:
    """The tiles as bits of an integer, in the layout of `bfs`."""
    height, width = tiles.shape
    walled = np.zeros((height + 2, width + 1), np.bool_)
    walled[1:-1, :-1] = tiles
    return int.from_bytes(np.packbits(walled, bitorder="little").tobytes(), "little")


def _numbers(digits: list[int], size: int) -> Counts:
    kind = np.dtype(np.uint16 if len(digits) <= 16 else np.uint32)
    numbers: Counts = np.zeros(size, kind)
    for b, digit in enumerate(digits):
        packed = np.frombuffer(digit.to_bytes((size + 7) // 8, "little"), np.uint8)
        set_there = np.unpackbits(packed, count=size, bitorder="little").astype(kind)
        numbers |= set_there << kind.type(b)
    return numbers
