"""Days of scripted residents: habits, meals, pastimes, and what was agreed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, datetime, time

from sociolab.core.seeding import stream
from sociolab.town.clock import clock_of, minutes_of
from sociolab.town.map import places_mentioned
from sociolab.town.questions import (
    Choice,
    ChoosePlace,
    DayPlan,
    Decompose,
    Entry,
    Matter,
    Me,
    NewPlan,
    Part,
    Parts,
    PlanDay,
    Replan,
)
from sociolab.town.scripted.matters import (
    EVENTS,
    agreed_matters,
    describe_taking_part,
    lines,
    matter_key,
    places_like,
    standings,
)
from sociolab.town.scripted.routine import rhythm_of, usual_habits

SEEKING = "going among people"
"""What a performer does who is reminded to seek people out."""
VISITING = "paying a visit"
AT_HOME = "spending time at home"
LEAD = 15
"""Minutes left for the walk to what was agreed."""
ERRAND = 35
"""Minutes for an errand: the walk there, and what is done there."""
FORGETS = 1 / 12
"""How often something agreed is forgotten: a little, as people do."""
_SLIVER = 20
"""Minutes below which what is left of a slot is not worth starting."""
_SEEKING_HOURS = (("10:00", "11:30"), ("12:15", "13:45"), ("15:45", "17:15"), ("17:30", "19:00"))


@dataclass(frozen=True, slots=True)
class Slot:
    """An activity from minute to minute of the day (past 1440 after midnight)."""

    start: int
    end: int
    what: str
    place: str = ""
    fixed: bool = False


def plan_day(question: PlanDay, *, visits: bool = False) -> DayPlan:
    """Plan the whole day; the same for the same seed, resident and date. Who `visits` looks for the
    partner of its appointment where everybody knows them to be."""
    me, day, seed = question.me, question.day, question.meta.seed
    chance = stream(seed, "day", me.resident.id, day.isoformat())
    slots = _ordinary_day(me, chance)
    wake, bed = slots[0].start, slots[-1].end
    event = _own_event(me, day, seed, chance, reminded=bool(question.reminder))
    if question.reminder and me.task is not None and not _has_found_all(me):
        points = places_like(me.places, "public")[:3]
        until = event.start if event is not None else 24 * 60
        for n, (start, end) in enumerate(_SEEKING_HOURS):
            if points and day.isoformat() <= me.task.day and minutes_of(end) <= until:
                slots = _lay(slots, Slot(minutes_of(start), minutes_of(end), SEEKING,
                                          points[n % len(points)], fixed=True))  # fmt: skip
    visit = _visit(me, day, seed) if visits else None
    for fixed in filter(None, (visit, event)):
        slots = _lay(slots, fixed)
    slots = _add_agreed(slots, me, day, seed, wake)
    # Bed is after the last appointment, but no later than two in the morning.
    bed = max(bed, min(max(slot.end for slot in slots) + 15, 26 * 60))
    return DayPlan(wake=clock_of(wake), entries=_entries(slots, wake, bed), bed=clock_of(bed))


def replan_day(question: Replan) -> NewPlan:
    """What is left of the plan, with what was agreed for today laid over it."""
    me, now = question.me, question.me.now
    midnight = datetime.combine(now.date(), time())
    start = _since(now, midnight)
    end = max(_since(question.bedtime, midnight), start + 1)
    slots: tuple[Slot, ...] = (Slot(start, end, AT_HOME, _home(me, "rest")),)
    timed, _ = _agreed_slots(me, now.date(), question.meta.seed)
    for block in question.ahead:
        if all(block.what != slot.what for slot in timed):
            begin, stop = _since(block.start, midnight), _since(block.end, midnight)
            slots = _lay(slots, Slot(max(begin, start), stop, block.what, block.place))
    slots = _add_agreed(slots, me, now.date(), question.meta.seed, start, since=now)
    return NewPlan(entries=_entries(slots, start, end))


def choose_place(question: ChoosePlace) -> Choice:
    """Home: scripted plans name their places, and words are not read."""
    return Choice(place=_home(question.me, "rest"))


def split_block(question: Decompose) -> Parts:
    """Two halves of the same activity, each at an object of the place."""
    block = question.block
    minutes = max(2, min(24 * 60, int((block.end - block.start).total_seconds() // 60)))
    chance = stream(question.meta.seed, "parts", question.meta.resident, block.what, block.place)
    things = [*question.objects]
    chance.shuffle(things)
    halves = (minutes // 2, minutes - minutes // 2)
    return Parts(
        parts=tuple(
            Part(minutes=half, what=_clip(block.what), object=thing)
            for half, thing in zip(halves, [*things[:2], "", ""], strict=False)
        )
    )


def work_activities(me: Me) -> frozenset[str]:
    """The ordinary activities that are not abandoned for leisure."""
    return frozenset(habit.what for habit in usual_habits(me) if habit.work)


# ------------------------------------------------------------------ an ordinary day


def _ordinary_day(me: Me, chance: random.Random) -> tuple[Slot, ...]:
    """A day without appointments, from waking to bed."""
    rhythm = rhythm_of(me.resident)
    bedroom = str(me.resident.home)
    wake, bed = minutes_of(rhythm.wake), minutes_of(rhythm.bed)
    bed += 0 if bed > wake + 240 else 24 * 60
    wake, bed = wake + chance.randrange(-2, 3) * 5, bed + chance.randrange(-2, 3) * 5
    habits = usual_habits(me)
    wake = min([wake, *(minutes_of(h.start) - 20 for h in habits)])
    slots: tuple[Slot, ...] = (Slot(wake, bed, AT_HOME, _home(me, "rest")),)
    slots = _lay(slots, Slot(wake, wake + 20, "getting dressed", bedroom))
    slots = _lay(slots, Slot(wake + 20, wake + 50, "having breakfast", _home(me, "eat")))
    for habit in habits:
        start, end = minutes_of(habit.start), minutes_of(habit.end)
        slots = _lay(slots, Slot(start, end, habit.what, habit.place, fixed=habit.work))
    for slot in slots:  # in long empty stretches one goes out now and then
        points = places_like(me.places, "public")
        long = slot.what == AT_HOME and slot.start >= 8 * 60 and slot.end - slot.start >= 100
        if long and points and chance.random() < 0.7:
            start = slot.start + 15
            end = min(start + 75, slot.end)
            slots = _lay(slots, Slot(start, end, "taking a break", chance.choice(points[:2])))
    for what, clock, length in (("having lunch", rhythm.lunch, 35),
                                ("having supper", rhythm.supper, 45)):  # fmt: skip
        start = minutes_of(clock) + chance.randrange(-2, 3) * 5
        slots = _lay(
            slots, Slot(start, start + length, what, _find_table(me, slots, start, chance))
        )
    return _lay(slots, Slot(bed - 25, bed, "getting ready for bed", bedroom))


def _find_table(me: Me, slots: tuple[Slot, ...], start: int, chance: random.Random) -> str:
    """Where one eats: out now and then, at work, or at home."""
    out = places_like(me.places, "food")
    under_way = next((slot for slot in slots if slot.start <= start < slot.end), None)
    if out and chance.random() < 0.35:
        return out[0]
    return under_way.place if under_way is not None and under_way.fixed else _home(me, "eat")


def _home(me: Me, kind: str) -> str:
    """The room of one's home for this, or where one sleeps."""
    home = me.resident.home
    within = f"{home.sector}: "
    return next((p for p in places_like(me.places, kind) if p.startswith(within)), str(home))


