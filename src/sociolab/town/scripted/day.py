"""The day as it is planned: habits, a little variation, then what was promised."""

from __future__ import annotations

import random
from datetime import datetime

from sociolab.core.seeding import stream
from sociolab.town.answers import DayPlan
from sociolab.town.scripted.appointments import kept, with_appointments
from sociolab.town.scripted.free_time import is_shopping, pastime
from sociolab.town.scripted.habits import Clause, Habits, habits_of
from sociolab.town.scripted.reminders import reminded, task_doing
from sociolab.town.scripted.task_reading import Task, task_of
from sociolab.town.scripted.timeline import Slot, entries, laid, within
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.when import clock_of, minutes_of
from sociolab.town.scripted.where import arena_like, known_place
from sociolab.town.thoughts import Commitment, Me, PlanDay

AT_HOME = "relaxing at home"


def plan_of(question: PlanDay) -> DayPlan:
    """The whole day (question `plan_day`), the same for the same seed, resident and date."""
    me = question.me
    habits = habits_of(me.resident, me.places)
    seed = question.asked.seed
    chance = stream(seed, "day", me.resident.id, question.day.isoformat())
    slots = ordinary(habits, question.day.weekday(), me.places, chance)
    wake, bed = slots[0].start, slots[-1].end
    task = task_of(me, datetime.combine(question.day, me.now.time()))
    own = task.activity if task is not None else ""
    noted = kept(question.commitments, question.day, me, seed, own)
    if task is not None:
        for slot in tasks_slots(question, task, noted, habits, chance):
            slots = laid(slots, slot)
    slots = with_appointments(slots, noted, me, habits, wake)
    bed = max(bed, min(max(slot.end for slot in slots) + 15, 26 * 60))
    made = entries(within(slots, wake, bed))
    return DayPlan(wake=clock_of(wake), entries=made, bed=clock_of(bed))


def ordinary(
    habits: Habits, weekday: int, places: tuple[str, ...], chance: random.Random
) -> tuple[Slot, ...]:
    """A day without appointments, from waking to bed."""
    today = tuple(clause for clause in habits.clauses if weekday in clause.days)
    wake, bed = habits.wake + chance.randrange(-2, 3) * 5, habits.bed + chance.randrange(-2, 3) * 5
    first = min((clause.start for clause in today), default=24 * 60)
    if first - 20 < wake:
        wake = first - 20
    slots: tuple[Slot, ...] = (Slot(wake, bed, AT_HOME, habits.parlour),)
    slots = laid(slots, Slot(wake, wake + 20, "washing and getting dressed", habits.bedroom))
    slots = laid(slots, Slot(wake + 20, wake + 50, "having breakfast", habits.kitchen))
    for clause in today:
        slots = laid(slots, _working(clause, chance))
    slots = _with_pastimes(slots, places, chance)
    slots = _meal(slots, "having lunch", habits.lunch, 35, habits, places, chance)
    slots = _meal(slots, "having supper", habits.supper, 45, habits, places, chance)
    return laid(slots, Slot(bed - 25, bed, "getting ready for bed", habits.bedroom))


def _working(clause: Clause, chance: random.Random) -> Slot:
    late = chance.choice((0, 0, 0, 5)) if clause.end - clause.start > 30 else 0
    return Slot(clause.start + late, clause.end, clause.what, clause.place, fixed=clause.duty)


def _with_pastimes(
    slots: tuple[Slot, ...], places: tuple[str, ...], chance: random.Random
) -> tuple[Slot, ...]:
    """Long empty stretches hold something pleasant now and then, in town."""
    for slot in slots:
        if slot.what == AT_HOME and slot.end - slot.start >= 100 and chance.random() < 0.55:
            start = slot.start + 15
            evening = start >= 18 * 60
            shops = not any(is_shopping(one.what) for one in slots)
            found = None
            if start >= 9 * 60:
                found = pastime(places, chance, evening=evening, shops=shops)
            if found is not None:
                what, place = found
                slots = laid(slots, Slot(start, min(start + 75, slot.end), what, place))
    return slots


def _meal(
    slots: tuple[Slot, ...],
    what: str,
    start: int,
    minutes: int,
    habits: Habits,
    places: tuple[str, ...],
    chance: random.Random,
) -> tuple[Slot, ...]:
    """Lunch or supper: where one works, at home, or now and then at a place that serves food."""
    start += chance.randrange(-2, 3) * 5
    under_way = next((one for one in slots if one.start <= start < one.end), None)
    if under_way is None:
        return slots
    out = arena_like(places, "cafe", "pub", "bar")
    place = habits.kitchen
    if out and chance.random() < 0.35:
        place = out
    elif under_way.fixed:
        place = under_way.place
    return laid(slots, Slot(start, min(start + minutes, slots[-1].end), what, place))


def tasks_slots(
    question: PlanDay,
    task: Task,
    noted: tuple[Commitment, ...],
    habits: Habits,
    chance: random.Random,
) -> tuple[Slot, ...]:
    """What the social task adds to the performer's day.

    With a reminder, what its words say. Without one only the event itself, on its day, as far as
    time and place are known, and not always in time.
    """
    places = question.me.places
    found = reminded(question.reminder, task, question.day, question.me, habits)
    if any(slot.fixed for slot in found) or question.day != task.day:
        return found
    if task.start and not _is_noted(task, noted):
        late = 0 if question.reminder else chance.choice((0, 0, 15, 25))
        start = minutes_of(task.start)
        place = known_place(task.place, places) or (habits.parlour if task.kind == "online" else "")
        event = Slot(start + late, start + task.minutes, task_doing(task), place, fixed=True)
        return (*found, event)
    return found


def _is_noted(task: Task, noted: tuple[Commitment, ...]) -> bool:
    return any(plain(task.activity) in plain(one.what) for one in noted)


def free_at(me: Me, weekday: int, start: int, minutes: int) -> bool:
    """Whether no duty of that weekday lies in these minutes of the day, and one is awake."""
    habits = habits_of(me.resident, me.places)
    if start < habits.wake + 30 or start + minutes > habits.bed:
        return False
    return not any(
        clause.duty and clause.start < start + minutes and start < clause.end
        for clause in habits.clauses
        if weekday in clause.days
    )
