"""A word cloud: words as large as they are frequent, placed without overlap, always alike."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

MOST = 150
"""Words that a cloud shows; the table beside it has all."""

_SMALLEST, _LARGEST = 16.0, 64.0
_WIDTHS = {**dict.fromkeys("fijlrt'-", 0.44), **dict.fromkeys("mw", 1.05)}
_USUAL, _WIDE = 0.72, 1.1
"""Widths of letters in font sizes, rather too much than too little: of the usual ones, and of
those that fill a square (Chinese)."""
_LINE = 1.25
"""Height of a line in font sizes."""
_GAP = 4.0
_TURN, _PACE = 0.3, 3.5
"""Radians of a step along the spiral, and pixels outwards for each radian."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word in its box: `x` and `y` are its centre, all lengths in pixels."""

    text: str
    count: int
    x: float
    y: float
    width: float
    height: float
    size: float

    def overlaps(self, other: Word) -> bool:
        """Whether two boxes share a point, or nearly."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width + 2 * _GAP
            and abs(self.y - other.y) * 2 < self.height + other.height
        )


@dataclass(frozen=True, slots=True)
class Cloud:
    """Words in a frame that begins at (`left`, `top`); `left_out` words found no room in it."""

    words: tuple[Word, ...]
    left: float
    top: float
    width: float
    height: float
    left_out: int


@lru_cache(maxsize=32)
def cloud(counts: tuple[tuple[str, int], ...]) -> Cloud:
    """The cloud of words with their counts, the most frequent in the middle.

    The area of a word grows with its count. The same counts give the same cloud.
    """
    ordered = sorted(counts, key=lambda one: (-one[1], one[0]))
    top = max((count for _, count in ordered), default=1)
    placed: list[Word] = []
    for text, count in ordered[:MOST]:
        placed.append(_placed(text, count, top, placed))
    left = min((word.x - word.width / 2 for word in placed), default=0) - _GAP
    right = max((word.x + word.width / 2 for word in placed), default=0) + _GAP
    high = min((word.y - word.height / 2 for word in placed), default=0) - _GAP
    low = max((word.y + word.height / 2 for word in placed), default=0) + _GAP
    return Cloud(
        tuple(placed),
        round(left, 1),
        round(high, 1),
        round(right - left, 1),
        round(low - high, 1),
        max(0, len(ordered) - MOST),
    )


def _placed(text: str, count: int, top: int, others: Sequence[Word]) -> Word:
    size = round(max(_SMALLEST, _LARGEST * math.sqrt(count / top)), 1)
    width, height = round(size * _letters(text), 1), round(size * _LINE, 1)
    x, y = _free_place(width, height, others)
    return Word(text, count, x, y, width, height, size)


def _free_place(width: float, height: float, others: Sequence[Word]) -> tuple[float, float]:
    """The first point of the spiral at which a box of this size meets no other."""
    # Twice the distance of two centres must be at least this, in one of both directions.
    boxes = [(o.x, o.y, width + o.width + 2 * _GAP, height + o.height) for o in others]
    last = 0
    for x, y in _spiral():
        # What was in the way a step ago nearly always still is, so it is asked first.
        for number in (last, *range(len(boxes))) if boxes else ():
            far_x, far_y, wide, high = boxes[number]
            if abs(x - far_x) * 2 < wide and abs(y - far_y) * 2 < high:
                last = number
                break
        else:
            return x, y
    raise AssertionError("a spiral has no end")


def _letters(text: str) -> float:
    """The width of a word in font sizes; marks stand on their letters."""
    return sum(
        _WIDE if unicodedata.east_asian_width(letter) in "WF" else _WIDTHS.get(letter, _USUAL)
        for letter in text
        if unicodedata.category(letter)[0] != "M"
    )


def _spiral() -> Iterator[tuple[float, float]]:
    """Points further and further out, wider than high as words are."""
    step = 0
    while True:
        angle = step * _TURN
        out = step * _PACE * _TURN
        yield round(out * math.cos(angle), 1), round(0.6 * out * math.sin(angle), 1)
        step += 1
