"""Invented names: pronounceable, in no dictionary, and never the same in two sessions."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest, stream
from sociolab.worlds.anteval.information.lexicon import is_known

BLOCK = 192
"""How many names are set aside for one session."""

_PARTS = ("onsets", "first_vowels", "middles", "second_vowels", "endings")
_NUMBERED = re.compile(r"(\d+)$")
_HALF = 2048
"""Half of the permuted numbers' bits: 2048 squared is more than there are names."""
_SHARED = 1
"""Two names of a session have no more parts in common, so that neither passes for the other."""


def session_names(seed: int, session: str, part: Literal["knowledge", "guesses"]) -> Iterator[str]:
    """The names of a session, one after the other; no two of them are easily confused.

    All names are numbered and permuted by the seed. A session has the block that the number at
    the end of its id says, one half for each part, so that sessions with different numbers share
    no name (12,000 of them). ConfigError where the names are used up.
    """
    tables = _tables()
    total = math.prod(len(table) for table in tables)
    half = BLOCK // 2
    block = _number(session) % (total // BLOCK)
    first = block * BLOCK + (half if part == "guesses" else 0)
    given: list[tuple[str, ...]] = []
    for index in range(first, first + half):
        parts = _parts(_permuted(index, seed, total), tables)
        name = "".join(parts)
        if all(_alike(parts, other) <= _SHARED for other in given) and not is_known(name):
            given.append(parts)
            yield name.capitalize()
    raise ConfigError(
        f'expected facts that need at most {len(given)} invented names in session "{session}", '
        "found more; ask for fewer facts"
    )


def _alike(name: tuple[str, ...], other: tuple[str, ...]) -> int:
    return sum(a == b for a, b in zip(name, other, strict=True))


def _number(session: str) -> int:
    found = _NUMBERED.search(session)
    return int(found[1]) if found else int(digest(session), 16)


def _permuted(number: int, seed: int, total: int) -> int:
    """Where a number below the total comes to lie: a Feistel network, walked until it is below."""
    while True:
        high, low = divmod(number, _HALF)
        for table in _rounds(seed):
            high, low = low, high ^ table[low]
        number = high * _HALF + low
        if number < total:
            return number


@lru_cache(maxsize=64)
def _rounds(seed: int) -> tuple[tuple[int, ...], ...]:
    chance = stream(seed, "invented names")
    return tuple(tuple(chance.randrange(_HALF) for _ in range(_HALF)) for _ in range(4))


def _parts(number: int, tables: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    parts = []
    for table in reversed(tables):
        number, at = divmod(number, len(table))
        parts.append(table[at])
    return tuple(reversed(parts))


@cache
def _tables() -> tuple[tuple[str, ...], ...]:
    folder = files("sociolab.worlds.anteval").joinpath("data", "knowledge")
    found = tomllib.loads(folder.joinpath("names.toml").read_text("utf-8"))
    return tuple(tuple(found[part]) for part in _PARTS)
