"""Places of the town, found in words: whole names, short forms, rooms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from sociolab.worlds.stss.talk.rules.patterns import Pattern

# What people call a building of this name; each is used only where the word stands in the name.
_KINDS = {
    "cafe": ("cafe", "café", "coffee shop", "coffee house"), "pub": ("pub",),
    "hardware": ("hardware store", "hardware shop", "hardware place", "ironmonger's"),
    "clinic": ("clinic", "doctor's", "health centre"),
    "college": ("college", "campus"),
    "park": ("park",),
    "bakery": ("bakery", "baker's"),
    "market": ("market", "grocer's", "grocery", "supermarket"),
    "gym": ("gym", "sports centre", "fitness centre"),
    "post": ("post office", "post"),
    "town": ("town hall",),
    "studios": ("studios", "mill", "old mill"),
    "student": ("student house", "student hostel", "students' house"),
    "artists'": ("artists' house", "artist house", "artists house"),
    "museum": ("museum",), "school": ("school",), "church": ("church",), "library": ("library",),
    "theatre": ("theatre",), "supply": ("supply store",), "store": ("store",), "shop": ("shop",),
    "pharmacy": ("pharmacy",), "bar": ("bar",), "dorm": ("dorm",), "dormitory": ("dorm",),
}  # fmt: skip
# Names of rooms that people shorten or replace.
_ROOMS = {
    "laboratory": ("laboratory", "lab"),
    "pond shore": ("pond shore", "pond", "shore", "water's edge", "duck pond", "by the water"),
    "sports court": ("sports court", "court", "sports hall", "indoor court"),
    "counter room": ("counter room", "counter", "front counter"),
    "shop floor": ("shop floor",),
    "painting studio": ("painting studio", "paint studio", "painters' studio", "painting room"),
    "pottery": ("pottery", "potter's studio", "pottery studio", "potters' workshop"),
    "meadow": ("meadow", "grass", "lawn"),
    "bandstand": ("bandstand",), "playground": ("playground", "swings"),
    "council chamber": ("council chamber", "chamber", "council room"),
    "registry": ("registry", "registrar's", "registry office"),
    "beer garden": ("beer garden", "garden"),
    "main hall": ("main hall", "big hall", "great hall"),
    "hall kitchen": ("hall kitchen", "kitchen"),
    "waiting room": ("waiting room", "waiting area"),
    "music room": ("music room",),
    "terrace": ("terrace", "patio"),
    "courtyard": ("courtyard", "yard", "quad"),
    "bakehouse": ("bakehouse", "oven room"),
    "shop": ("shop", "shop front"),
    "common room": ("common room", "lounge"),
    "gallery": ("gallery",), "stage": ("stage",),
    "foyer": ("foyer", "entrance hall", "lobby"),
    "lecture hall": ("lecture hall", "lecture theatre", "auditorium"),
    "pharmacy": ("pharmacy", "dispensary"),
    "bar room": ("bar room", "bar", "taproom"),
    "training room": ("training room", "weights room"),
    "storeroom": ("storeroom", "stockroom", "store room"),
    "workshop": ("workshop",),
    "library": ("library",),
}  # fmt: skip
# A first word of a name that is no name alone.
_NO_NAME = {"old", "town", "post", "student", "artists'", "the", "new", "st", "mill", "city", "oak"}
_LEAD = r"(?:the|our|your|my|his|her|their|this|that|at|to|in|from|by|{owner}) "


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that was said; `sector` or `arena` is "" where only the other was said."""

    sector: str
    arena: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gazetteer:
    """The names of a town, ready for searching.

    `sectors` finds sectors in small letters, `proper` the short names that need a capital.
    `of_word` tells which sector each of these words means, `rooms` how each sector's arenas are
    called and `only` the arenas that are found in one sector alone.
    """

    sectors: re.Pattern[str]
    proper: re.Pattern[str]
    arenas: re.Pattern[str]
    of_word: dict[str, str]
    rooms: dict[str, dict[str, str]]
    only: dict[str, str]


@lru_cache(maxsize=64)
def gazetteer(places: tuple[str, ...]) -> Gazetteer:
    """How the places of a town, each "Sector: arena", are recognised."""
    town: dict[str, list[str]] = {}
    for place in places:
        sector, _, arena = place.partition(": ")
        town.setdefault(sector, []).append(arena)
    common, proper = _names(town)
    rooms = {sector: _rooms(arenas) for sector, arenas in town.items()}
    words: dict[str, set[str]] = {}
    for sector, called in rooms.items():
        for word in called:
            words.setdefault(word, set()).add(sector)
    only = {word: next(iter(found)) for word, found in words.items() if len(found) == 1}
    last = _either({sector.split()[-1].lower() for sector in town})
    lead = _LEAD.format(owner=r"\w+'s")
    return Gazetteer(
        re.compile(
            rf"\b(?P<full>{_either(s.lower() for s in town)})\b|{lead}"
            rf"(?:(?:own|old|little|local|village|big|new) )?(?P<kind>{_either(common)})\b"
            rf"(?! (?:{_SURNAMES.lower()}|{_either(_others(town))})\b)"
            rf"|(?:^|, )(?P<bare>{_either(common)})(?=[,.?!]|$)"
            rf"|\b(?P<before>{_either(common)})(?=(?:'s)? (?:{_either(words)})\b)"
        ),
        re.compile(rf"\b(?P<name>{_either(proper)})\b(?:'s)?(?! (?:{_SURNAMES}))"),
        re.compile(
            rf"(?:^|[,.!?:;(-] |\b(?:the|a|in|at|on|of|by|to|into|your|my|our|his|her|their|this"
            rf"|that"
            rf"|own|from|or|and|not|no|s|{last}) )(?:(?:old|big|little|small|back|front|{_OF}) )?"
            rf"(?P<arena>{_either(words)})\b(?! (?:{_COUNTED})\b)"
        ),
        {**{s.lower(): s for s in town}, **common, **proper},
        rooms,
        only,
    )  # fmt: skip


