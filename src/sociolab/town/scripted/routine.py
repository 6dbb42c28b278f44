"""The hours and habits of residents who have them in words alone, read by a few rules.

Bed, waking and meals are the times of day beside their words in the lifestyle. A routine is read
clause by clause: a clause is something done where it, or one before it, says, from and until the
times it names; opening and closing a place only give times. What is told without a time shares the
hours that are left; meals are the lifestyle's. Who has no routine goes on with what they "are
doing" currently, or else "love to" do: at home before noon, and after it at a place that they say
they frequent by day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sociolab.core.seeding import stream
from sociolab.town.clock import clock_of, minutes_of
from sociolab.town.map import places_mentioned
from sociolab.town.questions import Me
from sociolab.town.residents import Habit, Resident, Rhythm

MORNING, AFTERNOON = (9 * 60 + 30, 12 * 60 + 30), (13 * 60 + 30, 16 * 60 + 30)
WORKDAY = (9 * 60, 17 * 60)
"""Minutes of the day; what a routine leaves open is done between these."""

_CLOCK = r"\b(?:\d{1,2}(?::\d\d)? ?[ap]m|midnight|noon)\b"
_CLAUSES = re.compile(r"[.;]\s*|,\s*(?:and )?(?:then )?|\band (?:then )?(?=[a-z]+s\b)")
_TIMES_OF_DAY = {
    "in the morning": 8 * 60,
    "in the afternoon": 13 * 60 + 30,
    "at night": 19 * 60 + 30,
}
_GOES = re.compile(r"(?:goes|returns)\b.*? to (?!the\b|[A-Z])(\w+.*)")
_LIKES = re.compile(r"likes to (?:go\b.*? to )?(?!the\b|[A-Z])(\w+.*)")
_DOING = re.compile(r"(?:.*\band )?(?:is|are) (?:also )?(?!living)(\w+ing\b.*)")
_LOVES = re.compile(r"\bloves to ([^.]+)")
_MEALS = re.compile(r"\b(?:eats?|dinner|lunch|supper|breakfast)\b(?! and)")
_SPENDS = re.compile(r"spends .*?\b(?:days?|time) (.+)")
_FREQUENTS = re.compile(
    r"\b(?:frequent(?! customer)|spend time|visits?|(?:go|goes|walk) (?:to|in|around))\b"
    r"(?!.*\b(?:night|late)\b)"
)
_HOME = re.compile(r"\b(?:returns|goes|go) home\b")


def rhythm_of(resident: Resident) -> Rhythm:
    """Hours as typed, else as the lifestyle tells them; usual ones where it tells none."""
    if resident.rhythm is not None:
        return resident.rhythm
    told = {
        field: re.search(rf"\b{words}\D{{0,12}}?({_CLOCK})", resident.lifestyle, re.IGNORECASE)
        for field, words in (
            ("wake", "(?:wakes?|awakes?|gets) up"),
            ("lunch", "lunch"),
            ("supper", "(?:dinner|supper)"),
            ("bed", "to bed"),
        )
    }
    return Rhythm(**{field: clock_of(_minutes(at[1])) for field, at in told.items() if at})


def habits_of(me: Me) -> tuple[Habit, ...]:
    """Habits as typed, else as words tell them; none if they do not."""
    one = me.resident
    if one.habits:
        return one.habits
    names = (one.name, one.first_name)
    ready = minutes_of(rhythm_of(one).wake) + 60
    done = _read_routine(one.routine, names, me.places, one.living_area, ready)
    if not done:
        what = [match[1] for text in re.split(r"\.\s*", one.currently)
                if (match := _DOING.match(_without_subject(text, names)))]  # fmt: skip
        if not what and (loved := _LOVES.search(one.learned)):
            what = [_as_doing(loved[1])]
        said = (text for text in (one.currently, *one.memories) if _FREQUENTS.search(text))
        out = next(filter(None, (_place(text, me.places) for text in said)), one.living_area)
        start, end = MORNING
        done = [
            _Activity(what[0], one.living_area, min(max(start, ready), end - 60), end),
            _Activity(what[-1], out, *AFTERNOON),
        ] if what else []  # fmt: skip
    return tuple(
        Habit(what=a.what, place=a.place, start=clock_of(a.start), end=clock_of(a.end), work=True)
        for a in done
        if a.end is not None and a.start < a.end
    )


def usual_habits(me: Me) -> tuple[Habit, ...]:
    """The habits of any day; who tells of none spends it at one place that they know."""
    if habits := habits_of(me):
        return habits
    away = [place for place in me.places if not place.startswith(f"{me.resident.home.sector}: ")]
    place = stream(0, "work", me.resident.id).choice(away) if away else me.resident.living_area
    return tuple(
        Habit(what="going about the day's work", place=place, start=start, end=end, work=True)
        for start, end in (("09:30", "12:30"), ("13:30", "16:30"))
    )


@dataclass(frozen=True, slots=True)
class _Activity:
    """What a clause tells, in minutes of the day; `end` is None until the next one tells it."""

    what: str
    place: str
    start: int
    end: int | None = None


def _read_routine(
    routine: str, names: tuple[str, ...], places: tuple[str, ...], home: str, ready: int
) -> list[_Activity]:
    """The activities of a routine in order; `ready` is when the day can begin."""
    done: list[_Activity] = []
    place, opened, liked = home, None, False
    for clause in filter(None, map(str.strip, _CLAUSES.split(routine))):
        text = _without_subject(clause, names)
        place = home if _HOME.match(text) else _place(text, places) or place
        begins = re.search(rf"\b(?:from|starting|around|at) ({_CLOCK})", text)
        ends = re.search(rf"\b(?:until|to) ({_CLOCK})", text)
        hours = (h for words, h in _TIMES_OF_DAY.items() if words in clause.lower())
        start = _minutes(begins[1]) if begins else next(hours, opened)
        words = re.sub(rf",? ?\b(?:from|starting|around|at|until|to) {_CLOCK}", "", text)
        verb = words.partition(" ")[0]
        told = next((m for form in (_GOES, _LIKES, _SPENDS) if (m := form.match(words))), None)
        if verb == "closes" and done and begins:
            done[-1] = replace(done[-1], end=start)
        acts = re.match(r"(?!opens|closes|goes|returns)[a-z]+s\b|goes for", words)
        acts = acts or (re.match(r"[a-z]", words) if liked else None)
        liked = _LIKES.match(words) is not None
        what = told[1] if told else words
        if not (told or acts) or _MEALS.match(what):
            opened = start if verb in ("opens", "closes", "goes") else None
            continue
        opened = None
        if start is None:
            start = (done[-1].end or done[-1].start + 120) if done else max(WORKDAY[0], ready)
        if done and done[-1].end is None:
            done[-1] = replace(done[-1], end=start)
        what = what if told and told.re is _SPENDS else _as_doing(what)
        done.append(_Activity(what, place, start, _minutes(ends[1]) if ends else None))
    if done and done[-1].end is None:
        done[-1] = replace(done[-1], end=max(WORKDAY[1], done[-1].start + 60))
    return done


def _place(text: str, places: tuple[str, ...]) -> str:
    """The first known place that a text names, "" if it names none; rather a room than a hall."""
    return min(places_mentioned(text, places), key=lambda p: p.endswith("hallway"), default="")


def _without_subject(clause: str, names: tuple[str, ...]) -> str:
    subject = "|".join((*map(re.escape, names), "he|she|they|in the afternoon|at which point"))
    return re.sub(rf"^(?:(?:{subject})\b,?\s*)+", "", clause.strip(), flags=re.IGNORECASE)


def _as_doing(words: str) -> str:
    """What begins with a verb, as what somebody is doing.

    >>> _as_doing("studies maps"), _as_doing("sit"), _as_doing("takes notes")
    ('studying maps', 'sitting', 'taking notes')
    """
    verb, _, rest = words.strip().partition(" ")
    for ending, stem in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("oes", "o"), ("s", "")):
        if verb.endswith(ending):
            verb = verb.removesuffix(ending) + stem
            break
    if verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", verb):
        verb += verb[-1]
    also = f"and {_as_doing(rest[4:])}" if rest.startswith("and ") else rest
    return f"{verb}ing {also}".strip()


def _minutes(clock: str) -> int:
    """Minutes after midnight of a time such as "5pm" or "noon"."""
    if clock in ("noon", "midnight"):
        return 12 * 60 if clock == "noon" else 0
    hour, _, minute = clock[:-2].strip().partition(":")
    return (int(hour) % 12 + 12 * (clock[-2] == "p")) * 60 + int(minute or 0)
