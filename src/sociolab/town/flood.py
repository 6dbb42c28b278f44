"""Breadth-first search over all tiles of a map at once.

The tiles are the bits of one integer, so that a step in all directions from all tiles that were
reached last is a handful of shifts.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Tiles: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]


def flood(free: Tiles, goals: Tiles, reach: int) -> tuple[Counts, bool]:
    """Breadth-first search from all goals at once: steps plus one, 0 where none lead within reach.

    Flat, row by row, with a row of walls before the first and after the last, and one wall at the
    end of each row (which is also the wall before the next). Also: whether nothing is beyond.
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
    """The tiles as bits of an integer, in the layout of `flood`."""
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
