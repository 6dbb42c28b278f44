"""The social task that a performer carries in its `currently`, read into a record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from typing import Literal, TypeAlias

from sociolab.town.scripted.activities import Chore
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.when import minutes_of
from sociolab.town.scripted.where import known_place, town_of
from sociolab.town.thoughts import Me

TaskKind: TypeAlias = Literal["public", "online", "companions", "appointment", "help"]


@dataclass(frozen=True, slots=True)
class Task:
    """What the performer wants of others, when and where.

    `activity` is without an article ("kite evening", "playing chess", "talk about the seeds").
    `start` and `place` are "" where they are open. `partner` is an appointment's, by name.
    """

    kind: TaskKind
    activity: str
    day: date
    start: str = ""
    place: str = ""
    minutes: int = 60
    number: int = 0
    partner: str = ""
    chores: tuple[Chore, ...] = ()


_WISH = re.compile(
    r"\b(?:wants?|needs?|would like|hopes?|is looking for|plans?|intends?)\b(?! to (?:become|be)\b)"
)
_HELP = re.compile(
    r"\b(?:needs?|wants?|would like|looking for|asks?)\b.{0,40}\b(?:someone|somebody|anyone|a "
    r"helper|help)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b(?:at least |that |to have )(\d{1,3})\b", re.IGNORECASE)
_COMPANY = re.compile(
    r"\b(?:company|partners?|companions?|together with|time is (?:open|for))\b", re.IGNORECASE
)
_PARTNER = re.compile(
    r"\bmeet (?:with )?(?:one person, )?"
    r"(?:(?:Prof|Dr|Mr|Mrs|Ms)\.? )?((?:[A-Z][\w'-]+ ?){1,3})"
)
_SENTENCE = re.compile(r"(?<!Prof)(?<!Dr)(?<!Mr)(?<!Mrs)(?<!Ms)(?<!St)[.!?]\s+(?=[A-Z\"])")


def read_task(text: str, today: date, places: tuple[str, ...] = ()) -> Task | None:
    """The task in a text about a resident, None if it holds none: who has no date has no task.

    The sentence that wishes for something on a date, and what follows it, is the task.
    """
    return _read_task(text, today, places)


def task_of(me: Me, now: datetime | None = None) -> Task | None:
    """The performer's task as read `now` (at the moment of asking); None for everybody else."""
    return _read_task(me.resident.currently, (now or me.now).date(), town_of(me))


@lru_cache(maxsize=1024)
def _read_task(text: str, today: date, places: tuple[str, ...]) -> Task | None:
    goal = _goal(text)
    if not goal or not re.search(r"\d{4}|\d (?:st|nd|rd|th)?[A-Z]", goal):
        return None
    heard = read(goal, datetime.combine(today, time()), places)
    if heard.day is None or not (heard.activity or heard.chores):
        return None
    kind = _kind(goal, heard.shape, heard.online)
    chores = heard.chores if kind == "help" else ()
    number = _NUMBER.search(goal)
    return Task(
        kind,
        heard.activity,
        heard.day,
        "" if kind == "help" else heard.start,
        "" if kind in ("help", "online") else known_place(heard.place, places) or heard.place,
        _minutes(heard.starts),
        int(number[1]) if number else 0,
        _partner(goal) if kind == "appointment" else "",
        chores,
    )


def _goal(text: str) -> str:
    sentences = _SENTENCE.split(text)
    for n, sentence in enumerate(sentences):
        if _WISH.search(sentence):
            rest = ". ".join(sentences[n:])
            if read(rest, datetime(2000, 1, 1)).day is not None:
                return rest
    return ""


def _kind(goal: str, shape: str, online: bool) -> TaskKind:
    if shape == "errand" and _HELP.search(goal):
        return "help"
    if online:
        return "online"
    if shape == "meeting":
        return "appointment"
    return "companions" if shape == "companions" or _COMPANY.search(goal) else "public"


def _minutes(starts: tuple[str, ...]) -> int:
    if len(starts) < 2:
        return 60
    return (minutes_of(starts[1]) - minutes_of(starts[0])) % 1440 or 60


def _partner(goal: str) -> str:
    match = _PARTNER.search(goal)
    return match[1].strip() if match else ""
