"""Draws that repeat: random numbers and digests keyed by what they are for, and an order in which
kinds take turns.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def interleave(
    items: Iterable[T],
    kind: Callable[[T], Hashable],
    weight: Callable[[Any], float] = lambda _: 1,
) -> tuple[T, ...]:
    """The first item of each kind, then the second of each, and so on, so that a few are of many.

    A kind of `weight` 2 has two items for each of a kind of weight 1 in every beginning.

    >>> interleave(["apple", "avocado", "apricot", "banana", "cherry"], lambda word: word[0])
    ('apple', 'banana', 'cherry', 'avocado', 'apricot')
    """
    counts: Counter[Hashable] = Counter()
    placed: list[tuple[float, T]] = []
    for item in items:
        of = kind(item)
        placed.append(((counts[of] + 0.5) / weight(of), item))
        counts[of] += 1
    return tuple(item for _, item in sorted(placed, key=lambda pair: pair[0]))


def stream(seed: int, *key: str | int) -> random.Random:
    """A generator of its own for this seed and key; the same pair gives the same numbers.

    >>> stream(1, "trial", "seat", 3).random() == stream(1, "trial", "seat", 3).random()
    True
    """
    return random.Random(digest(seed, *key, size=16))


def seed_of(seed: int, *key: str | int) -> int:
    """A seed for this key alone, 0 to 2^31 - 1 as model servers take them.

    >>> seed_of(1, "trial", "ann", 3) == seed_of(1, "trial", "ann", 3) != seed_of(1, "other")
    True
    """
    return stream(seed, *key).getrandbits(31)


def digest(*parts: str | int, size: int = 8) -> str:
    """A short hexadecimal digest of the parts, `2 * size` characters; order and borders matter."""
    text = "\x1f".join([f"{type(part).__name__}:{part}" for part in parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
