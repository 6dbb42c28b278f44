"""What is said next in a talk (question `utter`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from sociolab.town.answers import Said
from sociolab.town.scripted.answering import answer, to_counter
from sociolab.town.scripted.moment import Moment, moment_of
from sociolab.town.scripted.phrases import is_verbal
from sociolab.town.scripted.settled import same_matter, talks
from sociolab.town.scripted.small_talk import (
    farewell,
    greeting,
    greeting_back,
    is_greeting,
    remark,
    reply_to_question,
    reply_to_remark,
    thanks,
    unasking,
)
from sociolab.town.scripted.task_reading import task_of
from sociolab.town.scripted.telling import (
    business,
    details_of,
    reminded_of,
    reply_to_asked,
)
from sociolab.town.scripted.where import places_in, town_of
from sociolab.town.thoughts import Utter

_IDLE = ("relaxing", "having", "getting", "washing", "taking", "going", "resting", "meeting")


def said(question: Utter) -> Said:
    """The next utterance: an answer that is due, then one's own business, then small talk.

    The last utterance that one has left ends the talk.
    """
    moment = moment_of(question)
    text, ends = _next(moment)
    return Said(text=text[:2000], ends=ends or question.left <= 1)


_Speech: TypeAlias = Callable[[Moment], "tuple[str, bool] | None"]


def _next(moment: Moment) -> tuple[str, bool]:
    for speech in _SPEECHES:
        spoken = speech(moment)
        if spoken is not None:
            return spoken
    return _farewell(moment)


def _farewell(moment: Moment) -> tuple[str, bool]:
    return farewell(moment.name, moment.chance), True


def _opening(moment: Moment) -> tuple[str, bool] | None:
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
    told = reminded_of(moment)
    # Who goes on with something to tell does not wait to hear how the other is.
    return (f"{unasking(hello)} {told}" if told else hello), False


def _reply_to_proposal(moment: Moment) -> tuple[str, bool] | None:
    """An answer to what the other has proposed, or has put forward instead."""
    table, question = moment.table, moment.question
    if table is None or table.turn == question.me.resident.id or table.status != "open":
        return None
    if not (table.invited or table.by == question.me.resident.id):
        return None
    if table.by == question.me.resident.id:
        if table.again and (details := details_of(moment)) is not None:
            return f"Yes, it is{details[0]}. {details[1]}. I look forward to it.", False
        return to_counter(question, table, moment.chance), False
    return answer(question, table, moment.chance), False


def _answering(moment: Moment) -> tuple[str, bool] | None:
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
    if last.goodbye or moment.has_said(reply):
        return f"{reply} {farewell(moment.name, moment.chance)}", True
    mine = business(moment)
    if mine is not None and "?" in moment.words and not is_greeting(moment.words):
        return mine
    return f"{reply} {mine[0] if mine else ''}".strip(), False


def _taking_in(moment: Moment) -> tuple[str, bool] | None:
    """A word on what the other has told without asking for anything; asked, one would answer."""
    table, last = moment.table, moment.last
    if table is None or table.invited or table.by == moment.question.me.resident.id:
        return None
    if last is None or last.goodbye or moment.has_said(_NEW_TO_ME, _KNOWN_TO_ME):
        return None
    question = moment.question
    heard = (*(one.text for one in talks(question.me, question.memories)),
             *(one.what for one in question.commitments))  # fmt: skip
    knew = any(same_matter(table.activity, text) for text in heard)
    return (_KNOWN_TO_ME if knew else _NEW_TO_ME), False


_CLOSED = ("Wonderful", "What a pity", "we shall meet there")
_NEW_TO_ME, _KNOWN_TO_ME = "Ah, that is new to me.", "Ah, so I was told."
_SOUGHT = re.compile(r"\b(?:where|seen|find|know|meet)\b[^?]*\?")


def _whereabouts(moment: Moment) -> str:
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


def _closing(moment: Moment) -> tuple[str, bool] | None:
    """Thanks or regret once the matter is settled, or goodbye to who takes leave."""
    table, me = moment.table, moment.question.me.resident.id
    if table is not None and table.by == me and moment.settled and not moment.has_said(*_CLOSED):
        if table.status == "declined":
            return f"What a pity. Goodbye, {moment.name}!", True
        if table.hearsay:
            return f"Then we shall meet there. Goodbye, {moment.name}!", True
        return f"Wonderful, thank you, {moment.name}! Until then, goodbye.", True
    if moment.settled and thanks(moment.words):
        return f"You are welcome. {farewell(moment.name, moment.chance)}", True
    leaving = moment.last is not None and moment.last.goodbye
    return _farewell(moment) if moment.settled or leaving else None


def _pressed(moment: Moment) -> tuple[str, bool] | None:
    """Asked once more, where the other has said neither yes nor no."""
    table, question = moment.table, moment.question
    me = question.me.resident.id
    if table is None or table.by != me or table.status != "open":
        return None
    asked = sum("So, " in line.text for line in question.lines if line.who == me)
    if asked or not table.invited:
        return None
    if table.shape == "meeting":
        return "So, would that suit you?", False
    return ("So, will you help me?" if table.shape == "errand" else "So, will you come?"), False


def _small_talk(moment: Moment) -> tuple[str, bool] | None:
    """A remark, once in a talk and only while it is about nothing else."""
    if moment.table is not None or moment.mine >= 2 or not is_greeting(moment.words):
        return None
    if moment.mine == 1 and moment.chance.random() < 0.5:
        return None
    question = moment.question
    mine = question.ahead[0].what if question.ahead else "my work"
    task = task_of(question.me)
    if (
        mine.startswith(_IDLE)
        or not is_verbal(mine)
        or (task is not None and same_matter(task.activity, mine))
    ):
        mine = "my work"
    return remark(mine, moment.chance), False


_SPEECHES: tuple[_Speech, ...] = (
    _opening,
    _reply_to_proposal,
    reply_to_asked,
    _answering,
    _taking_in,
    _closing,
    business,
    _pressed,
    _small_talk,
)
