"""What a resident does on ordinary days: lifestyle and routine read from their words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sociolab.town.residents import Resident
from sociolab.town.scripted.phrases import a
from sociolab.town.scripted.verbs import doing
from sociolab.town.scripted.when import minutes_of, times
from sociolab.town.scripted.where import front_room, known_place, places_in

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PRIVATE = re.compile(r"bedroom|bathroom|living room|main room|common room|'s room|^room \w+$")
# What one does for pleasure or for the household can wait; everything else away from home is duty.
_PLEASURE = re.compile(
    r"(?:tak|walk|stroll|drink|read|watch|listen|rest|relax|nap|play|talk|chat|run|jog|exercis|lift"
    r"|swim|look|buy|shop|water|knit|hav|eat|spend|sit|lik|play|enjoy|meet|visit|feed)\w*ing\b|"
    r"taking|having|lying"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing done regularly, from minute to minute of the day, on these weekdays (0 Monday).

    `duty` is work and study, which are not left for pleasure.
    """

    what: str
    place: str
    start: int
    end: int
    days: frozenset[int]
    duty: bool


@dataclass(frozen=True, slots=True)
class Habits:
    """An ordinary day: minutes since midnight (`bed` may lie past 24 hours), and what is regular.

    `rooms` names where one eats, rests and sleeps; each is "" if no such place is known.
    """

    wake: int
    lunch: int
    supper: int
    bed: int
    clauses: tuple[Clause, ...]
    kitchen: str
    parlour: str
    bedroom: str


@lru_cache(maxsize=4096)
def _habits(
    lifestyle: str, routine: str, learned: str, home: str, places: tuple[str, ...]
) -> Habits:
    text = lifestyle.lower()
    wake = _after(text, r"(?:gets? up|wakes? up|awakes?(?: up)?|rises?)", 7 * 60)
    bed = _after(text, r"(?:goes to (?:bed|sleep)|sleeps?|bed)", 22 * 60 + 30)
    bed = bed if bed > wake + 240 else bed + 24 * 60
    wake = min(wake, 11 * 60)
    bedroom = known_place(home, places) or next((p for p in places if home and home in p), "")
    sector = bedroom.partition(": ")[0]
    inside = tuple(place for place in places if place.startswith(f"{sector}: ")) if sector else ()
    return Habits(
        wake,
        _after(text, r"lunch", 12 * 60 + 30),
        _after(text, r"(?:supper|dinner)", 18 * 60 + 30),
        bed,
        _clauses(routine, places, sector) or _guessed(learned, places, bedroom),
        _room(inside, ("kitchen", "cooking")) or bedroom,
        _room(inside, ("living", "common", "main", "garden", "study")) or bedroom,
        bedroom,
    )


def habits_of(resident: Resident, places: tuple[str, ...]) -> Habits:
    """The habits of a resident who knows these places; free words give sensible defaults."""
    return _habits(
        resident.lifestyle, resident.routine, resident.learned, resident.living_area, places
    )


def _after(text: str, words: str, default: int) -> int:
    match = re.search(words + r"\b([^,;.]*)", text)
    found = times(_spaced(match[1])) if match else ()
    return minutes_of(found[0][0]) if found else default


def _spaced(text: str) -> str:
    return re.sub(r"\b(\d+)(am|pm)\w*", r"\1 \2", text)


def _room(places: tuple[str, ...], words: tuple[str, ...]) -> str:
    return next((place for word in words for place in places if word in place.lower()), "")


def _clauses(routine: str, places: tuple[str, ...], home: str) -> tuple[Clause, ...]:
    made = (_clause(text, places, home) for text in re.split(r"[;\n]|\.\s", routine))
    return tuple(sorted((one for one in made if one), key=lambda one: (one.start, one.end)))


def _clause(text: str, places: tuple[str, ...], home: str) -> Clause | None:
    """One clause: what, place and hours; without hours the middle of the day is meant."""
    words = " ".join(text.split()).rstrip(".")
    lower = _spaced(words.lower())
    if not words:
        return None
    named = places_in(words, places)
    hours = [minutes_of(clock) for clock, _ in times(lower)]
    what = _what(words, named)
    if not what or not (named or hours):
        return None
    start = hours[0] if hours else 9 * 60 + 30
    end = hours[1] if len(hours) > 1 else start + (90 if hours else 6 * 60)
    place = known_place(named[0][0], places) if named else ""
    end = min(end if end > start else 23 * 60, 24 * 60)
    away = bool(place) and place.partition(": ")[0] != home
    duty = away and end - start >= 60 and not _PLEASURE.match(what)
    return Clause(what, place, start, end, _days(lower), duty)


def _what(words: str, named: tuple[tuple[str, tuple[int, int]], ...]) -> str:
    cut = named[0][1][0] if named else len(words)
    phrase = re.split(r"\b(?:from|until|around|starting|every ?day|at|in|on)\s*\d", words[:cut])[0]
    phrase = re.sub(r"(?:\s+(?:at|in|to|from|on|the|of|around|and|by))+\s*$", "", phrase.strip())
    phrase = re.sub(r"^in the \w+, ", "", phrase, flags=re.IGNORECASE)
    phrase = re.sub(r"^(?:(?:[A-Z][\w'-]* )+|(?:he|she|they|who|and|then) )+", "", phrase)
    phrase = re.sub(r"^(?:likes? to|usually|often|always|sometimes) ", "", phrase)
    if phrase.strip() in ("go", "goes", "", "is", "opens", "stays", "visits"):
        return {"opens": "working", "visits": "spending time"}.get(phrase.strip(), "working")
    return doing(phrase)[:160]


def _days(lower: str) -> frozenset[int]:
    if "weekday" in lower or "monday to friday" in lower:
        return frozenset(range(5))
    if "weekend" in lower:
        return frozenset((5, 6))
    named = frozenset(n for n, day in enumerate(_WEEKDAYS) if day in lower)
    return named or frozenset(range(7))


def _guessed(learned: str, places: tuple[str, ...], home: str) -> tuple[Clause, ...]:
    """Work or study in the middle of the day, for those whose routine is not written down."""
    named = places_in(learned, places)
    place = known_place(named[0][0], places) if named else home
    job = re.search(
        r"\bis (?:an? |the )([a-z][^.,;]*?)(?= at | of | who | in | and |[.,;]|$)", learned
    )
    subject = re.search(r"stud(?:ying|ies) ([a-z][\w ]*?)(?= at | and |[.,;]|$)", learned)
    if "student" in learned:
        what = f"studying {subject[1]}" if subject else "studying"
    else:
        what = f"working as {a(job[1])}"[:160] if job else "attending to daily business"
    everyday = frozenset(range(5))
    return (
        Clause(what, place, 9 * 60 + 30, 12 * 60 + 30, everyday, True),
        Clause(what, place, 13 * 60 + 30, 16 * 60 + 30, everyday, True),
    )


@lru_cache(maxsize=4096)
def public_places(places: tuple[str, ...]) -> tuple[str, ...]:
    """One front room of each sector in which nobody lives, among the places known."""
    sectors: dict[str, list[str]] = {}
    for place in places:
        sectors.setdefault(place.partition(": ")[0], []).append(place)
    return tuple(
        front_room(tuple(inside))
        for inside in sectors.values()
        if not any(_PRIVATE.search(place.partition(": ")[2]) for place in inside)
    )
