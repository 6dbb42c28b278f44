"""Places and tiles: what a town is made of, by name, and which of them somebody means."""

from __future__ import annotations

import re
from collections.abc import Sequence
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


@lru_cache(maxsize=8192)
def _words(text: str) -> str:
    """The words of a text between single spaces, without what does not tell one name from another:
    capitals, punctuation, small words, and an s at the end ("the Gym's", "Artists' House").
    """
    words = re.findall(r"\w+", re.sub(r"['\u2019]", "", text).casefold())
    return " ".join(word.rstrip("s") for word in words if word not in _SMALL)


def place_meant(text: str, places: Sequence[str]) -> str | None:
    """The one of these places that a name in words means; None if it means none or several.

    `places` are written "Sector: arena". Sector and arena may come in either order, with small
    words between them ("on the sports court of Riverside Gym"); one of the two is enough if no
    other of these places shares it.
    """
    said = _words(text)
    named = {place: [_words(part) for part in place.split(": ", 1)] for place in places}
    whole = [p for p, parts in named.items() if said in (" ".join(parts), " ".join(parts[::-1]))]
    found = whole or [place for place, parts in named.items() if said in parts]
    return found[0] if len(found) == 1 else None


def places_told(text: str, places: Sequence[str]) -> tuple[str, ...]:
    """The places of which whoever hears these words is told.

    Those are the arenas named together with their sector, in either order, and all arenas of a
    sector that is named alone: who can find a building finds its rooms. An arena alone ("the
    kitchen") tells of no place.
    """
    said = f" {_words(text)} "
    sectors: dict[str, list[str]] = {}
    for place in places:
        sectors.setdefault(_words(place.partition(": ")[0]), []).append(place)
    told: set[str] = set()
    for sector in sorted(sectors, key=len, reverse=True):  # a name may be a part of a longer one
        if f" {sector} " in said:
            rooms = {place: _words(place.partition(": ")[2]) for place in sectors[sector]}
            named = [
                place
                for place, room in rooms.items()
                if f" {sector} {room} " in said or f" {room} {sector} " in said
            ]
            told.update(named or rooms)
            said = said.replace(f" {sector} ", " | ")
    return tuple(place for place in places if place in told)
