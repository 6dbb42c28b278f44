"""Shortest walks between tiles, by flow fields.

A field holds the steps to a destination from every tile near it. It is computed when somebody first
walks there, and extended when somebody comes from further off.
"""

from __future__ import annotations

from dataclasses import dataclass
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

KEPT: Final = 1024
"""Fields in the cache, those of the most recent goals."""

NEAR: Final = 32
"""A field first reaches this many tiles around its goal, then twice as many, and so on."""


@dataclass(frozen=True, slots=True)
class _Field:
    """The steps to a goal, as in `bfs`, in a window whose first tile is (`left`, `top`)."""

    counted: memoryview[int]
    row: int
    left: int
    top: int
    covers_map: bool

    def index(self, tile: Tile) -> int:
        """The index of a tile; 0, which no path reaches, if it lies outside the window."""
        x, y = tile[0] - self.left, tile[1] - self.top
        at = (y + 1) * self.row + x
        return at if 0 <= x < self.row - 1 and y >= 0 and at < len(self.counted) - self.row else 0


class Paths:
    """Shortest paths between tiles of a map, one tile a step, north, east, south or west."""

    def __init__(self, walkable: Tiles, arena: npt.NDArray[np.int16]) -> None:
        self._walkable = np.ascontiguousarray(walkable, dtype=np.bool_)
        self._arena = arena
        self._field = lru_cache(KEPT)(self._count_steps_to)
        self.reach = lru_cache(None)(self._reach)

    def path(self, start: Tile, goal: Tile) -> str:
        """The headings of a shortest path, a letter of NESW a step; "" from a tile to itself.

        Ties are broken in the order N, E, S, W. WorldError if there is no path.
        """
        field = self._field_between(start, goal)
        counted, at, row = field.counted, field.index(start), field.row
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
        field = self._field_between(start, goal)
        return int(field.counted[field.index(start)]) - 1

    def _reach(self, place_index: int) -> Steps:
        """[height, width]: steps to the nearest walkable tile of an arena (-1: to one outdoors).

        `FAR` where there is no path and where one cannot walk. Read-only.
        """
        counted = bfs(self._walkable, self._walkable & (self._arena == place_index))
        inside = counted.reshape(-1, self._walkable.shape[1] + 1)[1:-1, :-1].astype(np.int32)
        table = np.where(inside > 0, inside - 1, np.int32(FAR))
        table.setflags(write=False)
        return table

    def _field_between(self, start: Tile, goal: Tile) -> _Field:
        """A field that holds a path from start to goal; WorldError where there is none."""
        height, width = self._walkable.shape
        for x, y in (start, goal):
            if not (0 <= x < width and 0 <= y < height and self._walkable[y, x]):
                raise WorldError(
                    f"expected tiles to walk on, but ({x}, {y}) is a wall or off the map."
                )
        most = NEAR
        while True:
            field = self._field(goal, most)
            if field.counted[field.index(start)]:
                return field
            if field.covers_map:
                raise WorldError(f"expected a path from tile {start} to {goal}: there is none.")
            most *= 2

    def _count_steps_to(self, goal: Tile, most: int) -> _Field:
        """Count steps up to `most`; all of them where the window covers the whole map."""
        height, width = self._walkable.shape
        left, top = max(0, goal[0] - most), max(0, goal[1] - most)
        free = self._walkable[top : goal[1] + most + 1, left : goal[0] + most + 1]
        is_whole = free.shape == (height, width)
        goals = np.zeros_like(free)
        goals[goal[1] - top, goal[0] - left] = True
        counted = bfs(free, goals, None if is_whole else most)
        return _Field(counted.data, free.shape[1] + 1, left, top, is_whole)


# ------------------------------------------------------------------ breadth-first search


def bfs(free: Tiles, goals: Tiles, most: int | None = None) -> Counts:
    """Breadth-first search from all goals at once: steps plus one; 0 where there is no path, or
    none of at most `most` steps.

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
    while front and (most is None or count <= most):
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
