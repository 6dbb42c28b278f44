"""Stretches of time as half-open pairs of steps, in order and without overlap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Interval: TypeAlias = tuple[int, int]
"""From the first step, which belongs to it, to the second, which does not."""

Intervals: TypeAlias = tuple[Interval, ...]


def joined(pieces: Iterable[Interval]) -> Intervals:
    """The same time, sorted; what touches or overlaps is one stretch, what is empty is left out."""
    found: list[Interval] = []
    for start, end in sorted(piece for piece in pieces if piece[0] < piece[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def common(one: Intervals, other: Intervals) -> Intervals:
    """The time that is in both."""
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            found.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def since(intervals: Intervals, step: int) -> Intervals:
    """What of it is at this step or later."""
    return tuple((max(start, step), end) for start, end in intervals if end > step)


def length(intervals: Intervals) -> int:
    """How many steps it is, all stretches together."""
    return sum(end - start for start, end in intervals)


def reached(intervals: Intervals, steps: int) -> int | None:
    """The step at which so many steps of it are over, at least one; None if it has fewer."""
    left = max(1, steps)
    for start, end in intervals:
        if end - start >= left:
            return start + left
        left -= end - start
    return None
