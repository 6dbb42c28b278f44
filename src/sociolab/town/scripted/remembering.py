"""What is kept of a talk (question `summarise`)."""

from __future__ import annotations

import random
import re
from datetime import date, datetime

from sociolab.core.seeding import stream
from sociolab.town.answers import Agreed, Summary
from sociolab.town.scripted.appointments import is_errand, is_over, matter_of
from sociolab.town.scripted.earlier import DECLINED, HOLDS, NEWS, on_table
from sociolab.town.scripted.phrases import (
    at_place,
    at_time,
    errands,
    is_verbal,
    on_day,
    purpose,
)
from sociolab.town.scripted.proposals import Proposal
from sociolab.town.scripted.reminders import task_doing
from sociolab.town.scripted.settled import same_matter, talks
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.understanding import read
from sociolab.town.thoughts import Summarise

SLIPS = 0.08
"""How often a place slips one's mind; a time that one has promised to keep does not."""


def summary(question: Summarise) -> Summary:
    """The memo, and what was agreed as one remembers it."""
    me = question.me
    table = on_table(question, talks(me))
    if table is None or not _is_about_something(table):
        return Summary(memo=_chat(question)[:1000], importance=3)
    first = question.lines[0].text if question.lines else ""
    chance = stream(question.asked.seed, "keeps", me.resident.id, question.other.id, first)
    found = (_kept(_slipped(one, chance, me.places), question) for one in _agreed(question, table))
    agreed = tuple(one for one in found if not _is_past(one, me.now))
    today = me.now.date().isoformat()
    return Summary(
        memo=_memo(question, table)[:1000],
        importance=(8 if table.shape == "meeting" else 7) if table.status == "accepted" else 6,
        agreed=agreed,
        changes_plan=any(
            one.day == today and (not _is_noted(one, question) or _is_missed(one, question))
            for one in agreed
        ),
    )


def _is_noted(one: Agreed, question: Summarise) -> bool:
    """Whether it is in one's calendar already, as it is."""
    return any(
        (noted.what, noted.day.isoformat(), noted.start) == (one.what, one.day, one.start)
        for noted in question.commitments
    )


def _is_missed(one: Agreed, question: Summarise) -> bool:
    """Whether it has a time, and one is neither there nor planning to go."""
    if not one.start:
        return False
    mine = (question.me.doing, *(block.what for block in question.ahead))
    return not any(same_matter(matter_of(one.what, question.me), what) for what in mine)


def _kept(one: Agreed, question: Summarise) -> Agreed:
    """With what was noted of the same matter before: a time that is noted is not lost again."""
    matter = matter_of(one.what, question.me)
    for noted in question.commitments:
        same = noted.day.isoformat() == one.day and not is_errand(one.what)
        if same and matter_of(noted.what, question.me) == matter:
            start, place = one.start or noted.start, one.place or noted.place
            return one.model_copy(update={"what": noted.what, "start": start, "place": place})
    return one


def _is_past(one: Agreed, now: datetime) -> bool:
    return is_over(date.fromisoformat(one.day), one.start, one.minutes, now)


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
    own = task_of(question.me)
    if own is not None and table.hearsay and same_matter(own.activity, table.activity):
        return f"{other} has heard of my {own.activity} and told me about it."
    details = f"{on_day(table.day)}{at_time(table.start)}{at_place(table.place)}"
    if table.shape == "errand":
        what = errands(table.chores)
        asked = f"I asked {other} to {what}" if mine else f"{other} asked me to {what}"
    elif table.shape == "meeting":
        what = purpose(table.activity)
        asked = f"I asked {other} to meet me {what}" if mine else f"{other} wants to meet me {what}"
    else:
        asked = _invitation(question, table, mine=mine)
    return f"{asked}{details}. {_outcome(question, table, mine=mine)}"


def _invitation(question: Summarise, table: Proposal, *, mine: bool) -> str:
    """Who invited whom, or who told of somebody else's event."""
    other = question.other.name
    verbal = is_verbal(table.activity)
    what = table.activity if verbal else f"the {table.activity}"
    if table.hearsay:
        told = f"I told {other} about {what}" if mine else f"{other} told me about {what}"
        return f"{told}{HOLDS.format(host=table.host)}" if table.host else told
    to = purpose(what) if verbal else f"to {what}"
    return f"I invited {other} {to}" if mine else f"{other} invited me {to}"


def _outcome(question: Summarise, table: Proposal, *, mine: bool) -> str:
    other = question.other.name
    match table.status:
        case "accepted":
            return f"{other} has agreed." if mine else "I have agreed."
        case "declined" if mine:
            return f"{other} has declined: {_why(question, mine=True)}"
        case "declined":
            return f"{DECLINED}: {_why(question, mine=False)}"
        case _:
            return f"{other if mine else 'I'} did not say yes or no."


_SORRY = re.compile(
    r"^(?:I am (?:sorry|afraid),? |Unfortunately,? )"
    r"|^(?:[Ii]t is as I said: |I have heard of it, but )|, sorry"
)


def _why(question: Summarise, *, mine: bool) -> str:
    """The words of the one who declined, without the regret; what was said last counts."""
    who = question.other.id if mine else question.me.resident.id
    said = [one.text for one in question.lines if one.who == who]
    for text in reversed(said):
        for sentence in re.split(r"(?<=[.!?]) ", text):
            if read(sentence, question.me.now).declines:
                return _SORRY.sub("", _SORRY.sub("", sentence))[:160]
    return "there was no reason given."


def _agreed(question: Summarise, table: Proposal) -> tuple[Agreed, ...]:
    """What goes into one's own calendar: a host's own event and another's errand do not."""
    if table.status != "accepted" or table.day is None or table.day < question.me.now.date():
        return ()
    mine = table.by == question.me.resident.id
    own = task_of(question.me)
    if own is not None and not mine and table.hearsay and same_matter(own.activity, table.activity):
        return ()
    task = own if mine else None
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


def _slipped(one: Agreed, chance: random.Random, known: tuple[str, ...]) -> Agreed:
    """Now and then without its place, and always without one that is on no map."""
    slips = chance.random() < SLIPS or one.place not in known
    return one.model_copy(update={"place": ""}) if slips else one
