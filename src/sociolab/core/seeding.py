"""Random numbers keyed by what they are for, never global."""

from __future__ import annotations

import hashlib
import random


def stream(seed: int, *key: str | int) -> random.Random:
    """A generator of its own for this seed and key; the same pair gives the same numbers.

    >>> stream(1, "trial", "seat", 3).random() == stream(1, "trial", "seat", 3).random()
    True
    """
    return random.Random(digest(seed, *key, size=16))


def digest(*parts: str | int, size: int = 8) -> str:
    """A short hexadecimal digest of the parts, `2 * size` characters; order and borders matter."""
    text = "\x1f".join([f"{type(part).__name__}:{part}" for part in parts])
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()
