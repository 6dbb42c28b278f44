"""A resident's life: a generator without I/O over the town's clock.

It yields questions for its mind (and is sent the answer, or None where it must go without), `Stay`
(and is sent why it is woken: None when the time has come, or what happened), and `Propose` (and is
sent the talk when it is over, or None where the other was not free). As in Generative Agents
(sections 4 and 5): wake, plan, decompose, walk, perceive, talk, remember, replan, reflect, sleep.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias, TypeVar

from sociolab.town.clock import clock_time
from sociolab.town.conversation import Talk
from sociolab.town.memory import Kind
from sociolab.town.person import Person
from sociolab.town.surroundings import Surroundings
from sociolab.town.thoughts import (
    Asked,
    Block,
    ChoosePlace,
    Commitment,
    DayPlan,
    DayReminder,
    Decompose,
    Entry,
    GeneralPlan,
    Me,
    Memory,
    NewPlan,
    Part,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
    Summarise,
    Summary,
    TalkOrNot,
)
from sociolab.town.trace import Did, Noted, Remembered, Reminded

DECOMPOSED = timedelta(minutes=60)
"""Blocks at least this long are divided into parts."""
_MOST_RATED = 25

State: TypeAlias = Literal["asleep", "walking", "at it", "talking"]


@dataclass(frozen=True, slots=True)
class Stay:
    """Go on with what one is doing until this step, or until something happens."""

    until: int


@dataclass(frozen=True, slots=True)
class Propose:
    """Begin a talk with somebody who is near."""

    other: Person


@dataclass(frozen=True, slots=True)
class News:
    """Somebody has come into view, or begins to do something else."""

    other: Person


@dataclass(frozen=True, slots=True)
class Changed:
    """The plan has changed: what was under way is left."""


Value = TypeVar("Value")
Living: TypeAlias = Generator[Any, Any, Value]


class Life:
    """One resident's life in its surroundings."""

    def __init__(self, me: Person, around: Surroundings) -> None:
        self.me = me
        self.around = around
        self._clock = around.clock

    def run(self) -> Living[None]:
        """From the first midnight on, day after day."""
        me = self.me
        self._show("asleep", "", str(me.resident.home), "bed", asleep=True)
        yield from self._think_of_the_task()
        while True:
            tomorrow = self._clock.midnight(self._clock.day(me.step) + 1)
            wake = yield from self._plan_day()
            yield Stay(wake)
            while me.step < me.bed:
                yield from self._block()
            yield from self._to_bed()
            if me.step < tomorrow:
                yield Stay(tomorrow)

    # -------------------------------------------------------------- planning

    def _think_of_the_task(self) -> Living[None]:
        me, tdp = self.me, self.around.tdp(self.me)
        if tdp is None or not tdp.general:
            return
        setting = self.around.setting
        days = tuple(self._clock.first + timedelta(days=day) for day in range(setting.days))
        lines = yield GeneralPlan(self._asked("general_plan"), self._self(), tdp.goal, days)
        if lines is not None:
            me.general_plan = lines.lines
            me.records.append(Reminded(me.step, me.id, "general plan", "\n".join(lines.lines)))

    def _plan_day(self) -> Living[int]:
        """Plan the day that has begun; the step at which to wake."""
        me = self.me
        day = self._clock.date(me.step)
        me.reminder = yield from self._day_reminder(day)
        plan = yield PlanDay(
            asked=self._asked("plan_day"),
            me=self._self(),
            day=day,
            memories=self._recalled(f"plans for {day:%A}"),
            commitments=tuple([c for c in me.commitments if c.day == day]),
            reminder=me.reminder,
        )
        if plan is None:
            plan = _no_plan(str(me.resident.home))
        wake, bed, blocks = _blocks(plan, day)
        me.bed = self._clock.step(bed)
        me.plan(me.step, blocks, "", self.around.setting)
        return max(self._clock.step(wake), me.step + 1)

    def _day_reminder(self, day: date) -> Living[str]:
        me, tdp = self.me, self.around.tdp(self.me)
        if tdp is None or not tdp.day:
            return ""
        reminder = yield DayReminder(
            self._asked("day_reminder"), self._self(), tdp.goal, me.general_plan, day
        )
        if reminder is None:
            return ""
        me.records.append(Reminded(me.step, me.id, "day", reminder.text))
        return str(reminder.text)

    def _replan(self, why: str) -> Living[bool]:
        """Plan the rest of the day anew; whether there is a new plan."""
        me, now = self.me, self._now()
        ahead = self.around.ahead(me, me.step)
        bedtime = self._clock.at(me.bed)
        new = yield Replan(
            asked=self._asked("replan"),
            me=self._self(),
            why=why,
            ahead=ahead,
            bedtime=bedtime,
            commitments=tuple([c for c in me.commitments if c.day == now.date()]),
            reminder=me.reminder,
        )
        if new is None:
            return False
        gone = tuple([replace(b, end=min(b.end, now)) for b in me.blocks if b.start < now])
        me.plan(me.step, gone + _rest(new, now, bedtime), why, self.around.setting)
        return True

    # -------------------------------------------------------------- doing

    def _block(self) -> Living[None]:
        """Live the block under way, or what is left of it, until it is over or plans change."""
        me, now = self.me, self._now()
        block = next((b for b in me.blocks if b.start <= now < b.end), None)
        if block is None:
            yield Stay(me.step + 1)
            return
        place = yield from self._place(block)
        parts = yield from self._parts(block, place)
        yield from self._digest()
        for part, end in _timed(parts, block):
            until = self._clock.step(end)
            if me.step < until and (yield from self._part(block, place, part, until)):
                return

    def _place(self, block: Block) -> Living[str]:
        if block.place:
            return block.place
        choice = yield ChoosePlace(self._asked("choose_place"), self._self(), block.what)
        place = str(choice.place) if choice is not None else str(self.me.resident.home)
        self.me.blocks = tuple(
            [replace(b, place=place) if b is block else b for b in self.me.blocks]
        )
        return place

    def _parts(self, block: Block, place: str) -> Living[tuple[Part, ...]]:
        """The parts of a block; those of an earlier block of the same kind are used again."""
        me = self.me
        whole = (Part(minutes=_minutes(block), what=block.what),)
        if block.end - block.start < DECOMPOSED:
            return whole
        key = (block.what.casefold(), place)
        if key not in me.parts:
            objects = self.around.objects(place)
            found = yield Decompose(
                self._asked("decompose"), self._self(), replace(block, place=place), objects
            )
            if found is None:
                return whole
            me.parts[key] = found.parts
        return me.parts[key]

    def _part(self, block: Block, place: str, part: Part, until: int) -> Living[bool]:
        """Go there and do it; whether the plan has changed on the way."""
        me = self.me
        doing = block.what if part.what == block.what else f"{block.what} ({part.what})"
        spot = self.around.spot(me, place, part.object)
        while me.step < until:
            path = self.around.paths.path(me.tile, spot)
            if path:
                me.walk(path, me.step)
            self._show(doing, block.what, place, part.object, walking=bool(path))
            arrival = me.step + len(path)
            woken = yield from self._stay(min(arrival, until) if path else until)
            me.stop(me.step)
            if isinstance(woken, Changed):
                return True
            if isinstance(woken, Talk) and (yield from self._after_talk(woken)):
                return True
        return False

    def _to_bed(self) -> Living[None]:
        me = self.me
        home = str(me.resident.home)
        bed = self.around.bed(me)
        while path := self.around.paths.path(me.tile, bed):
            me.walk(path, me.step)
            self._show("go home to bed", "go home to bed", home, "bed", walking=True)
            woken = yield from self._stay(me.step + len(path))
            me.stop(me.step)
            if isinstance(woken, Talk):
                yield from self._after_talk(woken)
        self._show("asleep", "", home, "bed", asleep=True)

    def _stay(self, until: int) -> Living[Talk | Changed | None]:
        """Go on until this step, or until a talk is over or the plan has changed."""
        while self.me.step < until:
            woken: Talk | News | Changed | None = yield Stay(until)
            if isinstance(woken, News):
                woken = yield from self._meet(woken.other)
            if woken is not None:
                return woken
        return None

    # -------------------------------------------------------------- others

    def _meet(self, other: Person) -> Living[Talk | Changed | None]:
        """Talk to somebody who is near, or change one's plan, or carry on (None)."""
        me = self.me
        block = next((b for b in me.blocks if b.start <= self._now() < b.end), None)
        if block is None:
            return None
        me.last_asked[other.number] = me.step
        last = me.last_talk.get(other.number)
        decision = yield TalkOrNot(
            asked=self._asked("talk_or_not"),
            me=self._self(),
            other=self.around.other(me, other),
            block=block,
            memories=self._recalled(f"{other.name} {other.shown.doing}"),
            commitments=tuple(me.commitments),
            last_talk=None if last is None else self._clock.at(last),
        )
        if decision is None or decision.do == "carry on":
            return None
        if decision.do == "talk":
            talk: Talk | None = yield Propose(other)
            return talk
        why = decision.why or f"saw {other.name}: {other.shown.doing}"
        return Changed() if (yield from self._replan(why)) else None

    def _after_talk(self, talk: Talk) -> Living[bool]:
        """Remember what was said and agreed; whether the plan has changed for it."""
        me, other = self.me, talk.partner(self.me)
        me.last_talk[other.number] = me.step
        summary = yield Summarise(
            asked=self._asked("summarise"),
            me=self._self(),
            other=self.around.other(me, other),
            lines=talk.lines,
            commitments=tuple(me.commitments),
            ahead=self.around.ahead(me, me.step),
        )
        if summary is None:
            return False
        self._keep("talk", summary.memo, summary.importance)
        self._note(summary, other)
        if not summary.changes_plan or me.step >= me.bed:
            return False
        return (yield from self._replan(summary.memo))

    def _note(self, summary: Summary, other: Person) -> None:
        """What was agreed: noted, in place of what was noted of the same matter and day."""
        me = self.me
        for agreed in summary.agreed:
            day = date.fromisoformat(agreed.day)
            found = self.around.town.place(agreed.place)
            place = str(found) if found is not None else agreed.place
            commitment = Commitment(agreed.what, day, agreed.start, agreed.minutes, place, other.id)
            same = (agreed.what.casefold(), day)
            me.commitments = [c for c in me.commitments if (c.what.casefold(), c.day) != same]
            me.commitments.append(commitment)
            me.learn(place)
            me.records.append(
                Noted(
                    me.step, me.id, agreed.what, day, agreed.start, agreed.minutes, place, other.id
                )
            )

    # -------------------------------------------------------------- memory

    def _digest(self) -> Living[None]:
        """Rate what has not been rated, many at once, and reflect when much has built up."""
        me, rules = self.me, self.around.rules
        unrated = me.memory.unrated()
        if len(unrated) >= rules.rate_at:
            yield from self._rate(unrated[:_MOST_RATED])
        if me.memory.importance_since >= rules.reflect_at:
            yield from self._reflect()

    def _rate(self, unrated: tuple[int, ...]) -> Living[None]:
        """Have memories rated; the same text is not rated twice, which the memory sees to."""
        memory = self.me.memory
        texts = tuple([memory[index].text for index in unrated])
        answer = yield RateImportance(self._asked("rate_importance"), self._self(), texts)
        for index, rating in zip(unrated, answer.ratings if answer else (), strict=False):
            memory.rate(index, rating)

    def _reflect(self) -> Living[None]:
        me = self.me
        lately = me.memory.latest(5 * self.around.rules.recalled)
        weighty = sorted(lately, key=lambda memory: -(memory.importance or 0))
        me.memory.reflected()
        answer = yield Reflect(
            self._asked("reflect"), self._self(), tuple(weighty[: 2 * self.around.rules.recalled])
        )
        for insight in answer.insights if answer is not None else ():
            self._keep("thought", insight.text, insight.importance)

    def _keep(self, kind: Kind, text: str, importance: int | None = None) -> None:
        me = self.me
        me.memory.add(me.step, kind, text, importance)
        me.records.append(Remembered(me.step, me.id, kind, text, importance))

    # -------------------------------------------------------------- of oneself

    def _now(self) -> datetime:
        return self._clock.at(self.me.step)

    def _self(self) -> Me:
        return self.around.me(self.me, self.me.step)

    def _asked(self, question: str) -> Asked:
        return self.around.asked(self.me, question, self.me.step)

    def _recalled(self, query: str) -> tuple[Memory, ...]:
        return self.me.memory.retrieve(self.me.step, query, self.around.rules.recalled)

    def _show(
        self,
        doing: str,
        block: str,
        place: str,
        thing: str,
        *,
        walking: bool = False,
        asleep: bool = False,
    ) -> None:
        state: State = "asleep" if asleep else "walking" if walking else "at it"
        me = self.me
        me.do(Did(me.step, me.id, doing, block, place, thing, state), me.step)


