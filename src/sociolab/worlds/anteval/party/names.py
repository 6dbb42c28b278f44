"""Invented names by race; in a session no two first names begin alike."""

from __future__ import annotations

import re
from collections.abc import Collection
from random import Random

from sociolab.worlds.anteval.party.tables import Names, Syllables, pick

_ALIKE = 2
"""Names that share so many first letters are alike."""

_TRIPLED = re.compile(r"(.)\1\1", re.IGNORECASE)
_SHORTEST, _LONGEST = 4, 9
"""Letters of a first name."""


def invented(syllables: Syllables, chance: Random) -> str:
    """One name of this grammar, with no letter three times in a row."""
    while True:
        start, middle = pick(syllables.start, chance), pick(syllables.middle, chance)
        name = start + middle + pick(syllables.end, chance)
        if not _TRIPLED.search(name):
            return name


def first_name(syllables: Syllables, chance: Random, taken: Collection[str]) -> str:
    """A name that is not like one of those taken: its first two letters are others than theirs."""
    beginnings = {name[:_ALIKE].casefold() for name in taken}
    while True:
        name = invented(syllables, chance)
        if _SHORTEST <= len(name) <= _LONGEST and name[:_ALIKE].casefold() not in beginnings:
            return name


def full_name(names: Names, race: str, chance: Random, taken: Collection[str]) -> str:
    """A first and a second name for somebody of this race."""
    first = first_name(names.first[race], chance, taken)
    return f"{first} {invented(names.second[race], chance)}"
