"""Who is a resident on a new day, and what does it plan?

Generative Agents, section 4.3: a day in broad strokes, then by the hour, then in steps of 5 to 15
minutes; and from a reaction on anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from sociolab.town.generative.stream import PLAN_IMPORTANCE, Stream
from sociolab.town.life import Living, Planning, gone_on, rest_of_day, waking_hours
from sociolab.town.person import Person, Surroundings
from sociolab.town.questions import Block, Entry, NewPlan, Part, generative as ga
from sociolab.town.questions.base import dated
from sociolab.town.trace import Revised

NO_PLAN = "being at home without a plan"
"""What somebody does whose mind gave no plan: nothing is made up for it."""

_HOUR = timedelta(hours=1)


class GenerativePlanning(Planning):
    """The plans of one resident."""

    def __init__(self, me: Person, around: Surroundings, stream: Stream) -> None:
        super().__init__(me, around)
        self._stream = stream
        self._concern = around.setting.concerns.get(me.id, "")
        self._currently = me.resident.currently.removesuffix(self._concern).strip()

    @property
    def plans(self) -> bool:
        """Whether it plans at all (an ablation: see `ABLATIONS`)."""
        return "planning" not in self.around.setting.without

    @property
    def left_out(self) -> frozenset[str]:
        """Without a plan no reminder for it, either: nothing would show it."""
        return super().left_out if self.plans else super().left_out | {"day_reminder"}

    def day(self) -> Living[int]:
        """Revise the identity, and plan the day that has begun; the step of waking."""
        me = self.me
        day = self.clock.date(me.step)
        yesterday, me.outline = me.outline, ()
        notes = () if day == self.clock.first else (yield from self._revised(day))
        goal = self.around.setting.tdp.get(me.id)
        reminder = "" if goal is None else (yield from self._target(goal, day))
        wake, bed = yield from self._hours(day)
        me.bed = self.clock.step(bed)
        if self.plans:
            outline = yield self.ask(ga.DailyPlan, day, wake, bed, notes, yesterday, reminder)
            me.outline = outline.plan if outline is not None else ()
            blocks = yield from self._schedule(wake, bed)
            me.plan(me.step, blocks, "", self.around.setting)
            if me.outline:
                text = f"My plan for {dated(day)}: {'; '.join(me.outline)}"
                self.keep("plan", text, PLAN_IMPORTANCE)
        else:
            me.blocks = _hours(wake, bed)
        return max(self.clock.step(wake), me.step + 1)

    def _hours(self, day: date) -> Living[tuple[datetime, datetime]]:
        """When to get up and when to go to bed."""
        hours = yield self.ask(ga.WakeUpHour, day)
        wake, bed = (hours.wake, hours.bed) if hours is not None else ("08:00", "22:00")
        return waking_hours(day, wake, bed)

    # -------------------------------------------------------------- the identity, overnight

    def _revised(self, day: date) -> Living[tuple[str, ...]]:
        """Write anew what occupies one, but for the task; the two notes that it is made of."""
        points = (f"plans for {dated(day)}", "important recent events")
        memories = yield from self._stream.recall(*points)
        notes: tuple[str, ...] = ()
        if "identity" not in self.around.setting.merge:
            planned = yield self.ask(ga.PlanningNote, memories)
            felt = yield self.ask(ga.FeelingNote, memories)
            notes = tuple(note.text for note in (planned, felt) if note is not None)
            memories = ()
        revised = yield self.ask(ga.ReviseIdentity, self._currently, self._concern, notes, memories)
        if revised is not None:
            me, self._currently = self.me, revised.text
            currently = f"{self._currently} {self._concern}".strip()
            me.resident = me.resident.model_copy(update={"currently": currently})
            me.records.append(Revised(me.step, me.id, self._currently))
        return notes

    # -------------------------------------------------------------- by the hour

    def _schedule(self, wake: datetime, bed: datetime) -> Living[tuple[Block, ...]]:
        """The day by the hour; hours in which one does the same are one block."""
        if "hours" in self.around.setting.merge:
            schedule = yield self.ask(ga.DaySchedule, wake, bed)
            idle = (Block(wake, bed, NO_PLAN, ""),)
            return _blocks(schedule, wake, bed) if schedule is not None else idle
        blocks: list[Block] = []
        for hour in _hours(wake, bed):
            block = yield from self._filled(hour, tuple(blocks))
            if blocks and blocks[-1].what == block.what:
                block = replace(block, start=blocks.pop().start)
            blocks.append(block)
        return tuple(blocks)

    def _filled(self, hour: Block, so_far: tuple[Block, ...]) -> Living[Block]:
        answer = yield self.ask(ga.HourlySchedule, hour.start, hour.end, so_far)
        return replace(hour, what=answer.what if answer is not None else NO_PLAN)

    def decided(self, block: Block) -> Living[Block]:
        """A block that says what is done; without a plan that is asked when its hour comes."""
        if block.what:
            return block
        decided = yield from self._filled(block, ())
        self.me.blocks = tuple(decided if old is block else old for old in self.me.blocks)
        return decided

    def anew(self, why: str) -> Living[bool]:
        """Write the schedule anew from now on; whether there is another.

        Without a plan nothing is written: what is done now is asked for, until the hour is over.
        """
        me, now = self.me, self.now()
        bedtime = self.clock.at(me.bed)
        if not self.plans:
            me.blocks = gone_on(me.blocks, _hours(now, bedtime), now)
            return True
        ahead = self.around.ahead(me, me.step)
        schedule = yield self.ask(ga.ReviseSchedule, why, ahead, bedtime)
        if schedule is None:
            return False
        blocks = gone_on(me.blocks, _blocks(schedule, now, bedtime), now)
        me.plan(me.step, blocks, why, self.around.setting)
        self.keep("plan", f"I changed my plan for the day: {why}", PLAN_IMPORTANCE)
        return True

    # -------------------------------------------------------------- by the minute

    def parts(self, block: Block) -> Living[tuple[Part, ...]]:
        """A block in steps of 5 to 15 minutes."""
        undivided = (Part(minutes=block.minutes, what=block.what),)
        if not self.plans or block.minutes <= 15 or block.what == NO_PLAN:
            return undivided
        blocks = self.me.blocks
        at = blocks.index(block)
        schedule = tuple(near for near in blocks[max(0, at - 1) : at + 2] if near.what)
        breakdown = yield self.ask(ga.TaskDecomposition, block, schedule)
        if breakdown is None:
            return undivided
        return tuple(Part(minutes=s.minutes, what=s.what) for s in breakdown.subtasks)


def _hours(start: datetime, end: datetime) -> tuple[Block, ...]:
    """The hours from start to end, in which nothing is planned yet, cut at the full hours.

    After midnight is no part of a day's plan: its last hour lasts until bed.
    """
    midnight = datetime.combine(start.date() + timedelta(days=1), time())
    hours = []
    while start < end:
        full = start.replace(minute=0, second=0) + _HOUR
        until = end if full >= midnight else min(full, end)
        hours.append(Block(start, until, "", ""))
        start = until
    return tuple(hours)


def _blocks(schedule: ga.Schedule, start: datetime, end: datetime) -> tuple[Block, ...]:
    """The entries of a schedule in time; the first begins at `start`."""
    entries = (Entry(start=entry.start, what=entry.what) for entry in schedule.entries)
    return rest_of_day(NewPlan(entries=tuple(entries)), start, end)