def _blocks(plan: DayPlan, day: date) -> tuple[datetime, datetime, tuple[Block, ...]]:
    """When to wake, when to go to bed, and the blocks between."""
    wake = datetime.combine(day, clock_time(plan.wake))
    bed = datetime.combine(day, clock_time(plan.bed))
    if bed <= wake:
        bed += timedelta(days=1)
    starts = [datetime.combine(day, clock_time(entry.start)) for entry in plan.entries]
    return wake, bed, _laid_out(plan.entries, starts, bed)


def _rest(new: NewPlan, now: datetime, bed: datetime) -> tuple[Block, ...]:
    """The blocks of a new plan: the first begins now; a time that has gone by is tomorrow's."""
    starts = [now]
    for entry in new.entries[1:]:
        start = datetime.combine(now.date(), clock_time(entry.start))
        starts.append(start if start > now else start + timedelta(days=1))
    return _laid_out(new.entries, starts, bed)


def _laid_out(
    entries: tuple[Entry, ...], starts: list[datetime], bed: datetime
) -> tuple[Block, ...]:
    ends = [*starts[1:], bed]
    return tuple(
        Block(start, min(end, bed), entry.what, entry.place)
        for entry, start, end in zip(entries, starts, ends, strict=True)
        if start < min(end, bed)
    )


def _timed(parts: tuple[Part, ...], block: Block) -> list[tuple[Part, datetime]]:
    """The parts with their ends; the last is stretched or cut to the end of the block."""
    found = []
    end = block.start
    for part in parts:
        end += timedelta(minutes=part.minutes)
        if part is parts[-1] or end >= block.end:
            found.append((part, block.end))
            break
        found.append((part, end))
    return found


def _minutes(block: Block) -> int:
    return max(1, round((block.end - block.start).total_seconds() / 60))


def _no_plan(home: str) -> DayPlan:
    """The day of a resident whose mind gave no plan: nothing is made up for it."""
    nothing = Entry(start="08:00", what="be at home without a plan", place=home)
    return DayPlan(wake="08:00", entries=(nothing,), bed="22:00")