# ------------------------------------------------------------------ what was agreed


def _own_event(
    me: Me, day: date, seed: int, chance: random.Random, *, reminded: bool
) -> Slot | None:
    """One's own event on its day, if its time is known; without a reminder sometimes late."""
    task = me.task
    if task is None or task.day != day.isoformat() or not task.start:
        return None
    late = -LEAD if reminded else chance.choice((0, 0, 15, 25))
    start = minutes_of(task.start)
    what = describe_taking_part(task, me, lines()["doing"])
    return Slot(start + late, start + task.minutes, what, _place(task, me), fixed=True)


def _visit(me: Me, day: date, seed: int) -> Slot | None:
    """An hour at the place for which the partner is known, if one's appointment is still to be made
    and there is such a place."""
    task = me.task
    if task is None or task.kind != "appointment" or task.day < day.isoformat():
        return None
    known_for = places_mentioned(me.known_as.get(task.partner, ""), me.places)
    if not known_for or _has_found_all(me):
        return None
    chance = stream(seed, "visit", me.resident.id, day.isoformat())
    start = minutes_of(chance.choice(("10:00", "11:00", "14:00", "15:00")))
    return Slot(start, start + 60, VISITING, chance.choice(known_for), fixed=True)


def _has_found_all(me: Me) -> bool:
    """Whether one's task needs nobody else any more."""
    assert me.task is not None
    standing = standings(me).get(matter_key(me.task))
    done = standing is not None and standing.said_yes(me.resident.id)
    return done and me.task.kind in ("appointment", "asking for help")


