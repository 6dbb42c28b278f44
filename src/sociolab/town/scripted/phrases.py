"""Small pieces of speech: articles, dates, times and places as people in town say them."""

from __future__ import annotations

import re
from datetime import date

from sociolab.town.scripted.activities import NOMINAL, Chore
from sociolab.town.scripted.when import clock_of, minutes_of
from sociolab.town.scripted.where import spoken

_VERBS = frozenset(
    [
        "talk",
        "discuss",
        "play",
        "have",
        "do",
        "go",
        "shop",
        "exercise",
        "watch",
        "run",
        "swim",
        "cook",
        "read",
        "practise",
        "practice",
        "consult",
        "ask",
        "speak",
        "learn",
        "study",
        "paint",
        "sing",
        "dance",
        "work",
        "listen",
        "make",
        "bake",
        "draw",
        "rehearse",
        "share",
    ]
)


def is_verbal(activity: str) -> bool:
    """Whether an activity is told by a verb ("playing chess") and not by a noun ("a picnic")."""
    first, _, rest = activity.lower().partition(" ")
    if rest.startswith("of ") or (not rest and first in _VERBS):
        return False
    gerund = first.endswith("ing") and len(first) > 5 and first not in ("evening", "morning")
    nominal = rest.split(" ")[0] in NOMINAL
    return first in _VERBS or (gerund and not nominal)


def a(noun: str) -> str:
    """The noun with "a" or "an"; as it is if it is many or has an article."""
    first = noun.lower().split(" ")[0]
    if first in ("a", "an", "the", "some", "my", "our", "help", "advice") or _many(noun):
        return noun
    return f"{'an' if first[:1] in 'aeio' else 'a'} {noun}"


def _many(noun: str) -> bool:
    head = re.split(r" (?:of|for|on|in|with|about) ", noun.lower())[0].split(" ")[-1]
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def purpose(activity: str) -> str:
    """What a meeting is for: "to talk about seeds", "for revising a text", "for a rehearsal"."""
    if not is_verbal(activity):
        return f"for {a(activity)}"
    gerund = activity.split(" ")[0].lower().endswith("ing")
    return f"for {activity}" if gerund else f"to {activity}"


def on_day(day: date | None, today: date | None = None) -> str:
    """Such as " on Tuesday 14 May", " today" if it is `today`; "" for None."""
    if day is not None and day == today:
        return " today"
    return f" on {day:%A} {day.day} {day:%B}" if day else ""


def at_time(start: str, minutes: int = 0) -> str:
    """Such as " at 18:00", or " from 18:00 to 19:30" where it is known how long; "" for ""."""
    if start and minutes:
        return f" from {start} to {clock_of(minutes_of(start) + minutes)}"
    return f" at {start}" if start else ""


def at_place(place: str) -> str:
    """Such as " at the meadow in Heron Park"; "" for ""."""
    return f" {spoken(place)}" if place else ""


_BRINGS = ("deliver", "bring", "carry", "take", "send", "return")
_PREPOSITION = re.compile(r"^(?:at|on|in) ")


def _goal(chore: Chore) -> str:
    """Where a step of an errand is done: things are brought to a place, and fetched at it."""
    if not chore.place:
        return ""
    lead = "to" if chore.what.startswith(_BRINGS) else "at"
    return _PREPOSITION.sub(f" {lead} ", spoken(chore.place))


def errands(chores: tuple[Chore, ...]) -> str:
    """The steps of an errand in order: "first A at P, then B at Q"."""
    told = [f"{chore.what}{_goal(chore)}" for chore in chores]
    return f"first {told[0]}, then {told[1]}" if len(told) > 1 else " and ".join(told)


def listed(things: tuple[str, ...]) -> str:
    """Such as "A, B and C"; "" for none."""
    return " and ".join(filter(None, (", ".join(things[:-1]), things[-1]))) if things else ""
