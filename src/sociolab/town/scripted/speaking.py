"""What is said next in a talk (question `utter`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from sociolab.core.seeding import stream
from sociolab.town.scripted.answering import answer, to_counter
from sociolab.town.scripted.business import (
    News,
    concerns,
    news_for,
    noted_time,
    open_task,
    own_place,
    own_time,
    talks,
)
from sociolab.town.scripted.phrases import a, at_place, at_time, is_verbal, on_day
from sociolab.town.scripted.pitching import as_reminded, vague, words_of
from sociolab.town.scripted.proposals import Proposal, followed
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.thoughts import Said, Utter

_FAREWELLS = ("Goodbye, {name}!", "Bye, {name}, take care!", "Have a good day, {name}. Bye!")
_REMARKS = (
    "It is calm in town today, is it not?",
    "I am quite taken up with {mine} at the moment.",
    "The weather has been kind to us lately.",
    "The days go by so quickly.",
    "I slept well and feel rested.",
)
_REPLIES = (
    "Hello {name}! I am well, thank you.",
    "Good to see you too, {name}.",
    "Hello {name}, all is well here.",
)
_GREETINGS = (
    "Hello {name}, good to see you. How are things?",
    "Hello {name}! How is your day going?",
    "Ah, {name}, nice to see you. How are you?",
)


_IDLE = ("relaxing", "having", "getting", "washing", "taking", "going", "resting", "meeting")


@dataclass(frozen=True, slots=True)
class _Moment:
    """The talk as it stands for the one who is to speak."""

    question: Utter
    table: Proposal | None
    last: Heard | None
    mine: int
    task: Task | None
    news: News | None
    chance: random.Random


def said(question: Utter) -> Said:
    """The next utterance: an answer that is due, then one's own business, then small talk.

    The last utterance that one has left ends the talk.
    """
    moment = _moment(question)
    text, ends = _next(moment)
    return Said(text=text[:2000], ends=ends or question.left <= 1)


def _moment(question: Utter) -> _Moment:
    me, lines = question.me, question.lines
    theirs = tuple(line for line in lines if line.who == question.other.id)
    known = talks(me)
    return _Moment(
        question,
        followed(lines, me.now, me.places),
        read(theirs[-1].text, me.now, me.places) if theirs else None,
        len(lines) - len(theirs),
        open_task(me, question.other, known),
        news_for(me, question.other, question.commitments, known),
        stream(question.asked.seed, "says", me.resident.id, question.asked.step),
    )


_Speech: TypeAlias = Callable[[_Moment], "tuple[str, bool] | None"]


def _next(moment: _Moment) -> tuple[str, bool]:
    for speech in _SPEECHES:
        spoken = speech(moment)
        if spoken is not None:
            return spoken
    return _farewell(moment)


def _farewell(moment: _Moment) -> tuple[str, bool]:
    name = moment.question.other.name.split()[0]
    return moment.chance.choice(_FAREWELLS).format(name=name), True


def _opening(moment: _Moment) -> tuple[str, bool] | None:
    """The first words: a greeting, and one's business at once where one is reminded of it."""
    if moment.mine:
        return None
    name = moment.question.other.name.split()[0]
    if moment.question.lines and moment.table is not None and moment.table.invited:
        return None
    greeting = moment.chance.choice(_REPLIES if moment.question.lines else _GREETINGS)
    greeting = greeting.format(name=name)
    if moment.question.lines and moment.last is not None and moment.last.goodbye:
        return None
    if moment.task is not None and moment.question.reminder:
        return f"{greeting} {_pitch(moment, moment.task)}".strip(), False
    return greeting, False


def _reply_to_proposal(moment: _Moment) -> tuple[str, bool] | None:
    """An answer to what the other has proposed, or has put forward instead."""
    table, question = moment.table, moment.question
    if table is None or table.turn == question.me.resident.id or table.status != "open":
        return None
    if not (table.invited or table.by == question.me.resident.id):
        return None
    if table.by == question.me.resident.id:
        return to_counter(question, table, moment.chance), False
    return answer(question, table, moment.chance), False


def _reply_to_question(moment: _Moment) -> tuple[str, bool] | None:
    """When and where, for the other who asks."""
    last, table, question = moment.last, moment.table, moment.question
    if last is None or not last.asks or table is None or table.by != question.me.resident.id:
        return None
    details = _details(moment)
    if details is None:
        return "I do not know yet, I will tell you.", False
    when, where = details
    words = []
    if "when" in last.asks:
        words.append(f"It is{when}." if when else "Whenever it suits you.")
    if "where" in last.asks:
        words.append(f"It is{where}." if where else "We can settle that later.")
    ask = "" if table.status == "accepted" else " Will you come?"
    return f"{' '.join(words)}{ask}", False