# A building and a room with these between them are two places.
_BETWEEN = Pattern(r"\b(?:and|but|then)\b")
_OF = "mill|college|school|cafe|pub|clinic|hall|park|bakery|market|gym|town|indoor|student|studio"
_COUNTED = "one|two|three|sixty|forty|ten|\\d+|stool|hours|book|books|card|manager|class|party"
_SURNAMES = "Street|Lane|Road|Procession|procession|walk|parade"


def _names(town: dict[str, list[str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Short names that only one sector can have: in small letters, and with a capital."""
    common: dict[str, list[str]] = {}
    proper: dict[str, list[str]] = {}
    for sector in town:
        parts = sector.split()
        for first, second in _pairs(sector):
            if first == "old":
                common.setdefault(second, []).append(sector)  # Old Mill Studios are "the mill"
        for part in parts:
            for kind in _KINDS.get(part.lower(), ()):
                common.setdefault(kind, []).append(sector)
        for size in range(1, len(parts)):
            for begin in range(len(parts) - size + 1):
                name = " ".join(parts[begin : begin + size])
                if not (name.lower() in _NO_NAME or name[0].isdigit()):
                    proper.setdefault(name, []).append(sector)
    return _alone(common), _alone(proper)


def _others(town: Iterable[str]) -> list[str]:
    """What stands in a name behind a word that names another sector: "clinic" of Mill Clinic."""
    old = {second for one in town for first, second in _pairs(one) if first == "old"}
    return [then for one in town for word, then in _pairs(one) if word in old and "old" not in one]


def _pairs(name: str) -> list[tuple[str, str]]:
    return list(pairwise(name.lower().split()))


def _alone(names: dict[str, list[str]]) -> dict[str, str]:
    return {name: found[0] for name, found in names.items() if len(set(found)) == 1}


def _rooms(arenas: Iterable[str]) -> dict[str, str]:
    """What the arenas of one sector are called, word to arena; the whole name comes first."""
    called: dict[str, str] = {}
    doubtful: set[str] = set()
    for arena in arenas:
        for word in (arena.lower(), *_ROOMS.get(arena.lower(), ())):
            if called.setdefault(word, arena) != arena and word not in {a.lower() for a in arenas}:
                doubtful.add(word)
    return {word: arena for word, arena in called.items() if word not in doubtful}


def _either(words: Iterable[str]) -> str:
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word) for word in longest) or "(?!)"


@lru_cache(maxsize=8192)
def mentions_in(quote: str, text: str, places: tuple[str, ...]) -> tuple[Mention, ...]:
    """Each place that a sentence names, in order; `text` is the sentence in small letters.

    A sector and the arena said beside it are one mention.
    """
    names = gazetteer(places)
    sectors = _sectors(quote, text, names)
    taken = [span for _, span in sectors]
    arenas = [
        (match["arena"], match.span("arena"))
        for match in names.arenas.finditer(text)
        if not any(match.start("arena") < end and begin < match.end() for begin, end in taken)
    ]
    found: list[Mention] = []
    used: set[int] = set()
    for sector, span in sectors:
        best = _beside(text, sector, span, arenas, used, names)
        if best is None:
            found.append(Mention(sector, "", span))
            continue
        used.add(best)
        word, at = arenas[best]
        both = (min(span[0], at[0]), max(span[1], at[1]))
        found.append(Mention(sector, names.rooms[sector][word], both))
    for number, (word, span) in enumerate(arenas):
        if number not in used:
            found.append(Mention("", word, span))
    return tuple(sorted(found, key=lambda one: one.span))


def _sectors(quote: str, text: str, names: Gazetteer) -> list[tuple[str, tuple[int, int]]]:
    found: list[tuple[str, tuple[int, int]]] = []
    plain = quote.replace("\u2019", "'")
    for pattern, where in ((names.sectors, text), (names.proper, plain)):
        for match in pattern.finditer(where):
            group = str(match.lastgroup)
            span = match.span(group)
            if not any(span[0] < end and begin < span[1] for _, (begin, end) in found):
                found.append((names.of_word[match[group]], span))
    return sorted(found, key=lambda one: one[1])


def _beside(
    text: str,
    sector: str,
    span: tuple[int, int],
    arenas: list[tuple[str, tuple[int, int]]],
    used: set[int],
    names: Gazetteer,
) -> int | None:
    """Which of the arenas said is this sector's and stands nearest, within a few words."""
    near = [
        (max(span[0] - at[1], at[0] - span[1]), number)
        for number, (word, at) in enumerate(arenas)
        if number not in used
        and word in names.rooms[sector]
        and not _BETWEEN.search(text[min(span[1], at[1]) : max(span[0], at[0])])
    ]
    close = [one for one in near if one[0] <= 36]
    return min(close)[1] if close else None
