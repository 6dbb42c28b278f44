"""Places called after people: "at Suresh's", "Winston's counter", "where Marcus works", "my place".

Who lives and works where is read from what the town knows of its residents.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sociolab.town.residents import Resident
from sociolab.worlds.stss.talk.findings import Person
from sociolab.worlds.stss.talk.rules.patterns import Pattern
from sociolab.worlds.stss.talk.rules.place_words import Mention, gazetteer

# What people call the place where somebody lives, and where somebody works, beside its rooms.
_HOME = (
    "place|house|home|flat|kitchen|living room|garden|room|cottage|rooms|door|doorstep|table|porch"
    "|sofa|parlour"
)
_WORK = (
    "shop|store|cafe|pub|clinic|studio|library|bakery|market|office|counter|kitchen|gym|bar"
    "|back room|beer garden|surgery|pharmacy|registry|bakehouse|gallery|training room|workshop"
    "|practice|place of work|till|post office|place|shelves|kiln|stall|premises|establishment"
    "|classroom|lab|laboratory"
)
_SMALL = r"(?:(?:own|little|old|big|small|good old) )*"
_TO = r"(?:at|to|from|in|into|by|over at|over to|round to|round at|off|near) "
_LIVES = r"(?:lives?|sleeps?|stays?|resides?)"
_IDLE = Pattern(r"\b(?:retired|often|mornings|afternoons|evenings|sometimes|former)\b")
_LEARNS = Pattern(r"\b(?:student|pupil|postgraduate|apprentice|learner)\b")
_SERVES = Pattern(r"\b(?:serves|works|helps|waits|teaches|warden|keeper)\b")
_PLAIN = frozenset(("owner", "keeper", "student", "teacher", "the", "a", "an", "first-year", "who"))
_CHEAP = re.compile(r"'s\b|s'|\b(?:my|your|our|mine|yours|ours|his|hers?|where|home)\b")
_THIRD = ("his", "her", "hers", "he", "she")

Seats: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Speaker, hearer, and those whom "he" or "she" may be, by first name in small letters."""

_LEAST = 4
"""Letters that a trade and a place have in common at least: "postmaster", "Post Office"."""


@dataclass(frozen=True, slots=True)
class Townsfolk:
    """Who lives and works where, by first name in small letters; what each trade's place is."""

    homes: dict[str, str]
    works: dict[str, str]
    trades: dict[str, str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=64)
def townsfolk(people: tuple[Person, ...], places: tuple[str, ...]) -> Townsfolk:
    """What is known of a town's residents; people of one first name are left out."""
    sectors = tuple(dict.fromkeys(place.partition(": ")[0] for place in places))
    named = Counter(_first(one) for one in people)
    alone = [one for one in people if named[_first(one)] == 1]
    works = {_first(one): at for one in alone if (at := work_of(one.known_as, sectors))}
    homes = {_first(one): one.home.partition(": ")[0] for one in alone if one.home}
    trades = _trades(alone, works)
    return Townsfolk(homes, works, trades, _pattern([_first(one) for one in alone], trades, places))


def work_of(known_as: str, sectors: tuple[str, ...]) -> str:
    """The sector that somebody is known to work at, ""; who only learns there does not work."""
    if _IDLE.search(known_as):
        return ""
    if _LEARNS.search(known_as):
        serves = _SERVES.search(known_as)
        known_as = known_as[serves.start() :] if serves else ""
    if named := [(known_as.rfind(one), one) for one in sectors if one in known_as]:
        return max(named)[1]
    like = {s for s in sectors for w in s.lower().split() for t in _trade(known_as) if _akin(w, t)}
    return like.pop() if len(like) == 1 else ""


def work_at(resident: Resident, places: tuple[str, ...]) -> str:
    """The sector that a resident works at, ""."""
    return _work_in(resident.known_as, places)


@lru_cache(maxsize=512)
def _work_in(known_as: str, places: tuple[str, ...]) -> str:
    return work_of(known_as, tuple(dict.fromkeys(place.partition(": ")[0] for place in places)))


def _akin(place: str, trade: str) -> bool:
    return len(place) >= _LEAST and trade.startswith(place)


def _trade(known_as: str) -> tuple[str, ...]:
    """What somebody is: "the baker of Larkfield Bakery" is a baker."""
    words = re.split(r" (?:of|at|in|for|who)\b|,", known_as.lower())[0].split()
    return tuple(word for word in words if word not in _PLAIN)


