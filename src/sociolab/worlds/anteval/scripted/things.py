"""What stands around at the table's scene, as far as the situation says it."""

from __future__ import annotations

import re
from functools import lru_cache

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_CUES = ("eyes fall on", "they see", "Before them", "They make out", "they find", "points out")
_THING = re.compile(r"\b[Aa]n? ((?:[a-z][a-z'-]*)(?: [a-z][a-z'-]*){0,4})")
_AFTER = (
    "with in on at that which whose who from to and by without behind above below through for "
    "into than as but then is was has had where up down out off over under between beside "
    "laid cut left tied hung sewn packed stopped full covered few caught split built asleep "
    "bigger smaller taller longer no all"
)
"""Begins the words about a thing, which its name does not need."""
_END = frozenset(_AFTER.split())
_LONGEST = 4


@lru_cache(maxsize=2048)
def things_in(situation: str) -> tuple[str, ...]:
    """Things that the party sees, such as "the lacquer cabinet"; none where it does not say."""
    found = []
    for sentence in _SENTENCE.split(situation):
        if any(cue in sentence for cue in _CUES):
            for match in _THING.finditer(sentence):
                words = _head(match[1].split())
                if words:
                    found.append("the " + " ".join(words))
    return tuple(dict.fromkeys(found))


def _head(words: list[str]) -> list[str]:
    """The words up to what is said about the thing; "row of barrels" stays whole."""
    kept: list[str] = []
    for word in words:
        if word in _END or (kept and word.endswith(("ed", "ing")) and kept[-1] != "of"):
            break
        kept.append(word)
    while kept and kept[-1] == "of":
        kept.pop()
    return kept[:_LONGEST]
