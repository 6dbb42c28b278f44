"""What is kept of a talk (question `summarise`)."""

from __future__ import annotations

import random

from sociolab.core.seeding import stream
from sociolab.town.scripted.business import NEWS
from sociolab.town.scripted.phrases import (
    at_place,
    at_time,
    errands,
    is_verbal,
    on_day,
    purpose,
)
from sociolab.town.scripted.proposals import Proposal, followed
from sociolab.town.scripted.reminders import task_doing
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.thoughts import Agreed, Summarise, Summary

SLIPS = 0.08
"""How often a time or a place slips one's mind."""


def summary(question: Summarise) -> Summary:
    """The memo, and what was agreed as one remembers it."""
    me = question.me
    table = followed(question.lines, me.now, me.places)
    if table is None or not _is_about_something(table):
        return Summary(memo=_chat(question)[:1000], importance=3)
    first = question.lines[0].text if question.lines else ""
    chance = stream(question.asked.seed, "keeps", me.resident.id, question.other.id, first)
    agreed = tuple(_slipped(one, chance) for one in _agreed(question, table))
    today = me.now.date().isoformat()
    return Summary(
        memo=_memo(question, table)[:1000],
        importance=(8 if table.shape == "meeting" else 7) if table.status == "accepted" else 6,
        agreed=agreed,
        changes_plan=any(one.day == today for one in agreed),
    )


def _is_about_something(table: Proposal) -> bool:
    return table.invited or table.status != "open"


def _chat(question: Summarise) -> str:
    doing = question.other.doing
    if doing.startswith(("talk", "in a talk", "chat")):
        doing = ""
    about = f", who was {doing[:200]}" if doing else ""
    return f"I chatted with {question.other.name}{about}."


def _memo(question: Summarise, table: Proposal) -> str:
    other, mine = question.other.name, table.by == question.me.resident.id
    details = f"{on_day(table.day)}{at_time(table.start)}{at_place(table.place)}"
    if table.shape == "errand":
        what = errands(table.chores)
        asked = f"I asked {other} to {what}" if mine else f"{other} asked me to {what}"
    elif table.shape == "meeting":
        what = purpose(table.activity)
        asked = f"I asked {other} to meet me {what}" if mine else f"{other} wants to meet me {what}"
    else:
        what = f"the {table.activity}" if not is_verbal(table.activity) else table.activity
        asked = f"I told {other} about {what}" if mine else f"{other} told me about {what}"
    return f"{asked}{details}. {_outcome(other, table, mine)}"


def _outcome(other: str, table: Proposal, mine: bool) -> str:
    who = other if mine else "I"
    match table.status:
        case "accepted":
            return f"{who} {'has' if mine else 'have'} agreed."
        case "declined":
            return f"{who} will not be there." if table.shape != "errand" else f"{who} cannot help."
        case _:
            return f"{who} did not say yes or no."


def _agreed(question: Summarise, table: Proposal) -> tuple[Agreed, ...]:
    """What goes into one's own calendar: a host's own event and another's errand do not."""
    if table.status != "accepted" or table.day is None or table.day < question.me.now.date():
        return ()
    mine = table.by == question.me.resident.id
    task = task_of(question.me.resident, question.me.now, question.me.places) if mine else None
    if mine and (task is None or task.kind not in ("companions", "appointment")):
        return ()
    day = table.day.isoformat()
    if table.shape == "errand":
        return tuple(
            Agreed(what=chore.what, day=day, start=table.start if not n else "", minutes=15,
                   place=chore.place)
            for n, chore in enumerate(table.chores)
        )  # fmt: skip
    what = _what(question, table, task)
    return (
        Agreed(what=what, day=day, start=table.start, minutes=table.minutes, place=table.place),
    )


def _what(question: Summarise, table: Proposal, task: Task | None) -> str:
    other = question.other.name
    if task is not None and task.kind == "companions":
        return task_doing(task)
    if table.shape == "meeting":
        return f"meet {other} {purpose(table.activity)}"[:200]
    if is_verbal(table.activity):
        return f"{table.activity} with {other}"[:200]
    return f"{NEWS}{table.activity}"[:200]


def _slipped(one: Agreed, chance: random.Random) -> Agreed:
    draw = chance.random()
    if draw < SLIPS / 2:
        return one.model_copy(update={"place": ""})
    return one.model_copy(update={"start": ""}) if draw < SLIPS else one
