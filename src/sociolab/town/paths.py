"""Shortest walks between tiles, by breadth-first search near both ends."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import WorldError
from sociolab.town.map import Tile

Tiles: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Steps: TypeAlias = npt.NDArray[np.int32]
FAR: Final = 1_000_000_000
"""The distance in `reach` of tiles from which there is no way; adding steps overflows nothing."""

KEPT: Final = 16_384
"""Paths in the cache, those asked for last."""

DETOUR: Final = 16
"""A search first allows this many steps more than there are without walls, then twice as many, and
so on."""


class Paths:
    """Shortest paths between tiles of a map, one tile a step, north, east, south or west."""

    def __init__(self, walkable: Tiles, arena: npt.NDArray[np.int16]) -> None:
        self._walkable = np.ascontiguousarray(walkable, dtype=np.bool_)
        self._arena = arena
        self.path = lru_cache(KEPT)(self._path)
        self.reach = lru_cache(None)(self._reach)

    def _path(self, start: Tile, goal: Tile) -> str:
        """The headings of a shortest path, a letter of NESW a step; "" from a tile to itself.

        Ties are broken in the order N, E, S, W. WorldError if there is no path.
        """
        height, width = self._walkable.shape
        for x, y in (start, goal):
            if not (0 <= x < width and 0 <= y < height and self._walkable[y, x]):
                raise WorldError(
                    f"expected tiles to walk on, but ({x}, {y}) is a wall or off the map."
                )
        detour = DETOUR
        while (path := self._search(start, goal, detour)) is None:
            detour *= 2
        return path

    def distance(self, start: Tile, goal: Tile) -> int:
        """The steps of a shortest path; WorldError if there is none."""
        return len(self.path(start, goal))

    def _search(self, start: Tile, goal: Tile, detour: int) -> str | None:
        """The path, if it is at most so many steps longer than without walls.

        Such paths stay near the rectangle around both ends: each step away from it has to be taken
        back.
        """
        (x, y), (goal_x, goal_y) = start, goal
        left, top = (max(0, min(ends) - detour // 2) for ends in ((x, goal_x), (y, goal_y)))
        right, bottom = (max(ends) + detour // 2 + 1 for ends in ((x, goal_x), (y, goal_y)))
        free = self._walkable[top:bottom, left:right]
        row = free.shape[1] + 1
        unreached = _bits(free)
        at = (y - top + 1) * row + x - left
        front = 1 << (goal_y - top + 1) * row + goal_x - left
        fronts = []  # the tiles at each number of steps from the goal
        for _ in range(abs(x - goal_x) + abs(y - goal_y) + detour):
            if front >> at & 1 or not front:
                break
            fronts.append(front)
            unreached &= ~front
            front = (front << 1 | front >> 1 | front << row | front >> row) & unreached
        if not front >> at & 1:
            if not front and free.shape == self._walkable.shape:
                raise WorldError(f"expected a path from tile {start} to {goal}: there is none.")
            return None
        path = []
        for nearer in reversed(fronts):
            for heading, step in (("N", -row), ("E", 1), ("S", row), ("W", -1)):
                if nearer >> at + step & 1:
                    at += step
                    path.append(heading)
                    break
        return "".join(path)

    def _reach(self, place_index: int) -> Steps:
        """[height, width]: steps to the nearest walkable tile of an arena (-1: to one outdoors).

        `FAR` where there is no path and where one cannot walk. Read-only.
        """
        counted = bfs(self._walkable, self._walkable & (self._arena == place_index))
        inside = counted.reshape(-1, self._walkable.shape[1] + 1)[1:-1, :-1].astype(np.int32)
        table = np.where(inside > 0, inside - 1, np.int32(FAR))
        table.setflags(write=False)
        return table


# ------------------------------------------------------------------ breadth-first search


def bfs(free: Tiles, goals: Tiles) -> Counts:
    """Breadth-first search from all goals at once: steps plus one; 0 where there is no path.

    Flat, row by row, with a row of walls before the first and after the last, and one wall at the
    end of each row (which is also the wall before the next).

    Tiles are the bits of one integer, so that a step in all directions from every tile reached last
    takes a handful of shifts.
    """
    row = free.shape[1] + 1
    front = _bits(goals)
    unreached = _bits(free) & ~front
    digits: list[int] = []  # digit b: the tiles in whose count bit b is set
    count = 0
    while front:
        count += 1
        if count >> len(digits):
            digits.append(0)
        for b in range(len(digits)):
            if count >> b & 1:
                digits[b] |= front
        front = (front << 1 | front >> 1 | front << row | front >> row) & unreached
        unreached ^= front
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
