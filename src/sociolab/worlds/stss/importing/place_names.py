"""The names of a town's places as other people's texts and records spell them."""

from __future__ import annotations

import re
from difflib import get_close_matches

from sociolab.town.map import TownMap

CLOSE = 0.75
"""A name that is at least so like one on the map may stand for it (difflib's ratio; 0-1)."""


class PlaceNames:
    """Finds places of a map by name: "Sector", "Sector:arena", or with the world before them."""

    def __init__(self, town: TownMap) -> None:
        self._town = town
        self._sectors = {_plain(sector): sector for sector in town.sectors}
        # the longest first: one name may begin with another
        longest = sorted(self._sectors, key=lambda name: (-len(name), name))
        self._in_text = re.compile("|".join(rf"(?<!\w){re.escape(n)}(?!\w)" for n in longest))

    def resolve(self, written: str) -> str:
        """ "Sector: arena" or a sector as the map spells it; "" where the map has no such place."""
        parts = [part.strip() for part in written.split(":")]
        if len(parts) == 1:
            return self._sectors.get(_plain(parts[0]), "")
        place = self._town.place(f"{parts[-2]}: {parts[-1]}")
        return "" if place is None else str(place)

    def nearest(self, written: str) -> str:
        """The place that a wrong name probably means; "" where none is like it."""
        sector, *arena = (part.strip() for part in written.split(":"))
        close = get_close_matches(_plain(sector), self._sectors, n=1, cutoff=CLOSE)
        if not close:
            return ""
        right = self._sectors[close[0]]
        return self.resolve(": ".join((right, *arena))) or right

    def mentioned(self, text: str) -> tuple[str, ...]:
        """The sectors that a text names, in order, each once."""
        found = (self._sectors[match.group()] for match in self._in_text.finditer(_plain(text)))
        return tuple(dict.fromkeys(found))


def sector_of(place: str) -> str:
    """The sector of "Sector: arena" or of a sector."""
    return place.partition(": ")[0]


def _plain(name: str) -> str:
    return " ".join(name.replace("\u2019", "'").casefold().split())