def _details(moment: _Moment) -> tuple[str, str] | None:
    """When and where what one has told of takes place."""
    task = task_of(moment.question.me.resident, moment.question.me.now, moment.question.me.places)
    if task is not None and concerns(task, moment.question.other):
        return _task_details(task, moment)
    if moment.news is not None:
        told = moment.news.told
        return f"{on_day(told.day)}{at_time(told.start)}", at_place(told.place)
    return None


def _task_details(task: Task, moment: _Moment) -> tuple[str, str]:
    if task.kind == "help":
        places = [chore.place for chore in task.chores if chore.place]
        return f"{on_day(task.day)}, at any time", at_place(" and then at ".join(places))
    question = moment.question
    start = task.start
    if not start and task.kind == "companions":
        # Unreminded, one says now this time and now that one.
        start = noted_time(task, question.commitments) if question.reminder else ""
        start = start or own_time(
            question.me, task, question.commitments, question.asked.seed,
            "" if question.reminder else question.other.id,
        )  # fmt: skip
    where = "" if task.kind == "online" else at_place(task.place)
    length = task.minutes if task.start else 0
    return f"{on_day(task.day)}{at_time(start, length)}", where or (
        " online, wherever you are" if task.kind == "online" else ""
    )


def _closing(moment: _Moment) -> tuple[str, bool] | None:
    """Thanks or regret once the matter is settled."""
    table, me = moment.table, moment.question.me.resident.id
    name = moment.question.other.name.split()[0]
    if table is not None and table.by == me and table.status != "open":
        if table.status == "accepted":
            return f"Wonderful, thank you, {name}! Until then, goodbye.", True
        return f"What a pity. Goodbye, {name}!", True
    settled = table is not None and table.status != "open"
    leaving = moment.last is not None and moment.last.goodbye
    return _farewell(moment) if settled or (leaving and not _pressing(moment)) else None


def _pressing(moment: _Moment) -> bool:
    """Whether one's own matter is still unsaid although the other is leaving."""
    return moment.task is not None and moment.table is None and moment.question.left > 1


def _business(moment: _Moment) -> tuple[str, bool] | None:
    """One's task, once in a talk; or news, if one feels like it."""
    table, me = moment.table, moment.question.me.resident.id
    if table is not None and table.by == me:
        return None
    if moment.task is not None:
        words = _pitch(moment, moment.task)
        return (words, False) if words and not _said_before(moment, words) else None
    if moment.news is not None and table is None and moment.chance.random() < 0.6:
        return _news(moment.news), False
    return None


def _said_before(moment: _Moment, words: str) -> bool:
    me = moment.question.me.resident.id
    return any(words in line.text for line in moment.question.lines if line.who == me)


def _pitch(moment: _Moment, task: Task) -> str:
    question = moment.question
    if question.reminder:
        return words_of(as_reminded(question.reminder, task, question.me), task)
    pitch = vague(task, moment.chance)
    if task.kind == "appointment" and moment.chance.random() < 0.3:
        start = own_time(
            question.me, task, question.commitments, question.asked.seed, question.other.id
        )
        place = own_place(question.me, task, question.asked.seed)
        pitch = replace(pitch, start=start, day=task.day, place=place)
    return words_of(pitch, task)


def _news(news: News) -> str:
    told = news.told
    when = f"{on_day(told.day)}{at_time(told.start)}"
    where = at_place(told.place)
    host = f"{news.host} told me about" if news.host else "There will be"
    return f"Have you heard? {host} {a(news.activity)}{where}{when}. You should come."


def _pressed(moment: _Moment) -> tuple[str, bool] | None:
    """Asked once more, where the other has said neither yes nor no."""
    table, question = moment.table, moment.question
    me = question.me.resident.id
    if table is None or table.by != me or table.status != "open":
        return None
    asked = sum("So, " in line.text for line in question.lines if line.who == me)
    if asked or not (table.invited or not question.reminder):
        return None
    if table.shape == "meeting":
        return "So, would that suit you?", False
    return ("So, will you help me?" if table.shape == "errand" else "So, will you come?"), False


def _small_talk(moment: _Moment) -> tuple[str, bool] | None:
    if moment.mine >= 2 or (moment.mine == 1 and moment.chance.random() < 0.5):
        return None
    question = moment.question
    mine = question.ahead[0].what if question.ahead else "my work"
    if mine.startswith(_IDLE) or not is_verbal(mine):
        mine = "my work"
    return moment.chance.choice(_REMARKS).format(mine=mine), False


_SPEECHES: tuple[_Speech, ...] = (
    _opening,
    _reply_to_proposal,
    _reply_to_question,
    _closing,
    _business,
    _pressed,
    _small_talk,
)
