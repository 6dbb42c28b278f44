"""Divisions of goods in words: written out, and read from what somebody says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from sociolab.worlds.sotopia.checks.shares import Goods
from sociolab.worlds.sotopia.checks.words import FILLERS, words
from sociolab.worlds.sotopia.scripted.hearing import plain

Share: TypeAlias = dict[str, int]
"""How many of each good one side gets; the other side gets the rest."""

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_IE = frozenset({"brownies", "cookies", "movies", "pies", "smoothies", "ties"})
_KEEPS_ARTICLES = FILLERS - {"a", "an", "the"}


def in_words(share: Mapping[str, int], counts: Mapping[str, int]) -> str:
    """A share as it is spoken: "all three porcini and one of the puffballs"; "nothing"."""
    parts = [_amount(share[good], counts[good], good) for good in counts if share[good] > 0]
    if not parts:
        return "nothing"
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def spoken_of(good: str, count: int) -> str:
    """The name of a good by the number that there is of it: "the orange", where it is one."""
    head, of, kind = good.partition(" of ")
    return _one(head) + of + kind if count == 1 else good


def rest(share: Mapping[str, int], counts: Mapping[str, int]) -> Share:
    """What the other side gets."""
    return {good: count - share[good] for good, count in counts.items()}


@lru_cache(maxsize=4096)
def speakers_share(text: str, counts: tuple[tuple[str, int], ...]) -> Mapping[str, int] | None:
    """What the speaker of this text would get, where it divides all the goods; else None.

    `counts` are the goods with their numbers. What is said of a good last counts.
    """
    share: Share = {}
    for proposal in _goods(counts).proposals(words(plain(text), _KEEPS_ARTICLES), 0):
        if proposal.split is None or proposal.doubt:
            share.pop(proposal.good, None)
        else:
            share[proposal.good] = proposal.split[0]
    return share if len(share) == len(counts) and share else None


def _amount(number: int, count: int, good: str) -> str:
    if number == count:
        if count == 1:
            return f"the {spoken_of(good, count)}"
        return f"both {good}" if count == 2 else f"all {_word(count)} {good}"
    return f"one of the {good}" if number == 1 else f"{_word(number)} {good}"


def _one(plural: str) -> str:
    """One piece of what is named by this: berry, box, rope; unchanged where it is no plural."""
    low = plural.lower()
    if low.endswith("ies") and low.split()[-1] not in _IN_IE:
        return plural[:-3] + "y"
    if low.endswith(("xes", "ches", "shes", "sses")) and not low.endswith("axes"):
        return plural[:-2]
    return plural[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else plural


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)


@lru_cache(maxsize=256)
def _goods(counts: tuple[tuple[str, int], ...]) -> Goods:
    return Goods(dict(counts))
