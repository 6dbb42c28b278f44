"""Whether to talk to somebody who is near (question `talk_or_not`)."""

from __future__ import annotations

import re
from datetime import datetime

from sociolab.core.seeding import stream
from sociolab.town.answers import Decision
from sociolab.town.scripted.appointments import LEAD, is_errand
from sociolab.town.scripted.business import news_for, open_task
from sociolab.town.scripted.earlier import DECLINED
from sociolab.town.scripted.habits import habits_of
from sociolab.town.scripted.reminders import SEEKING
from sociolab.town.scripted.settled import same_matter, talks
from sociolab.town.scripted.verbs import doing, plain
from sociolab.town.scripted.when import minutes_of
from sociolab.town.thoughts import Commitment, Memory, TalkOrNot

_PRIVATE = ("washing", "getting ready for bed", "going to bed", "sleeping", "asleep")
_EVENT = re.compile(r"^(?:holding|taking part in|attending|joining) (?:the )?(.+?)(?= \(|$)")
CARRY_ON = Decision(do="carry on")


def decision(question: TalkOrNot) -> Decision:
    """To talk if there is something to tell, or to a friend now and then; mostly not at work.

    Who has talked a lot today talks less. A plan is changed for an event that one had agreed to
    join or would like to see.
    """
    what = question.block.what.lower()
    if what.startswith(_PRIVATE):
        return CARRY_ON
    me = question.me
    chance = stream(question.asked.seed, "talks", me.resident.id, question.other.id,
                    question.asked.step)  # fmt: skip
    busy = _is_busy(question)
    joining = None if busy else _joining(question, chance.random())
    if joining is not None:
        return joining
    known = talks(me, question.memories)
    if (wish := _business(question, known, busy)) and chance.random() < wish:
        return Decision(do="talk", why="there is something to tell them")
    if chance.random() < _sociable(question, known, busy):
        return Decision(do="talk", why="for company")
    return CARRY_ON


def _is_busy(question: TalkOrNot) -> bool:
    """At work, at an event, or on an errand."""
    what = plain(question.block.what)
    duties = habits_of(question.me.resident, question.me.places).clauses
    if any(clause.duty and plain(clause.what) == what for clause in duties):
        return True
    return any(plain(doing(one.what)) == what for one in question.commitments)


def _joining(question: TalkOrNot, draw: float) -> Decision | None:
    match = _EVENT.match(question.other.doing)
    if match is None or SEEKING in question.block.what or question.block.what == match[0]:
        return None
    if _EVENT.match(question.block.what) or is_errand(question.block.what):
        return None
    today = question.me.now.date()
    agreed = any(
        plain(match[1]) in plain(one.what) for one in question.commitments if one.day == today
    )
    me = question.me
    if any(_is_later(one, me.now) for one in question.commitments
           if one.day == today and same_matter(match[1], one.what)):  # fmt: skip
        return None
    # What one sees outdoors is somebody on the way there, or back.
    if not me.place or draw >= (0.8 if agreed else 0.15):
        return None
    if not agreed and any(
        DECLINED in one.text and same_matter(match[1], one.text.partition(DECLINED)[0])
        for one in talks(me, question.memories)
    ):
        return None
    return Decision(do="change plan", why=f"join {question.other.name}, who is {match[0]}")


def _is_later(one: Commitment, now: datetime) -> bool:
    """Whether one was told a time that is still some way off: one comes then, not before."""
    return bool(one.start) and minutes_of(one.start) - LEAD > now.hour * 60 + now.minute


def _business(question: TalkOrNot, known: tuple[Memory, ...], busy: bool) -> float:
    """How likely one speaks up for one's task, or for news."""
    me, other = question.me, question.other
    task = open_task(me, other, known, question.commitments)
    if task is not None:
        if SEEKING in question.block.what:
            return 1.0
        wanted = 0.9 if task.kind == "appointment" else 0.55
        return wanted / 2 if busy else wanted
    if news_for(me, other, question.commitments, known) is not None:
        return 0.3 if busy else 0.6
    return 0.0


def _sociable(question: TalkOrNot, known: tuple[Memory, ...], busy: bool) -> float:
    """How likely one chats without a reason."""
    now = question.me.now
    today = sum(1 for one in known if one.when.date() == now.date())
    if question.last_talk is not None and question.last_talk.date() == now.date():
        return 0.0
    base = 0.75 if question.other.tie else 0.45
    return base * (0.4 if busy else 1.0) * (1.0 if today < 3 else 0.4 if today < 6 else 0.05)
