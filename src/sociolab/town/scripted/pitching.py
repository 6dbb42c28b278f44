"""How a performer puts its task to others: vaguely of itself, in full where it is reminded."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from datetime import date

from sociolab.town.scripted.activities import Chore
from sociolab.town.scripted.phrases import (
    a,
    at_place,
    at_time,
    errands,
    is_verbal,
    on_day,
    purpose,
)
from sociolab.town.scripted.task_reading import Task
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.where import town_of
from sociolab.town.thoughts import Me


@dataclass(frozen=True, slots=True)
class Pitch:
    """What will be said of a task: each part only if it is set."""

    activity: str = ""
    chores: tuple[Chore, ...] = ()
    day: date | None = None
    start: str = ""
    minutes: int = 0
    place: str = ""
    asks: bool = False
    more: tuple[str, ...] = ()


def vague(task: Task, chance: random.Random) -> Pitch:
    """What comes to mind without a reminder: the activity, and often no more than half the rest."""
    chores = task.chores
    if chance.random() < 0.6:
        chores = tuple(replace(chore, place="") for chore in chores)
    timed = chance.random() < 0.4
    return Pitch(
        activity=task.activity,
        chores=chores,
        day=task.day if timed else None,
        start=task.start if timed else "",
        place=task.place if chance.random() < 0.4 else "",
        asks=chance.random() < 0.7,
    )


_NAMES = re.compile(
    r"\b(?:name|what it is|activity|event|favou?r|errand|mention|purpose|subject)\b"
)
_ASKS = re.compile(r"\b(?:ask|invite|whether|will come|join|persuade|request|encourage)\b")
_SAYS = re.compile(r"^[-*\d.) ]*(?:mention|say|tell (?:them|him|her|\w+)|explain|add)(?: that)?:? ")


def as_reminded(reminder: str, task: Task, me: Me) -> Pitch:
    """What the items of a reminder say, and nothing that they do not say.

    Each line is read: places, dates, times and errands found in it are what will be said.
    """
    pitch = Pitch()
    for item in filter(None, (line.strip() for line in reminder.splitlines())):
        heard = read(item, me.now, town_of(me))
        lower = item.lower()
        found = False
        if task.activity.lower() in lower or heard.chores or _NAMES.search(lower):
            chores = heard.chores or task.chores
            pitch, found = replace(pitch, activity=task.activity, chores=chores), True
        if heard.days or heard.starts:
            minutes = task.minutes if len(heard.starts) > 1 else 0
            pitch = replace(
                pitch,
                day=heard.day or pitch.day,
                start=heard.start or pitch.start,
                minutes=minutes,
            )
            found = True
        if heard.places:
            pitch, found = _with_places(pitch, heard.places), True
        if _ASKS.search(lower):
            pitch, found = replace(pitch, asks=True), True
        if not found and _SAYS.match(lower):
            said = item[_SAYS.match(lower).end() :]  # type: ignore[union-attr]
            pitch = replace(pitch, more=(*pitch.more, said.rstrip(".")))
    return _bare_chores(pitch, reminder, task, me)


def _with_places(pitch: Pitch, places: tuple[str, ...]) -> Pitch:
    if not pitch.chores:
        return replace(pitch, place=places[0])
    wheres = dict(zip(pitch.chores, places, strict=False))
    chores = tuple(replace(one, place=wheres.get(one, one.place)) for one in pitch.chores)
    return replace(pitch, chores=chores)


def _bare_chores(pitch: Pitch, reminder: str, task: Task, me: Me) -> Pitch:
    """The places of errands are said only if some item names them."""
    named = read(reminder.replace("\n", ". "), me.now, town_of(me)).places
    chores = tuple(one if one.place in named else replace(one, place="") for one in pitch.chores)
    return replace(pitch, chores=chores if pitch.activity else ())


_REMINDS = re.compile(r"\bremind (?:them|him|her|[A-Z])")


def bids_remind(reminder: str) -> bool:
    """Whether the items tell to remind the other of what they have agreed to."""
    return _REMINDS.search(reminder) is not None


def do_not_forget(pitch: Pitch, today: date) -> str:
    """The reminder to somebody who has said yes."""
    if not pitch.activity:
        return ""
    what = pitch.activity if is_verbal(pitch.activity) else f"the {pitch.activity}"
    details = f"{on_day(pitch.day, today)}{at_time(pitch.start)}{at_place(pitch.place)}"
    return f"Do not forget {what}{details}."


def words_of(pitch: Pitch, task: Task) -> str:
    """The pitch as sentences; "" if there is nothing to say."""
    where = at_place(pitch.place)
    when = f"{on_day(pitch.day)}{at_time(pitch.start, pitch.minutes)}"
    said = _first_sentence(pitch, task, where, when)
    said += "".join(f" {one[:1].upper()}{one[1:]}." for one in pitch.more)
    if pitch.asks:
        said += f" {_question(task)}"
    return said.strip()


def _first_sentence(pitch: Pitch, task: Task, where: str, when: str) -> str:
    if not pitch.activity:
        if not (where or when):
            return ""
        return f"I hope to see you{where}{when}."
    if task.kind == "help":
        return f"I need your help: could you {errands(pitch.chores)}{when}?"
    if task.kind == "appointment":
        return f"I would like to meet you{where}{when} {purpose(pitch.activity)}."
    if is_verbal(pitch.activity):
        gerund = pitch.activity.split(" ")[0].lower().endswith("ing")
        return (
            f"I am looking for company {'for' if gerund else 'to'} {pitch.activity}{where}{when}."
        )
    if task.kind == "companions":
        return f"I would like to have {a(pitch.activity)}{where}{when}."
    return f"I am holding {a(pitch.activity)}{where}{when}."


def _question(task: Task) -> str:
    return {
        "help": "Will you do it?",
        "appointment": "Would that suit you?",
        "companions": "Would you like to join me?",
        "online": "Would you like to join, from wherever you are?",
        "public": "Would you like to come?",
    }[task.kind]
