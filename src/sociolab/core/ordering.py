"""Orders in which things of several kinds take turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")


def in_turn(items: Iterable[T], kind: Callable[[T], Hashable]) -> tuple[T, ...]:
    """The first item of each kind, then the second of each, and so on, so that a few are of many.

    >>> in_turn(["apple", "avocado", "apricot", "banana", "cherry"], lambda word: word[0])
    ('apple', 'banana', 'cherry', 'avocado', 'apricot')
    """
    seen: Counter[Hashable] = Counter()
    rounds: list[tuple[int, T]] = []
    for item in items:
        rounds.append((seen[kind(item)], item))
        seen[kind(item)] += 1
    return tuple(item for _, item in sorted(rounds, key=lambda pair: pair[0]))
