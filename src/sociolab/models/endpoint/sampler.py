"""Single values that a JSON schema allows, drawn at random, with made-up English for text.

A schema is read once (`schemas`) into a tree of such nodes and then sampled many times; the nodes
that hold others are in `structures`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from sociolab.models.endpoint.sentences import exact_prose, prose

SPEAK, LEAVE = "speak", "leave"
MISSING = object()
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d")


@dataclass(slots=True)
class Draw:
    """What shapes one sample: chance, the length of texts, and two wishes.

    `leave`: an action is "leave" where it may be, else "speak". `stray`: numbers with a bound
    lie outside it, so that the sample is not valid. `clock` is the last time of day that was drawn.
    """

    random: Callable[[], float]
    characters: int = 150
    leave: bool = False
    stray: bool = False
    clock: str = ""

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))


class Node(ABC):
    """One part of a schema.

    `height` is the depth of its smallest value. `acts` are "speak" and "leave" as far as a choice
    holds them, `offers` as far as a choice or the record around it does. `blank` is its empty
    value if it has one; `lists` says whether it may be an array, `bounded` whether a number
    within has a bound.
    """

    height: float = 0
    acts: frozenset[str] = frozenset()
    offers: frozenset[str] = frozenset()
    blank: Any = MISSING
    lists: bool = False
    bounded: bool = False

    @abstractmethod
    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """A value for this part, `depth` levels below the top."""


class Choice(Node):
    """One of some constants.

    Of days it is the last, since an earlier one may be over when it is said. Times of day follow
    one another within a sample, as those of a plan do.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)
        self.acts = self.offers = frozenset(
            value for value in self.values if isinstance(value, str) and value in (SPEAK, LEAVE)
        )
        self._staying = tuple(value for value in self.values if value != LEAVE) or self.values
        if _all_like(_DAY, self.values):
            self._staying = (max(self.values),)
        self._times: list[str] = sorted(self.values) if _all_like(_TIME, self.values) else []

    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """One of the values."""
        if self.acts:
            if draw.leave and LEAVE in self.acts:
                return LEAVE
            if SPEAK in self.acts:
                return SPEAK
        if self._times:
            draw.clock = self._later(draw)
            return draw.clock
        return self._staying[int(draw.random() * len(self._staying))]

    def _later(self, draw: Draw) -> str:
        """Of the times that are left, one of the first third, so that some are left again."""
        left = self._times[bisect_right(self._times, draw.clock) :] or self._times
        return left[int(draw.random() * len(left) / 3)]


def _all_like(pattern: re.Pattern[str], values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, str) and pattern.fullmatch(value) for value in values)


NULL = Choice((None,))
FLAG = Choice((True, False))


class Text(Node):
    """A string of `least` to `most` characters."""

    def __init__(self, least: int = 0, most: float = inf) -> None:
        self.least, self.most = least, most
        self.blank = "" if least == 0 else MISSING

    def sample(self, draw: Draw, depth: int = 0) -> str:
        """Sentences; see `sentences.prose`."""
        length = int(min(max(draw.characters, self.least), self.most))
        text = prose(draw.random, length)
        return text if len(text) >= self.least else exact_prose(draw.random, length)


class Whole(Node):
    """An integer; without bounds 0 to 10, with one the ten beside it."""

    def __init__(self, low: int | None, high: int | None) -> None:
        self.bounded = not (low is None and high is None)
        self._bounds = low, high
        self.low = low if low is not None else 0 if high is None else high - 10
        self.high = high if high is not None else self.low + 10

    def sample(self, draw: Draw, depth: int = 0) -> int:
        """A number of the range; beside it for a stray draw."""
        if draw.stray and self.bounded:
            off = draw.between(1, 9)
            return self.low - off if self._bounds[1] is None else self.high + off
        return draw.between(self.low, self.high)


class Real(Node):
    """A number, with two decimals where they fit; without bounds 0 to 10."""

    def __init__(self, low: float | None, high: float | None, *, open_ends: bool) -> None:
        self.bounded = not (low is None and high is None)
        self._bounds = low, high
        self.low = low if low is not None else 0.0 if high is None else high - 10
        self.high = high if high is not None else self.low + 10
        self._open_ends = open_ends

    def sample(self, draw: Draw, depth: int = 0) -> float:
        """A number of the range; beside it for a stray draw."""
        if draw.stray and self.bounded:
            off = draw.between(1, 9)
            return self.low - off if self._bounds[1] is None else self.high + off
        exact = self.low + (self.high - self.low) * draw.random()
        for value in (round(exact, 2), exact):
            inside = self.low <= value <= self.high
            if inside and not (self._open_ends and value in (self.low, self.high)):
                return value
        return (self.low + self.high) / 2