def _agreed_slots(
    me: Me, day: date, seed: int, since: datetime | None = None
) -> tuple[list[Slot], list[Slot]]:
    """What was agreed for a day, less what is forgotten: at a time, and errands.

    With `since` only the errands agreed from then on; others are planned or done.
    """
    timed, errands = [], []
    for matter in agreed_matters(me, day):
        own = matter.host == me.resident.id
        if not own and _is_forgotten(matter, me, day, seed):
            continue
        if matter.kind == "asking for help":
            new = since is None or _last_spoken_of(matter, me) >= since
            if new and not own:
                errands += [Slot(0, ERRAND, chore.what, _find_place(chore.place, me), fixed=True)
                            for chore in matter.chores]  # fmt: skip
        elif matter.start and not (own and matter.kind in EVENTS):
            start = minutes_of(matter.start)
            what = describe_taking_part(matter, me, lines()["doing"])
            end = start + matter.minutes
            timed.append(Slot(start - LEAD, end, what, _place(matter, me), fixed=True))
    return timed, errands


def _last_spoken_of(matter: Matter, me: Me) -> datetime:
    about = (h for h in me.heard if h.act.matter and matter_key(h.act.matter) == matter_key(matter))
    return max((h.when for h in about), default=datetime.min)


def _is_forgotten(matter: Matter, me: Me, day: date, seed: int) -> bool:
    if _last_spoken_of(matter, me).date() == day:
        return False  # who has spoken about it today has it in mind
    key = ("forgets", me.resident.id, matter.host, matter.what, day.isoformat())
    return stream(seed, *key).random() < FORGETS


def _add_agreed(
    slots: tuple[Slot, ...],
    me: Me,
    day: date,
    seed: int,
    earliest: int,
    since: datetime | None = None,
) -> tuple[Slot, ...]:
    """The slots with what was agreed on top; errands one after the other where there is time."""
    timed, errands = _agreed_slots(me, day, seed, since)
    for agreed in timed:
        start = max(agreed.start, earliest)
        slots = _lay(slots, replace(agreed, start=start, end=max(agreed.end, start + LEAD)))
    after, latest = max(earliest, 9 * 60 + 30), max(slot.end for slot in slots)
    for errand in errands:
        start = _find_gap(slots, after, latest)
        slots = _lay(slots, replace(errand, start=start, end=start + ERRAND))
        after = start + ERRAND
    return slots


def _place(matter: Matter, me: Me) -> str:
    """Where it is; at home for what is online, "" where unknown."""
    return _home(me, "rest") if matter.kind == "online activity" else _find_place(matter.place, me)


def _find_place(place: str, me: Me) -> str:
    """The known place of this name, or the first of a whole sector."""
    inside = (candidate for candidate in me.places if place and candidate.startswith(f"{place}: "))
    return place if place in me.places else next(inside, "")


# ------------------------------------------------------------------ slots of a day


def _lay(slots: tuple[Slot, ...], new: Slot) -> tuple[Slot, ...]:
    """The slots with a new one on top: what it covers is cut, split or dropped."""
    remaining: list[Slot] = []
    for slot in slots:
        if slot.end <= new.start or slot.start >= new.end:
            remaining.append(slot)
            continue
        if slot.start < new.start:
            remaining.append(replace(slot, end=new.start))
        if slot.end > new.end:
            remaining.append(replace(slot, start=new.end))
    if new.end <= new.start:
        return slots
    return tuple(sorted((*remaining, new), key=lambda slot: slot.start))


def _find_gap(slots: tuple[Slot, ...], earliest: int, latest: int) -> int:
    """The first quarter of an hour from which nothing fixed is in an errand's way."""
    for start in range(-(-earliest // 15) * 15, latest - ERRAND + 1, 15):
        end = start + ERRAND
        if not any(slot.fixed and slot.start < end and start < slot.end for slot in slots):
            return start
    return earliest


def _entries(slots: tuple[Slot, ...], start: int, end: int) -> tuple[Entry, ...]:
    """The slots between two minutes as entries; short leftovers join what comes before them."""
    merged: list[Slot] = []
    for slot in slots:
        slot = replace(slot, start=max(slot.start, start), end=min(slot.end, end))
        same = merged and (merged[-1].what, merged[-1].place) == (slot.what, slot.place)
        sliver = merged and slot.end - slot.start < _SLIVER and not slot.fixed
        night = merged and slot.start >= 1440 > merged[0].start  # times of day stay in order
        if slot.end > slot.start and not (same or sliver or night):
            merged.append(slot)
    return tuple(
        Entry(start=clock_of(s.start), what=_clip(s.what), place=s.place) for s in merged[:40]
    )


def _clip(what: str) -> str:
    """Text that somebody else may have written, as short as an answer allows."""
    return what.strip()[:200].strip() or AT_HOME


def _since(moment: datetime, midnight: datetime) -> int:
    return int((moment - midnight).total_seconds() // 60)
