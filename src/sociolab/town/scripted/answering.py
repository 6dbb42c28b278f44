"""How a resident answers a proposal: consent, refusal, a question back or another time."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import date, datetime

from sociolab.core.seeding import stream
from sociolab.town.scripted.appointments import busy_with, is_over
from sociolab.town.scripted.day import free_at
from sociolab.town.scripted.earlier import Earlier, earlier, is_with
from sociolab.town.scripted.free_time import suiting_points
from sociolab.town.scripted.habits import habits_of
from sociolab.town.scripted.phrases import at_place, at_time, on_day
from sociolab.town.scripted.proposals import Proposal
from sociolab.town.scripted.settled import answers, same_matter, talks
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.understanding import read
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.thoughts import Utter

# How likely one likes the idea; what a friend asks for is liked more, what is but heard of less.
_WILLING = {"event": 0.65, "companions": 0.65, "meeting": 0.95, "errand": 0.5, "": 0.6}
_ASKS = 0.75
"""How often one asks for what was left open."""
_FRIEND, _HEARSAY = 0.1, -0.25
_NOT_FOR_ME = ("I am sorry, that is not for me.", "Unfortunately I have other plans, sorry.")
_NO_TIME = ("I am sorry, I have no time for that.", "I am afraid I have too much to do.")
_HOURS = ("10:00", "11:00", "14:00", "15:00", "16:00", "17:00", "17:30", "18:00")
_LATE = ("19:00", "20:00")
"""Hours for those who are not free before."""
_CONFIRMS = re.compile(r"I have not forgotten|I have noted it")


def answer(question: Utter, table: Proposal, chance: random.Random) -> str:
    """What is said to a proposal that the other has made.

    Who has answered it in an earlier talk keeps the answer, or says what has changed.
    """
    task = task_of(question.me)
    if task is not None and _is_own(task, table):
        return _own(question, task)
    before = earlier(question, table)
    if before is None:
        return _fresh(question, table, chance)
    if before.yes:
        if is_over(before.day or question.me.now.date(), before.start, table.minutes,
                   question.me.now):  # fmt: skip
            return "I am sorry, that is over by now, is it not?"
        moved = table.start and before.start and table.start != before.start
        return (
            _fresh(question, table, chance)
            if moved
            else _confirmed(before, table, question, chance)
        )
    changed = before.changed_by(table)
    fresh = _fresh(question, table, chance) if changed else ""
    if read(fresh, question.me.now).accepts:
        return f"{changed} {fresh}"
    if before.told_them:
        return f"I am sorry, it is as I said: {before.why}"
    return f"I am sorry, I have heard of it, but {before.why}"


def _is_own(task: Task, table: Proposal) -> bool:
    """Whether the other speaks of the event that one holds oneself."""
    news = table.hearsay or task.kind in ("public", "online")
    return news and same_matter(task.activity, table.activity)


def _own(question: Utter, task: Task) -> str:
    known = talks(question.me, question.memories)
    told = answers(question.me, task, known, question.commitments)
    if question.me.now.date() == task.day and is_over(
        task.day, task.start, task.minutes, question.me.now
    ):
        return f"That was my own {task.activity}, it is over by now."
    glad = f"That is my own {task.activity}, I am glad that word gets about."
    if question.other.name in told.yes:
        return f"{glad} See you there!"
    return glad if question.other.name in told.no else f"{glad} Will you come?"


def _confirmed(before: Earlier, table: Proposal, question: Utter, chance: random.Random) -> str:
    """Yes once more, with what was noted; in few words to whom one has told it today."""
    now = question.me.now
    if _assured(question, table):
        return "Yes, see you then!"
    if table.shape == "errand":
        return "Yes, I have not forgotten, I will do it."
    first = chance.choice(("Yes, I have not forgotten.", "Of course, I have noted it."))
    start, place = before.start or table.start, before.place or table.place
    if before.day == now.date() and start and start <= f"{now:%H:%M}":
        return "Yes, I have not forgotten. That is what I am out for."
    return f"{first} See you{on_day(before.day, now.date())}{at_time(start)}{at_place(place)}."


def _assured(question: Utter, table: Proposal) -> bool:
    """Whether one has said so in this talk, or the two have spoken about it today already."""
    me, other = question.me, question.other
    mine = (line.text for line in question.lines if line.who == me.resident.id)
    if any(_CONFIRMS.search(text) for text in mine):
        return True
    return any(
        one.when.date() == me.now.date()
        and is_with(one, other.name)
        and same_matter(table.activity, one.text)
        for one in talks(me, question.memories)
    )


def _fresh(question: Utter, table: Proposal, chance: random.Random) -> str:
    """An answer to what one hears for the first time, or what has changed."""
    if table.day and is_over(table.day, table.start, table.minutes, question.me.now):
        return "I am sorry, is it not too late for that?"
    missing = _asks_back(question, table, chance)
    if missing:
        return missing
    if table.day is not None and table.start and (why := _hindrance(question, table)):
        return _other_time(question, table, why, chance)
    if not table.start and table.shape == "meeting":
        return _proposed(question, table, chance)
    if table.shape == "meeting" and not table.place and table.turn != table.by:
        return "Agreed. See you then."
    if not _likes(question, table):
        return chance.choice(_NO_TIME if table.shape == "errand" else _NOT_FOR_ME)
    return consent(table, question.me.now, chance)


def _likes(question: Utter, table: Proposal) -> bool:
    """Whether the idea pleases: a matter of taste, the same whoever speaks of it and when."""
    taste = stream(
        question.asked.seed, "taste", question.me.resident.id, plain(table.activity)
    ).random()
    bonus = _FRIEND if question.other.tie else 0.0
    return taste < _WILLING[table.shape] + bonus + (_HEARSAY if table.hearsay else 0.0)


def consent(table: Proposal, now: datetime, chance: random.Random) -> str:
    """Yes, with the details that are known."""
    if table.shape == "errand":
        return chance.choice(("Of course, I will do it.", "Sure, I will take care of it."))
    if table.shape == "meeting":
        first = chance.choice(("Yes, that suits me.", "Agreed, that works for me."))
    else:
        first = chance.choice(("Yes, I would love to come.", "Sure, I will be there."))
    details = f"{on_day(table.day, now.date())}{at_time(table.start)}{at_place(table.place)}"
    return f"{first} See you{details}." if details and not table.online else first


def _asks_back(question: Utter, table: Proposal, chance: random.Random) -> str:
    """A question for what was left open, each once and not always; the hour apart from the day."""
    mine = tuple(
        read(line.text, question.me.now) for line in question.lines if line.who != table.by
    )
    asked = {one for heard in mine for one in heard.asks}
    timed = table.start or table.shape in ("errand", "meeting")
    if (not timed or table.day is None) and "when" not in asked and chance.random() < _ASKS:
        return chance.choice(("That sounds interesting. When is it?", "When would that be?"))
    hour = any("what time" in line.text for line in question.lines)
    if not timed and not hour and chance.random() < _ASKS:
        return "At what time is it?"
    placed = table.place or table.online or table.shape == "meeting" or _places_of(table)
    if not placed and "where" not in asked and chance.random() < _ASKS:
        return chance.choice(("And where is it?", "Where would that be?"))
    return ""


def _places_of(table: Proposal) -> bool:
    return bool(table.chores) and all(chore.place for chore in table.chores)


def _hindrance(question: Utter, table: Proposal) -> str:
    """Why one cannot at that time: an appointment, the hour, or work that one will not leave."""
    assert table.day is not None
    me, start = question.me, minutes_of(table.start)
    others = tuple(one for one in question.commitments if not same_matter(table.activity, one.what))
    if busy_with(others, table.day, table.start, table.minutes):
        return "I have an appointment then"
    if free_at(me, table.day.weekday(), start, table.minutes):
        return ""
    # Whether one leaves work for it is decided once, whoever asks.
    leaves = stream(
        question.asked.seed, "leaves work", me.resident.id, table.day.isoformat(), table.start
    ).random()
    if leaves <= (0.5 if table.shape == "meeting" else 0.3):
        return ""
    habits = habits_of(me.resident, me.places)
    if start < habits.wake + 30:
        return "that is too early for me"
    return (
        "that is too late for me" if start + table.minutes > habits.bed else "I have to work then"
    )


def _other_time(question: Utter, table: Proposal, why: str, chance: random.Random) -> str:
    if table.shape == "meeting" and len(question.lines) < 6:
        hours = free_hours(question, table.day)
        if hours:
            return f"That does not suit me. How about {chance.choice(hours)} instead?"
    return f"I am sorry, {why}."


def _proposed(question: Utter, table: Proposal, chance: random.Random) -> str:
    """A time, and mostly a place, for a meeting that names none."""
    hours = free_hours(question, table.day) or ("17:00",)
    place = table.place
    if not place and chance.random() < 0.65:
        place = next(iter(suiting_points(question.me, table.activity)), "")
    when = f"{on_day(table.day)} at {chance.choice(hours)}".strip()
    return f"Gladly. How about {when}{at_place(place)}?"


def free_hours(question: Utter, day: date | None) -> tuple[str, ...]:
    """Full and half hours of a day, still to come, at which one is free: late only at need."""
    day = day or question.me.now.date()
    return _free(question, day, _HOURS) or _free(question, day, _LATE)


def _free(question: Utter, day: date, hours: tuple[str, ...]) -> tuple[str, ...]:
    me = question.me
    return tuple(
        clock
        for clock in hours
        if free_at(me, day.weekday(), minutes_of(clock), 60)
        and not busy_with(question.commitments, day, clock, 60)
        and (day > me.now.date() or clock > f"{me.now:%H:%M}")
    )


def to_counter(question: Utter, table: Proposal, chance: random.Random) -> str:
    """What is said when the other has put forward another time or place for one's own proposal."""
    if table.day is not None and table.start:
        others = tuple(
            one for one in question.commitments if not same_matter(table.activity, one.what)
        )
        if busy_with(others, table.day, table.start, table.minutes):
            hours = free_hours(question, table.day)
            return f"I cannot then. How about {chance.choice(hours or ('18:00',))}?"
    return consent(replace(table, shape="meeting"), question.me.now, chance)
