"""The identity of a resident on a new day, and its plans.

Generative Agents, section 4.3: a day in broad strokes, then by the hour, then in steps of 5 to 15
minutes; replanned after a reaction.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from sociolab.town.generative.stream import PLAN_IMPORTANCE, Stream
from sociolab.town.life import Living, Planning, continue_plan, rest_of_day, waking_hours
from sociolab.town.person import Person, Surroundings
from sociolab.town.questions import Block, Entry, NewPlan, Part, generative as ga
from sociolab.town.questions.base import format_date
from sociolab.town.trace import Revised

NO_PLAN = "being at home without a plan"
"""The activity of a resident whose mind gave no plan: nothing is invented for it."""

_HOUR = timedelta(hours=1)


class GenerativePlanning(Planning):
    def __init__(self, me: Person, around: Surroundings, stream: Stream) -> None:
        super().__init__(me, around)
        self._stream = stream
        self._concern = around.setting.concerns.get(me.id, "")
        self._currently = me.resident.currently.removesuffix(self._concern).strip()

    @property
    def plans(self) -> bool:
        """False where planning is ablated (see `ABLATIONS`)."""
        return "planning" not in self.around.setting.without

    @property
    def left_out(self) -> frozenset[str]:
        """Without plans TDP's day reminder is left out, too: nothing would show it."""
        return super().left_out if self.plans else super().left_out | {"day_reminder"}

    def plan_day(self) -> Living[int]:
        """Revise the identity and plan the day that has begun; returns the step of waking."""
        me = self.me
        day = self.clock.date(me.step)
        yesterday, me.outline = me.outline, ()
        notes = () if day == self.clock.first else (yield from self._revise_identity(day))
        goal = self.around.setting.tdp.get(me.id)
        reminder = "" if goal is None else (yield from self._ask_tdp(goal, day))
        hours = yield self.ask(ga.WakeUpHour, day)
        times = (hours.wake, hours.bed) if hours is not None else ("08:00", "22:00")
        wake, bed = waking_hours(day, *times)
        me.bed = self.clock.step(bed)
        if self.plans:
            outline = yield self.ask(
                ga.DailyPlan, day, wake, bed, notes, yesterday, reminder, goal or ""
            )
            me.outline = outline.plan if outline is not None else ()
            blocks = yield from self._plan_hours(wake, bed)
            me.plan(me.step, blocks, "", self.around.setting)
            if me.outline:
                text = f"My plan for {format_date(day)}: {'; '.join(me.outline)}"
                self.keep("plan", text, PLAN_IMPORTANCE)
        else:
            me.blocks = _full_hours(wake, bed)
        return max(self.clock.step(wake), me.step + 1)

    # -------------------------------------------------------------- the identity, overnight

    def _revise_identity(self, day: date) -> Living[tuple[str, ...]]:
        """Rewrite what occupies the resident, except its task; returns the notes that this rests
        on."""
        points = (f"plans for {format_date(day)}", "important recent events")
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

    def _plan_hours(self, wake: datetime, bed: datetime) -> Living[tuple[Block, ...]]:
        """Plan the day by the hour; consecutive hours with the same activity are one block."""
        if "hours" in self.around.setting.merge:
            schedule = yield self.ask(ga.DaySchedule, wake, bed)
            idle = (Block(wake, bed, NO_PLAN, ""),)
            return _to_blocks(schedule, wake, bed) if schedule is not None else idle
        blocks: list[Block] = []
        for hour in _full_hours(wake, bed):
            block = yield from self._fill_hour(hour, tuple(blocks))
            if blocks and blocks[-1].what == block.what:
                block = replace(block, start=blocks.pop().start)
            blocks.append(block)
        return tuple(blocks)

    def _fill_hour(self, hour: Block, so_far: tuple[Block, ...]) -> Living[Block]:
        answer = yield self.ask(ga.HourlySchedule, hour.start, hour.end, so_far)
        return replace(hour, what=answer.what if answer is not None else NO_PLAN)

    def decide_block(self, block: Block) -> Living[Block]:
        """The block with its activity; without plans, that is asked for when the hour comes."""
        if block.what:
            return block
        decided = yield from self._fill_hour(block, ())
        self.me.blocks = tuple(decided if old is block else old for old in self.me.blocks)
        return decided

    def replan(self, why: str) -> Living[bool]:
        """Reschedule the rest of the day; False where no new schedule was given.

        Without plans nothing is written: what is done now is asked for, until the hour is over.
        """
        me, now = self.me, self.now()
        bedtime = self.clock.at(me.bed)
        if not self.plans:
            me.blocks = continue_plan(me.blocks, _full_hours(now, bedtime), now)
            return True
        ahead = self.around.rest_of_plan(me, me.step)
        schedule = yield self.ask(ga.ReviseSchedule, why, ahead, bedtime)
        if schedule is None:
            return False
        blocks = continue_plan(me.blocks, _to_blocks(schedule, now, bedtime), now)
        me.plan(me.step, blocks, why, self.around.setting)
        self.keep("plan", f"I changed my plan for the day: {why}", PLAN_IMPORTANCE)
        return True

    # -------------------------------------------------------------- by the minute

    def parts(self, block: Block) -> Living[tuple[Part, ...]]:
        """Divide a block into steps of 5 to 15 minutes."""
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


def _full_hours(start: datetime, end: datetime) -> tuple[Block, ...]:
    """The hours from start to end, cut at the full hours, with nothing planned yet.

    A day's plan does not go past midnight: its last hour lasts until bed.
    """
    midnight = datetime.combine(start.date() + timedelta(days=1), time())
    hours = []
    while start < end:
        full = start.replace(minute=0, second=0) + _HOUR
        until = end if full >= midnight else min(full, end)
        hours.append(Block(start, until, "", ""))
        start = until
    return tuple(hours)


def _to_blocks(schedule: ga.Schedule, start: datetime, end: datetime) -> tuple[Block, ...]:
    entries = (Entry(start=entry.start, what=entry.what) for entry in schedule.entries)
    return rest_of_day(NewPlan(entries=tuple(entries)), start, end)