def _trades(people: list[Person], works: dict[str, str]) -> dict[str, str]:
    of_trade: dict[str, set[str]] = {}
    for one in people:
        words = _trade(one.known_as)
        if words and (at := works.get(_first(one))):
            for name in {words[-1], " ".join(words)}:
                of_trade.setdefault(name, set()).add(at)
    return {name: at.pop() for name, at in of_trade.items() if len(at) == 1}


def _pattern(names: list[str], trades: dict[str, str], places: tuple[str, ...]) -> re.Pattern[str]:
    rooms = {word for called in gazetteer(places).rooms.values() for word in called}
    what = "|".join(sorted({*_HOME.split("|"), *_WORK.split("|"), *map(re.escape, rooms)},
                           key=lambda word: -len(word)))  # fmt: skip
    who = rf"(?:(?P<name>{_any(names)})|the (?P<trade>{_any(trades)}))"
    return re.compile(
        rf"\b(?:(?P<pronoun>my|your|our|his|her) {_SMALL}(?P<what>{what})\b"
        rf"|(?P<alone>(?:{_TO}))(?P<bare>mine|yours|ours|hers|his(?=[.,!?;:]|$))(?!\w)"
        r"|(?P<home>at (?:my |our )?(?:own )?home\b(?! in)|home with me\b)"
        rf"|{who}'s? {_SMALL}(?P<theirs>{what})\b"
        rf"|{_TO}(?:(?P<name2>{_any(names)})|the (?P<trade2>{_any(trades)}))'s?"
        rf"(?=[.,!?;:]|$| (?!\w+ing\b)(?:and|for|on|at|in|with|today|tomorrow|tonight|to|by|before"
        rf"|after|this|first|then|or|when|as|the|again|over|around)\b)"
        rf"|where (?:(?P<name3>{_any(names)})|the (?P<trade3>{_any(trades)})|(?P<self>i|you|we"
        rf"|he|she))"
        rf"(?:'s|'m|'re)? (?:(?P<lives>{_LIVES})\b|(?!said|told|want|can|could|should|shall|will"
        rf"|would"
        rf"|might|may|is|was|are|think|like|went|saw|met|has|had|do|did|does|prefer|please|stand"
        rf"|sit|grew|come|go|need|keep)\w+))"
    )


def _first(one: Person) -> str:
    return one.name.split()[0].lower()


def _any(words: list[str] | dict[str, str]) -> str:
    return "|".join(sorted((re.escape(one) for one in words), key=lambda w: -len(w))) or "(?!)"


def whose_places(
    text: str, seats: Seats, people: tuple[Person, ...], places: tuple[str, ...]
) -> tuple[Mention, ...]:
    """What may be meant by a place called after somebody; the likeliest first.

    `seats` are the speaker, the hearer, and those whom "he" or "she" may be: first names in small
    letters, as is `text`.
    """
    if not _CHEAP.search(text):
        return ()
    town = townsfolk(people, places)
    found: list[Mention] = []
    for match in town.pattern.finditer(text):
        found += _meant(match, town, seats, places)
    return tuple(found)


def _meant(
    match: re.Match[str], town: Townsfolk, seats: Seats, places: tuple[str, ...]
) -> list[Mention]:
    word = match["what"] or match["theirs"] or ""
    if trade := match["trade"] or match["trade2"] or match["trade3"]:
        return _at([town.trades[trade]], word, match, places)
    said = match["pronoun"] or match["bare"] or match["self"] or ""
    names: tuple[str, ...] = (match["name"] or match["name2"] or match["name3"] or "",)
    if said or match["home"]:
        names = (seats[1],) if said.startswith("you") else (seats[0],)
        names = seats[2] if said in _THIRD else names
    found = []
    for name in names:
        home, work = town.homes.get(name, ""), town.works.get(name, "")
        found += _at(_wanted(match, word, home, work, places), word, match, places)
    return found


def _wanted(
    match: re.Match[str], word: str, home: str, work: str, places: tuple[str, ...]
) -> list[str]:
    """Home or work or both, the likelier first."""
    if match["home"] or match["lives"]:
        return [home]
    if match["self"] or match["name3"]:
        return [work]
    if not word:
        return [home, work] if match["bare"] else [work, home]
    rooms = gazetteer(places).rooms
    at_home = word in _HOME.split("|") or word in rooms.get(home, {})
    at_work = word in _WORK.split("|") or word in rooms.get(work, {})
    return [*([home] if at_home else ()), *([work] if at_work else ())]


def _at(
    sectors: list[str], word: str, match: re.Match[str], places: tuple[str, ...]
) -> list[Mention]:
    rooms = gazetteer(places).rooms
    return [Mention(at, rooms.get(at, {}).get(word, ""), match.span()) for at in sectors if at]
