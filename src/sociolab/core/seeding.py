"""Reproducible randomness: generators, seeds and digests keyed by what they are for."""

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
    """The first item of each kind, then the second of each, and so on: any prefix is balanced.

    A kind of `weight` 2 has two items in a prefix for each item of a kind of weight 1.

    >>> from sociolab.core import interleave
    >>> interleave(["apple", "avocado", "apricot", "banana", "cherry"], lambda word: word[0])
    ('apple', 'banana', 'cherry', 'avocado', 'apricot')
    """
    counts: Counter[Hashable] = Counter()
    placed: list[tuple[float, T]] = []
    for item in items:
        item_kind = kind(item)
        placed.append(((counts[item_kind] + 0.5) / weight(item_kind), item))
        counts[item_kind] += 1
    return tuple(item for _, item in sorted(placed, key=lambda pair: pair[0]))


def stream(seed: int, *key: str | int) -> random.Random:
    """A random generator for this seed and key; the same pair gives the same numbers.

    >>> from sociolab.core import stream
    >>> stream(1, "trial", "seat", 3).random() == stream(1, "trial", "seat", 3).random()
    True
    """
    return random.Random(digest(seed, *key, size=16))


def derive_seed(seed: int, *key: str | int) -> int:
    """A seed for this key, from 0 to 2^31 - 1, as model servers accept them.

    >>> derive_seed(1, "ann", 3) == derive_seed(1, "ann", 3) != derive_seed(1, "ben", 3)
    True
    """
    return stream(seed, *key).getrandbits(31)


def digest(*parts: str | int, size: int = 8) -> str:
    """A hexadecimal digest of the parts, `2 * size` characters long.

    It depends on their order, on where each ends, and on whether they are text or numbers.

    >>> from sociolab.core import digest
    >>> digest("a", "b") == digest("ab"), len(digest("a", size=16))
    (False, 32)
    """
    text = "\x1f".join([f"{type(part).__name__}:{part}" for part in parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
