"""Whether an action is the one that a task asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sociolab.worlds.stss.task import Errand, SocialTask

# Curly apostrophes are straight ones, and all hyphens one hyphen.
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u00ad": None}
)
_BETWEEN = r"[\s-]+"
_LEAST_HALF = 4
"""Letters of either half of a compound that may be written apart ("slideshow", "slide show")."""


class Keywords:
    """Any of some words or phrases, each whole, ignoring case; without any, nothing matches.

    Hyphen, space and nothing between two words are equal, and so are a word and its plural.
    """

    def __init__(self, words: Iterable[str]) -> None:
        split = (re.split(_BETWEEN, word.translate(_PLAIN).strip(" \t\n-")) for word in words)
        phrases = sorted({tuple(parts) for parts in split if parts[0]})
        # An empty alternation would match everywhere; a lookahead that fails matches nowhere.
        either = "|".join(map(_pattern, phrases)) or r"(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
        self._beginnings = tuple({_beginning(parts[0]) for parts in phrases})

    def said(self, text: str) -> bool:
        """Whether the text holds one of them."""
        plain = text.translate(_PLAIN)
        # Most texts hold no part of any of them, which is seen ten times as fast.
        folded = plain.casefold().replace("-", "")
        if not any(beginning in folded for beginning in self._beginnings):
            return False
        return self._pattern.search(plain) is not None


def spoken_place(place: str) -> str:
    """What people call a place in a talk: its sector, since every home has a kitchen."""
    return place.partition(":")[0]


def filtered(task: SocialTask, errand: Errand | None = None) -> Keywords:
    """The paper's filter: an action that holds one of the keywords (or, without any, the activity)
    is taking part, or the errand is being done. It reads nothing else: "skipping the picnic" holds
    "picnic", which is why a model may read the actions beside it."""
    if errand is not None:
        return Keywords(errand.keywords)
    return Keywords(task.keywords or (task.activity,))


def _pattern(parts: tuple[str, ...]) -> str:
    *first, last = parts
    if not first and last.isalpha() and len(last) >= 2 * _LEAST_HALF:
        return _compound(last)
    return r"[\s-]*".join((*map(_letters, first), _singular_or_plural(last)))


def _compound(word: str) -> str:
    """A long word, whole or written as two."""
    halves = range(_LEAST_HALF, len(word) - _LEAST_HALF + 1)
    apart = (rf"{_letters(word[:at])}\s{_singular_or_plural(word[at:])}" for at in halves)
    return "|".join((_singular_or_plural(word), *apart))


def _singular_or_plural(word: str) -> str:
    plain = word.casefold()
    if not plain.isalpha() or plain.endswith("ing"):
        return _letters(word)
    if plain.endswith("y") and plain[-2:-1] not in "aeiou":
        return rf"{_letters(word[:-1])}(?:y|ies)"
    if plain.endswith(("ss", "x", "z", "ch", "sh")):
        return rf"{_letters(word)}(?:es)?"
    return _letters(word) if plain.endswith("s") else rf"{_letters(word)}s?"


def _letters(word: str) -> str:
    """The word, wherever a hyphen may stand in it ("on-line")."""
    return "-?".join(map(re.escape, word))


def _beginning(word: str) -> str:
    """Letters with which every form of a word begins."""
    folded = word.casefold()
    return folded[:_LEAST_HALF].removesuffix("y") or folded
