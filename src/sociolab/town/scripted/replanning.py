"""The rest of a day planned anew (question `replan`)."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from sociolab.town.answers import NewPlan
from sociolab.town.scripted.appointments import is_over, kept, matter_of, with_appointments
from sociolab.town.scripted.day import AT_HOME
from sociolab.town.scripted.habits import habits_of
from sociolab.town.scripted.task_reading import task_of
from sociolab.town.scripted.timeline import Slot, entries, laid, within
from sociolab.town.scripted.when import minutes_of
from sociolab.town.scripted.where import known_place
from sociolab.town.thoughts import Block, Commitment, Replan

_JOINS = re.compile(r"\bjoin (.+?), who is (.+)$")
_STAYS = 45


def rest_of_day(question: Replan) -> NewPlan:
    """What is left of the plan, with today's commitments that are not in it yet laid on it."""
    me, now = question.me, question.me.now
    midnight = datetime.combine(now.date(), time())
    start = _minutes(now, midnight)
    end = max(_minutes(question.bedtime, midnight), start + 1)
    habits = habits_of(me.resident, me.places)
    slots: tuple[Slot, ...] = (Slot(start, end, AT_HOME, habits.parlour),)
    task = task_of(me)
    own = task.activity if task is not None else ""
    noted = _new(question, kept(question.commitments, now.date(), me, question.asked.seed, own))
    moved = {matter_of(one.what, me) for one in noted}
    for block in question.ahead:
        if matter_of(block.what, me) not in moved:
            slots = laid(slots, _slot(block, midnight, start))
    joined = _joined(question, start)
    if joined is not None:
        slots = laid(slots, joined)
    slots = with_appointments(slots, noted, me, habits, start)
    made = entries(within(slots, start, end))
    return NewPlan(entries=made)


def _minutes(moment: datetime, midnight: datetime) -> int:
    return int((moment - midnight).total_seconds() // 60)


def _slot(block: Block, midnight: datetime, now: int) -> Slot:
    begin = max(_minutes(block.start, midnight), now)
    return Slot(begin, _minutes(block.end, midnight), block.what, block.place)


def _joined(question: Replan, now: int) -> Slot | None:
    """Staying here for a while, doing what the other is seen doing."""
    match = _JOINS.search(question.why)
    if match is None or not question.ahead:
        return None
    place = known_place(question.me.place, question.me.places) or question.ahead[0].place
    what = re.sub(r"^(?:holding|hosting) ", "taking part in ", match[2].split(" (")[0])
    return Slot(now, now + _STAYS, what[:200], place)


def _new(question: Replan, noted: tuple[Commitment, ...]) -> tuple[Commitment, ...]:
    """The commitments that the plan does not hold, or not at their time, and that are not over."""
    return tuple(
        one
        for one in noted
        if not _is_planned(one, question)
        and not is_over(one.day, one.start, one.minutes, question.me.now)
    )


def _is_planned(one: Commitment, question: Replan) -> bool:
    """Whether the plan holds it at its time; without one, at any."""
    matter, begin = matter_of(one.what, question.me), None
    if one.start:
        begin = datetime.combine(one.day, time()) + timedelta(minutes=minutes_of(one.start))
    return any(
        matter_of(block.what, question.me) == matter
        and (begin is None or block.start <= begin < block.end or begin < question.me.now)
        for block in question.ahead
    )
