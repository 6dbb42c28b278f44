"""Places, found in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sociolab.town.scripted.when import Span
from sociolab.town.thoughts import Me

# The room of a building that one means by naming the building, the likeliest first.
_FRONT = (
    "counter", "cafe", "pub", "bar", "main", "shop", "store", "hall", "meadow", "park", "garden",
    "foyer", "waiting", "training", "courtyard", "common", "living", "lecture", "class", "gallery",
    "studio", "library",
)  # fmt: skip
_BACK = ("hallway", "bath", "bed", "kitchen", "storeroom", "closet", "backstage")
# The preposition that goes with a room, by a word of its name; "in" for all others.
_ON = ("terrace", "stage", "court", "floor", "square", "lawn", "roof")
_AT = ("meadow", "shore", "bandstand", "playground", "pond", "lake", "park", "beach")
_SMALL = r"at|on|in|from|and|for|to|with|then|tomorrow|today|tonight|this|next|of|or|by|so|if|but"
# A place that is not known yet is believed when it is written out and a preposition leads to it.
_WRITTEN = re.compile(
    r"\b(?:at|to|in|from|of|place:|places:)\s+(?:the )?"
    r"((?:[A-Z0-9][\w'&'-]*)(?: (?:of |the )?[A-Z0-9&][\w'&'-]*)*): "
    rf"(?:the )?((?!(?:{_SMALL})\b)[a-zA-Z][\w'-]*(?: (?!(?:{_SMALL})\b)[\w'-]+){{0,2}})"
)


def town_of(me: Me) -> tuple[str, ...]:
    """The places that one recognises when they are said: all in town, known or not."""
    return me.names or me.places


@lru_cache(maxsize=4096)
def spoken(place: str) -> str:
    """A place as people say it, with its preposition: "on the terrace of Lantern Cafe".

    `places_in` reads it back. What is not written "Sector: arena" is said as it is.
    """
    sector, colon, arena = place.partition(": ")
    if not colon or arena.lower() in sector.lower():
        return f"at {sector}"
    words = arena.lower().split()
    lead = next((lead for lead, some in (("on", _ON), ("at", _AT)) if set(words) & set(some)), "in")
    article = "" if re.fullmatch(r"room \w", arena) else "the "
    joint = "at" if sector[0].isdigit() else "in" if sector.endswith("Park") else "of"
    return f"{lead} {article}{arena} {joint} {sector}"


@dataclass(frozen=True, slots=True)
class _Index:
    """The places of one resident, ready for searching."""

    pattern: re.Pattern[str] | None
    sectors: dict[str, tuple[str, ...]]
    exact: dict[tuple[str, str], str]
    alone: dict[str, str]


@lru_cache(maxsize=4096)
def _index(places: tuple[str, ...]) -> _Index:
    sectors: dict[str, tuple[str, ...]] = {}
    exact: dict[tuple[str, str], str] = {}
    arenas: dict[str, list[str]] = {}
    for place in places:
        sector, _, arena = place.lower().partition(": ")
        sectors[sector] = (*sectors.get(sector, ()), place)
        exact[sector, arena] = place
        arenas.setdefault(arena, []).append(place)
    alone = {arena: found[0] for arena, found in arenas.items() if len(found) == 1 and arena}
    if not places:
        return _Index(None, sectors, exact, alone)
    rooms = _either(arenas)
    pattern = re.compile(
        rf"\b(?:(?P<of>{rooms}),? (?:of|at|in) (?:the )?)?(?P<sector>{_either(sectors)})\b"
        rf"(?:(?:'s)?(?:\s*[:,]\s*|\s)(?:the )?(?P<arena>{rooms})\b)?"
        rf"|\b(?:at|in|to|from) the (?P<alone>{_either(alone)})\b"
        rf"(?!(?: [\w'-]+)?,? (?:of|at|in) (?:the )?(?:{_either(sectors)})\b)"
    )
    return _Index(pattern, sectors, exact, alone)


def _either(words: Iterable[str]) -> str:
    longest = sorted((word for word in words if word), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word) for word in longest) or "(?!)"


@lru_cache(maxsize=4096)
def places_in(text: str, places: tuple[str, ...]) -> tuple[tuple[str, Span], ...]:
    """The places that a text names, as "Sector: arena" with their spans, in order.

    Understood are "Sector: arena", "Sector, the arena", "Sector arena", "the arena of Sector", a
    sector alone (its front room) and "in the arena" where only one is called so. A place that is
    not among `places` is read only where it is written out after a preposition.
    """
    index = _index(places)
    found: list[tuple[str, Span]] = []
    if index.pattern is not None:
        for match in index.pattern.finditer(text.lower()):
            found.extend(_meant(match, index))
    for match in _WRITTEN.finditer(text):
        span = match.span(1)[0], match.end(2)
        known = next((one for one in found if one[1][0] < span[1] and span[0] < one[1][1]), None)
        if known is None:
            found.append((f"{match[1]}: {match[2].strip()}", span))
        elif known[1][1] < match.start(2):
            # The sector is known, the arena is not: what was said counts, not the front room.
            found[found.index(known)] = (f"{match[1]}: {match[2].strip()}", span)
    return tuple(sorted(found, key=lambda one: one[1]))


def _meant(match: re.Match[str], index: _Index) -> list[tuple[str, Span]]:
    if match["alone"]:
        return [(index.alone[match["alone"]], match.span("alone"))]
    sector = match["sector"]
    for arena in ("arena", "of"):
        if match[arena] and (sector, match[arena]) in index.exact:
            ends = match.span(arena), match.span("sector")
            span = min(ends)[0], max(ends)[1]
            return [(index.exact[sector, match[arena]], span)]
    return [(front_room(index.sectors[sector]), match.span("sector"))]


def front_room(places: tuple[str, ...]) -> str:
    """Of a sector's arenas, the one that is meant by the sector's name alone."""

    def rank(place: str) -> tuple[bool, int]:
        arena = place.partition(": ")[2].lower()
        hidden = any(word in arena for word in _BACK)
        return hidden, next((n for n, word in enumerate(_FRONT) if word in arena), len(_FRONT))

    return min(places, key=rank)


def arena_like(places: tuple[str, ...], *words: str, sector: str = "") -> str:
    """The first known place whose name holds one of the words, the earliest word first; or ""."""
    inside = tuple(one for one in places if not sector or one.startswith(f"{sector}: "))
    for word in words:
        hits = tuple(one for one in inside if word in one.lower())
        if hits:
            return front_room(tuple(h for h in hits if _same_sector(h, hits[0])))
    return ""


def _same_sector(place: str, other: str) -> bool:
    return place.partition(": ")[0] == other.partition(": ")[0]


def known_place(place: str, places: tuple[str, ...]) -> str:
    """The known place of this name, its sector's front room for a sector, or ""."""
    if place in places:
        return place
    index = _index(places)
    sector, _, arena = place.lower().partition(": ")
    if (sector, arena) in index.exact:
        return index.exact[sector, arena]
    inside = index.sectors.get(sector, ())
    return front_room(inside) if inside and not arena else ""
