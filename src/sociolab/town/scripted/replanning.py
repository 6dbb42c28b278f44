"""The rest of a day planned anew (question `replan`)."""

from __future__ import annotations

import re
from datetime import datetime, time

from sociolab.town.scripted.appointments import kept, with_appointments
from sociolab.town.scripted.day import AT_HOME
from sociolab.town.scripted.habits import habits_of
from sociolab.town.scripted.task_reading import task_of
from sociolab.town.scripted.timeline import Slot, entries, laid, within
from sociolab.town.scripted.verbs import doing, plain
from sociolab.town.scripted.where import known_place
from sociolab.town.thoughts import Block, Commitment, NewPlan, Replan

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
    for block in question.ahead:
        slots = laid(slots, _slot(block, midnight, start))
    joined = _joined(question, start)
    if joined is not None:
        slots = laid(slots, joined)
    task = task_of(me)
    own = task.activity if task is not None else ""
    noted = kept(_new(question), now.date(), me, question.asked.seed, own)
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


def _new(question: Replan) -> tuple[Commitment, ...]:
    """Today's commitments that the plan does not hold yet and that are not over."""
    planned = {plain(block.what) for block in question.ahead}
    clock = f"{question.me.now:%H:%M}"
    return tuple(
        one
        for one in question.commitments
        if plain(doing(one.what)) not in planned and (not one.start or one.start >= clock)
    )
