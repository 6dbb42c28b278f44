"""TDP's reminder for a day, read: where to seek people out, and where to be when."""

from __future__ import annotations

import re
from datetime import date, datetime, time

from sociolab.town.scripted.free_time import meeting_points
from sociolab.town.scripted.habits import Habits
from sociolab.town.scripted.phrases import is_verbal, purpose
from sociolab.town.scripted.task_reading import Task
from sociolab.town.scripted.timeline import Slot
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.verbs import doing, plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.scripted.where import known_place, town_of
from sociolab.town.thoughts import Me

SEEKING = "going among people"
"""What a performer does who was reminded to seek people out; others see it too."""

_SEEK = re.compile(
    r"\b(?:invit|ask|tell|talk|spread|seek|find|approach|look for|meet people|encourage|persuade)"
)
_BE = re.compile(r"\b(?:be (?:at|in|on|there)|hold|host|open|start|arrive|do|join|take part|begin)")
# The hours at which one finds people: morning, lunch, afternoon, evening.
_HOURS = ((10 * 60, 11 * 60 + 30), (12 * 60 + 15, 13 * 60 + 45), (15 * 60 + 45, 17 * 60 + 15),
          (17 * 60 + 30, 19 * 60))  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+")


def task_doing(task: Task) -> str:
    """What the performer is doing at the event."""
    if task.kind == "appointment":
        return f"meeting {task.partner} {purpose(task.activity)}"
    if is_verbal(task.activity):
        return doing(task.activity)
    verb = "taking part in" if task.kind == "companions" else "holding"
    return f"{verb} the {task.activity}"


def reminded(text: str, task: Task, day: date, me: Me, habits: Habits) -> tuple[Slot, ...]:
    """What a reminder adds to a day: hours of seeking people out, and the event at its time.

    Only what the words say is done: a sentence that tells to seek people gives hours at the places
    it names (at those where people are, if none), one that names the event or a time to be
    somewhere gives the event there and then.
    """
    event: tuple[Slot, ...] = ()
    seeking: tuple[Heard, ...] = ()
    for sentence in _SENTENCE.split(text):
        lower = plain(sentence)
        heard = read(sentence, datetime.combine(day, time()), town_of(me))
        if day == task.day and heard.start and _BE.search(lower):
            event = (_event(heard, task, me.places, habits),)
        elif _SEEK.search(lower):
            seeking = (*seeking, heard)
    until = min((slot.start for slot in event), default=24 * 60)
    return (*_seeking(seeking, me.places, until), *event)


def _event(heard: Heard, task: Task, places: tuple[str, ...], habits: Habits) -> Slot:
    start = minutes_of(heard.start)
    begin = minutes_of(task.start) if task.start else start
    place = known_place(heard.place or task.place, places)
    if task.kind == "online":
        place = place or habits.parlour
    return Slot(start, max(begin, start) + task.minutes, task_doing(task), place, fixed=True)


def _seeking(sentences: tuple[Heard, ...], places: tuple[str, ...], until: int) -> tuple[Slot, ...]:
    named = [known_place(place, places) for heard in sentences for place in heard.places]
    where = [place for place in named if place] or list(meeting_points(places)[:3])
    if not sentences or not where:
        return ()
    hours = [(start, end) for start, end in _HOURS if end <= until]
    return tuple(
        Slot(start, end, SEEKING, where[n % len(where)]) for n, (start, end) in enumerate(hours)
    )
