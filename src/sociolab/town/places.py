"""Places and tiles: what a town is made of, by name, and which of them somebody means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

Tile: TypeAlias = tuple[int, int]
"""Column x (0 is west) and row y (0 is north)."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """An arena of a sector: a room, a garden, a shop floor.

    Written "Sector: arena", as in prompts, plans and traces.
    """

    sector: str
    arena: str

    def __str__(self) -> str:
        return f"{self.sector}: {self.arena}"


OUTDOORS = Place("", "")
"""Where no arena is: the streets and meadows between them."""


_SMALL = frozenset(["the", "at", "by", "in", "inside", "of", "on", "to"])


def _words(text: str) -> str:
    """The words of a text, without what does not tell one name from another: capitals,
    punctuation, small words, and an s at the end ("the Gym's", "Artists' House").
    """
    words = re.findall(r"\w+", re.sub(r"['\u2019]", "", text).casefold())
    return " ".join(word.rstrip("s") for word in words if word not in _SMALL)


@lru_cache(maxsize=64)
def _sectors(places: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """The words of each sector, with the words of its arenas and their places.

    The longest sector comes first: a name may be a part of a longer one.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for place in places:
        sector, _, arena = place.partition(": ")
        found.setdefault(_words(sector), []).append((_words(arena), place))
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def place_meant(text: str, places: tuple[str, ...]) -> str | None:
    """The one of these places that a name in words means; None if it means none or several.

    `places` are written "Sector: arena". Sector and arena may come in either order, with small
    words between them ("on the sports court of Riverside Gym"); one of the two is enough if no
    other of these places shares it.
    """
    said = _words(text)
    named = [(sector, *one) for sector, inside in _sectors(places).items() for one in inside]
    whole = [place for s, a, place in named if said in (f"{s} {a}", f"{a} {s}")]
    found = whole or [place for s, a, place in named if said in (s, a)]
    return found[0] if len(found) == 1 else None


def places_told(text: str, places: tuple[str, ...]) -> tuple[str, ...]:
    """The places of which whoever hears these words is told, in the order given.

    Those are the arenas named together with their sector, in either order, and all arenas of a
    sector that is named alone: who can find a building finds its rooms. An arena alone ("the
    kitchen") tells of no place.
    """
    said = f" {_words(text)} "
    told: list[str] = []
    for s, inside in _sectors(places).items():
        if f" {s} " in said:
            named = [place for a, place in inside if f" {s} {a} " in said or f" {a} {s} " in said]
            told += named or [place for _, place in inside]
            said = said.replace(f" {s} ", " | ")
    return tuple(place for place in places if place in told)
