"""What is the shortest way on foot from one tile to another?

By flow fields, one for each destination, worked out when first needed. A field reaches as far from
its destination as walks have asked for; within that reach its distances are exact, so that a path
never depends on what was asked before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sociolab.core.errors import WorldError
from sociolab.town.map import Tile

Tiles: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Steps: TypeAlias = npt.NDArray[np.int32]
FAR: Final = 1_000_000_000
"""The distance in `reach` of tiles from which there is no way; adding steps overflows nothing."""

KEPT_BYTES: Final = 48 * 2**20
"""How much is kept of fields, and as much of tables: that used longest ago is dropped first."""

SHORTEST_REACH: Final = 64
"""How far from its destination a field is first worked out, in steps; then twice as far."""


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
        self._town = town
        self._walkable = np.ascontiguousarray(town.walkable, dtype=np.bool_)
        self._fields: _Kept[_Field] = _Kept()
        self._tables: _Kept[Steps] = _Kept()

    def path(self, start: Tile, goal: Tile) -> str:
        """The headings of a shortest path, a letter of NESW a step; "" from a tile to itself.

        Where several headings lead nearer, the first of N, E, S, W is taken, always. WorldError
        if no path leads there.
        """
        if start == goal:
            return ""
        field = self._field(start, goal)
        return field.descent(field.index(start))

    def distance(self, start: Tile, goal: Tile) -> int:
        """The steps of a shortest path; WorldError if there is none."""
        return 0 if start == goal else self._field(start, goal).away(start)

    def reach(self, place_index: int) -> Steps:
        """[height, width]: steps to the nearest walkable tile of an arena (-1: to one outdoors).

        `FAR` where no path leads there and where one cannot walk. Not to be written to.
        """
        table = self._tables.get(place_index)
        if table is None:
            goals = self._walkable & (np.asarray(self._town.arena) == place_index)
            counted, _ = bfs(self._walkable, goals, self._walkable.size)
            inside = counted.reshape(goals.shape[0] + 2, -1)[1:-1, :-1].astype(np.int32)
            table = np.where(inside > 0, inside - 1, np.int32(FAR))
            table.setflags(write=False)
            self._tables.put(place_index, table, table.nbytes)
        return table

    def _field(self, start: Tile, goal: Tile) -> _Field:
        """A field around the goal that holds the start."""
        field = self._fields.get(goal)
        while field is None or not field.away(start):
            self._expect_walkable(start, goal)
            if field is not None and field.complete:
                raise WorldError(f"expected a path from tile {start} to {goal}: there is none.")
            apart = abs(start[0] - goal[0]) + abs(start[1] - goal[1])
            reach = SHORTEST_REACH if field is None else 2 * field.reach
            while reach < apart:
                reach *= 2
            field = self._spread_around(goal, reach)
            self._fields.put(goal, field, field.counted.nbytes)
        return field

    def _spread_around(self, goal: Tile, reach: int) -> _Field:
        (x, y), height, width = goal, *self._walkable.shape
        left, top = max(0, x - reach), max(0, y - reach)
        right, bottom = min(width, x + reach + 1), min(height, y + reach + 1)
        window = self._walkable[top:bottom, left:right]
        goals = np.zeros_like(window)
        goals[y - top, x - left] = True
        counted, complete = bfs(window, goals, reach)
        return _Field(left, top, right, bottom, reach, complete, counted.data)

    def _expect_walkable(self, *tiles: Tile) -> None:
        height, width = self._walkable.shape
        for x, y in tiles:
            if not (0 <= x < width and 0 <= y < height and self._walkable[y, x]):
                raise WorldError(
                    f"expected tiles to walk on, but ({x}, {y}) is a wall or off the map."
                )


@dataclass(frozen=True, slots=True)
class _Field:
    """Steps to one tile, plus one, 0 where unknown: all of a window, laid out as in `bfs`.

    Exact up to `reach` steps; `complete` if there is nothing farther away.
    """

    left: int
    top: int
    right: int
    bottom: int
    reach: int
    complete: bool
    counted: memoryview[int]

    def index(self, tile: Tile) -> int:
        return (tile[1] - self.top + 1) * (self.right - self.left + 1) + tile[0] - self.left

    def away(self, tile: Tile) -> int:
        """Steps from a tile; 0 if they are not known. Not to be asked of the goal itself."""
        if self.left <= tile[0] < self.right and self.top <= tile[1] < self.bottom:
            return max(0, self.counted[self.index(tile)] - 1)
        return 0

    def descent(self, at: int) -> str:
        """The headings from here to the goal, the first of N, E, S, W that leads nearer."""
        counted, row = self.counted, self.right - self.left + 1
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


_T = TypeVar("_T")


class _Kept(Generic[_T]):
    """Tables by key, at most `KEPT_BYTES` of them."""

    def __init__(self) -> None:
        self._tables: OrderedDict[Hashable, tuple[_T, int]] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable) -> _T | None:
        found = self._tables.get(key)
        if found is None:
            return None
        self._tables.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, table: _T, size: int) -> None:
        self._size += size - self._tables.pop(key, (table, 0))[1]
        self._tables[key] = (table, size)
        while self._size > KEPT_BYTES and len(self._tables) > 1:
            self._size -= self._tables.popitem(last=False)[1][1]


# ------------------------------------------------------------------ breadth-first search


def bfs(free: Tiles, goals: Tiles, reach: int) -> tuple[Counts, bool]:
    """Breadth-first search from all goals at once: steps plus one, 0 where none lead within reach.

    Flat, row by row, with a row of walls before the first and after the last, and one wall at the
    end of each row (which is also the wall before the next). Also: whether nothing is beyond.

    The tiles are the bits of one integer, so that a step in all directions from all tiles that were
    reached last is a handful of shifts.
    """
    row = free.shape[1] + 1
    front = _bits(goals)
    left = _bits(free) & ~front
    digits: list[int] = []  # digit b: the tiles in whose count bit b is set
    count = 0
    while front and count <= reach:
        count += 1
        if count >> len(digits):
            digits.append(0)
        for b in range(len(digits)):
            if count >> b & 1:
                digits[b] |= front
        front = (front << 1 | front >> 1 | front << row | front >> row) & left
        left ^= front
    # A front that dies out within reach did so for want of tiles, not at the border of a window.
    complete = not front and count <= reach
    return _numbers(digits, (free.shape[0] + 2) * row), complete


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
