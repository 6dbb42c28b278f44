"""What is said next in a talk (question `utter`)."""

from __future__ import annotations

import random
import re
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
)
from sociolab.town.scripted.earlier import on_table
from sociolab.town.scripted.phrases import a, at_place, at_time, is_verbal, on_day
from sociolab.town.scripted.pitching import (
    as_reminded,
    bids_remind,
    do_not_forget,
    vague,
    words_of,
)
from sociolab.town.scripted.proposals import Proposal
from sociolab.town.scripted.settled import talks
from sociolab.town.scripted.small_talk import (
    farewell,
    greeting,
    greeting_back,
    is_greeting,
    remark,
    reply_to_question,
    reply_to_remark,
    thanks,
)
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.where import places_in, town_of
from sociolab.town.thoughts import Said, Utter

_IDLE = ("relaxing", "having", "getting", "washing", "taking", "going", "resting", "meeting")


@dataclass(frozen=True, slots=True)
class _Moment:
    """The talk as it stands for the one who is to speak."""

    question: Utter
    table: Proposal | None
    last: Heard | None
    words: str
    mine: int
    task: Task | None
    news: News | None
    chance: random.Random

    @property
    def name(self) -> str:
        """The other's first name."""
        return self.question.other.name.split()[0]

    @property
    def settled(self) -> bool:
        """Whether what was on the table has been answered."""
        return self.table is not None and self.table.status != "open"


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
    known = talks(me, question.memories)
    last = theirs[-1].text if theirs else ""
    return _Moment(
        question,
        on_table(question, known),
        read(last, me.now, town_of(me)) if theirs else None,
        last,
        len(lines) - len(theirs),
        open_task(me, question.other, known, question.commitments),
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
    return farewell(moment.name, moment.chance), True


def _opening(moment: _Moment) -> tuple[str, bool] | None:
    """The first words: a greeting, and one's business at once where one is reminded of it."""
    table, last = moment.table, moment.last
    if moment.mine or (table is not None and table.invited) or (last and last.goodbye):
        return None
    if last is not None and not is_greeting(moment.words) and "?" in moment.words:
        return None
    if last is None:
        hello = greeting(moment.name, moment.chance)
    else:
        hello = greeting_back(moment.words, moment.name, moment.chance)
    return f"{hello} {_reminded(moment)}".strip(), False


def _reminded(moment: _Moment) -> str:
    """What a reminder bids one say at once: one's task, or that it is today."""
    question, task = moment.question, task_of(moment.question.me)
    if not question.reminder or task is None:
        return ""
    if moment.task is not None:
        return _pitch(moment, task)
    pitch = as_reminded(question.reminder, task, question.me)
    return do_not_forget(pitch) if bids_remind(question.reminder) else ""


def _reply_to_proposal(moment: _Moment) -> tuple[str, bool] | None:
    """An answer to what the other has proposed, or has put forward instead."""
    table, question = moment.table, moment.question
    if table is None or table.turn == question.me.resident.id or table.status != "open":
        return None
    if not (table.invited or table.by == question.me.resident.id):
        return None
    if table.by == question.me.resident.id:
        if table.again and (details := _details(moment)) is not None:
            return f"Yes, it is{''.join(details)}. I look forward to it.", False
        return to_counter(question, table, moment.chance), False
    return answer(question, table, moment.chance), False


def _reply_to_question(moment: _Moment) -> tuple[str, bool] | None:
    """When and where, for the other who asks."""
    last, table, question = moment.last, moment.table, moment.question
    if last is None or not last.asks:
        return None
    details = _details(moment)
    if table is None and task_of(question.me) is None:
        return None
    if table is not None and table.by != question.me.resident.id:
        return None
    if details is None:
        return "I do not know yet, I will tell you.", False
    when, where = details
    words = []
    if "when" in last.asks:
        words.append(f"It is{when}." if when else "Whenever it suits you.")
    if "where" in last.asks:
        words.append(f"It is{where}." if where else "We can settle that later.")
    ask = "" if table is None or table.status == "accepted" else " Will you come?"
    return f"{' '.join(words)}{ask}", False


def _details(moment: _Moment) -> tuple[str, str] | None:
    """When and where what one has told of takes place."""
    task = task_of(moment.question.me)
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


def _answering(moment: _Moment) -> tuple[str, bool] | None:
    """A reply to a question beside the matter, or to a remark; with a goodbye if it is due."""
    table, last = moment.table, moment.last
    if last is None or (table is not None and table.status == "open"):
        return None
    if moment.settled and last.refers and "?" in moment.words:
        reply = "Yes, see you then!" if table and table.status == "accepted" else "No, I am sorry."
    else:
        asked_to_come = last.invites and table is None
        reply = _whereabouts(moment) or reply_to_question(moment.words, asked_to_come=asked_to_come)
    reply = reply or reply_to_remark(moment.words)
    if not reply:
        return None
    if last.goodbye or _said_before(moment, reply):
        return f"{reply} {farewell(moment.name, moment.chance)}", True
    return reply, False


_SOUGHT = re.compile(r"\b(?:where|seen|find|know|meet)\b[^?]*\?")


def _whereabouts(moment: _Moment) -> str:
    """What one can say of somebody who is asked for; "" if nobody is."""
    me = moment.question.me
    if not _SOUGHT.search(moment.words.lower()):
        return ""
    for who, name in sorted(me.people.items()):
        if who != moment.question.other.id and name.split()[0] in moment.words:
            known = me.known_as.get(who, "")
            if places_in(known, town_of(me)):
                return f"{name} is {known}, I would look there."
            return f"I have not seen {name.split()[0]} lately."
    return ""


def _closing(moment: _Moment) -> tuple[str, bool] | None:
    """Thanks or regret once the matter is settled, or goodbye to who takes leave."""
    table, me = moment.table, moment.question.me.resident.id
    leaving = moment.last is not None and moment.last.goodbye
    if table is not None and table.by == me and moment.settled and not _has_closed(moment):
        if table.status == "declined":
            return f"What a pity. Goodbye, {moment.name}!", True
        if table.hearsay:
            return f"Then we shall meet there. Goodbye, {moment.name}!", True
        return f"Wonderful, thank you, {moment.name}! Until then, goodbye.", True
    if moment.settled and thanks(moment.words):
        return f"You are welcome. {farewell(moment.name, moment.chance)}", True
    if moment.settled or (leaving and not _pressing(moment)):
        return _farewell(moment)
    return None


def _has_closed(moment: _Moment) -> bool:
    """Whether one has already given thanks or shown regret in this talk."""
    return any(
        word in line.text
        for line in moment.question.lines
        if line.who == moment.question.me.resident.id
        for word in ("Wonderful", "What a pity", "we shall meet there")
    )


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
    details = f"{at_place(told.place)}{on_day(told.day)}{at_time(told.start)}"
    if news.host:
        source = f"{news.host} is holding"
    else:
        source = f"{news.teller} told me about" if news.teller else "There will be"
    return f"Have you heard? {source} {a(news.activity)}{details}. You should come."


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
    """A remark, once in a talk and only while it is about nothing else."""
    if moment.table is not None or moment.mine >= 2 or not is_greeting(moment.words):
        return None
    if moment.mine == 1 and moment.chance.random() < 0.5:
        return None
    question = moment.question
    mine = question.ahead[0].what if question.ahead else "my work"
    if mine.startswith(_IDLE) or not is_verbal(mine):
        mine = "my work"
    return remark(mine, moment.chance), False


_SPEECHES: tuple[_Speech, ...] = (
    _opening,
    _reply_to_proposal,
    _reply_to_question,
    _answering,
    _closing,
    _business,
    _pressed,
    _small_talk,
)
