"""A resident's life and conversations, as generators without I/O over the town's clock.

A life yields questions for its mind (and is sent the answer, or None where there is none), `Stay`
(and is sent why it wakes: None when the time has come, or what happened), and `Propose` (and is
sent the talk when it is over, or None where the other was not free). As in Generative Agents
(sections 4 and 5): wake, plan, decompose, walk, perceive, talk, remember, replan, reflect, sleep.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, TypeAlias, TypeVar

from sociolab.town.clock import parse_time
from sociolab.town.map import Tile
from sociolab.town.memory import MemoryKind
from sociolab.town.person import Noticed, Person, Surroundings
from sociolab.town.questions import (
    MOST_ROUNDS,
    Block,
    ChoosePlace,
    DayPlan,
    DayReminder,
    Decision,
    Decompose,
    Entry,
    GeneralPlan,
    Heard,
    Me,
    Memory,
    MindQuestion,
    NewPlan,
    Part,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
    Said,
    Summarise,
    TalkOrNot,
    TalkReminder,
    Utter,
    Utterance,
)
from sociolab.town.questions.base import format_date
from sociolab.town.trace import Did, Remembered, Reminded, ReminderKind, State, Talked, TalkEnding


@dataclass(frozen=True, slots=True)
class Talk:
    """A finished conversation, from step `start` until `end`."""

    starter: Person
    other: Person
    start: int
    end: int
    lines: tuple[Utterance, ...]

    def partner(self, person: Person) -> Person:
        return self.other if person is self.starter else self.starter


def converse(
    starter: Person, other: Person, step: int, around: Surroundings
) -> Generator[MindQuestion[Any], Any, Talk]:
    """A conversation as a generator of questions: at most 8 rounds, one utterance by each a round.

    Utterance k is asked for at step `step + k`, since each takes at least a step to say. Whoever
    has said goodbye is not asked again; the other may answer once. It ends early where a question
    has no answer, and when the simulation ends.
    """
    lines: list[Utterance] = []
    how: TalkEnding = "round limit"
    closing = False
    steps = around.setting.steps
    for turn in range(2 * MOST_ROUNDS):
        if step + turn >= steps:
            how = "time is up"
            break
        speaker, listener = (starter, other) if turn % 2 == 0 else (other, starter)
        assert speaker.speak is not None
        utterance = yield from speaker.speak(
            listener, starter is speaker, step + turn, lines, closing=closing
        )
        if utterance is None:
            how = "failed"
            break
        assert isinstance(utterance, Said)
        lines.append(Utterance(speaker.id, speaker.name, utterance.text, utterance.acts))
        if closing or (utterance.ends and turn == 2 * MOST_ROUNDS - 1):
            how = "goodbye"
            break
        closing = utterance.ends
    words = sum(len(line.text.split()) for line in lines)
    spoken = around.clock.minutes(words / around.rules.words_a_minute)
    end = min(step + max(spoken, len(lines)), steps)
    starter.records.append(Talked(step, end, starter.id, other.id, tuple(lines), how))
    return Talk(starter, other, step, end, tuple(lines))


def could_talk(person: Person, other: Person, step: int, around: Surroundings) -> bool:
    """Whether to ask a person about talking to another: `free_to_talk`, and not asked lately."""
    last = person.last_asked.get(other.number)
    patience = around.clock.minutes(around.rules.patience)
    return (last is None or step - last >= patience) and free_to_talk(person, other, step, around)


def free_to_talk(person: Person, other: Person, step: int, around: Surroundings) -> bool:
    """Whether a person may talk to another now: the other is neither asleep nor talking, and their
    last conversation is long enough ago."""
    if other.appearance.asleep or other.appearance.talking:
        return False
    last = person.last_talk.get(other.number)
    return last is None or step - last >= around.clock.minutes(around.rules.cooldown)


Value = TypeVar("Value")
Living: TypeAlias = Generator[Any, Any, Value]
"""A generator of questions and of the above; it is sent answers, and returns a value."""


@dataclass(frozen=True, slots=True)
class Stay:
    """Carry on until this step, or until something happens."""

    until: int


@dataclass(frozen=True, slots=True)
class Propose:
    """Ask to begin a conversation with somebody near."""

    other: Person


@dataclass(frozen=True, slots=True)
class News:
    """Somebody came into view or began something else, or a thing changed."""

    seen: tuple[Noticed, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """The plan has changed: the current activity is abandoned."""


@dataclass(frozen=True, slots=True)
class Waited:
    """One has waited, instead of walking on: the current activity is taken up again."""


Interruption: TypeAlias = Talk | Changed | Waited


Q = TypeVar("Q", bound=MindQuestion[Any])


class Thinking:
    """A resident in its surroundings: the base of the parts of a life."""

    def __init__(self, me: Person, around: Surroundings) -> None:
        self.me = me
        self.around = around
        self.clock = around.clock

    def now(self) -> datetime:
        return self.clock.at(self.me.step)

    def myself(self) -> Me:
        return self.around.me(self.me, self.me.step)

    def ask(self, question: type[Q], *fields: Any, step: int | None = None, **named: Any) -> Q:
        """Build a question for now, or for a `step` of a talk; `fields` and `named` are its own
        fields."""
        me, at = self.me, self.me.step if step is None else step
        head = self.around.make_head(me, question, at)
        return question(head, self.around.me(me, at), *fields, **named)

    def retrieve(self, query: str) -> tuple[Memory, ...]:
        """Retrieve memories for a query; this counts as accessing them now."""
        return self.around.retrieve(self.me, self.me.step, query)

    def keep(
        self,
        kind: MemoryKind,
        text: str,
        importance: int | None = None,
        evidence: tuple[int, ...] = (),
    ) -> Memory:
        """Store a memory; `evidence` holds the numbers of the memories that it follows from."""
        me = self.me
        index = me.memory.add(me.step, kind, text, importance)
        me.records.append(Remembered(me.step, me.id, kind, text, importance, evidence))
        return me.memory[index]


DECOMPOSED = timedelta(minutes=60)
"""Blocks at least this long are divided into parts."""


class Life(Thinking):
    utter: type[Utter] = Utter

    def __init__(self, me: Person, around: Surroundings) -> None:
        super().__init__(me, around)
        self.planning = Planning(me, around)
        self.remembering = Remembering(me, around)
        self._wish: tuple[Person, int, str] = (me, 0, "")
        """To whom one wished to talk last, at which step, and why."""

    def run(self) -> Living[None]:
        """Live from the first midnight on, day after day; never returns."""
        me = self.me
        self._record_doing("asleep", "", str(me.resident.home), "bed", asleep=True)
        yield from self._seed_memories()
        while True:
            tomorrow = self.clock.midnight(self.clock.day(me.step) + 1)
            wake = yield from self.planning.plan_day()
            yield Stay(wake)
            while me.step < me.bed:
                block = self._under_way()
                if block is not None:
                    yield from self._live(block)
                    continue
                later = [self.clock.step(b.start) for b in me.blocks if b.start > self.now()]
                yield from self._stay(min([me.bed, *later]))
            yield from self._go_to_bed()
            if me.step < tomorrow:
                yield Stay(tomorrow)

    def speak(
        self, other: Person, began: bool, step: int, lines: Sequence[Utterance], *, closing: bool
    ) -> Living[Said | None]:
        """Ask for the next utterance of a conversation."""
        me, around = self.me, self.around
        minded = yield from self._recall_for_utterance(other, step, lines)
        *wished, why = self._wish
        last = me.last_talk.get(other.number)
        utterance: Said | None = yield self.ask(
            self.utter,
            step=step,
            other=around.other(me, other),
            started=began,
            why=why if wished == [other, step - len(lines)] else "",
            lines=tuple(lines),
            left=MOST_ROUNDS - len(lines) // 2,
            ahead=around.rest_of_plan(me, step),
            plan=me.general_plan,
            checklist=me.checklist,
            goal=around.setting.tdp.get(me.id, ""),
            closing=closing,
            last_talk=None if last is None else self.clock.at(last),
            **minded,
        )
        return utterance

    def _recall_for_utterance(
        self, other: Person, step: int, lines: Sequence[Utterance]
    ) -> Living[dict[str, Any]]:
        """What comes to mind before an utterance, as fields of its question."""
        yield from ()
        last = lines[-1].text if lines else ""
        return {"memories": self.around.retrieve_about(self.me, other, step, last)}

    def _seed_memories(self) -> Living[None]:
        for text in self.me.resident.memories:
            self.keep("known", text)
        yield from ()

    def _live(self, block: Block) -> Living[None]:
        """Do what a block of the plan says, until it is over or plans change."""
        me = self.me
        place = yield from self._choose_place(block)
        parts = yield from self._divide_block(block, place)
        yield from self.remembering.rate_and_reflect()
        for part, end in time_parts(parts, block):
            until = self.clock.step(end)
            if me.step < until and (yield from self._do_part(block, place, part, until)):
                return

    def _under_way(self) -> Block | None:
        """The current block of the plan; None outside the plan."""
        now = self.now()
        return next((b for b in self.me.blocks if b.start <= now < b.end), None)

    def _choose_place(self, block: Block) -> Living[str]:
        if block.place:
            return block.place
        choice = yield self.ask(ChoosePlace, block.what)
        place = str(choice.place) if choice is not None else str(self.me.resident.home)
        self.me.blocks = tuple(
            [replace(b, place=place) if b is block else b for b in self.me.blocks]
        )
        return place

    def _divide_block(self, block: Block, place: str) -> Living[tuple[Part, ...]]:
        """Divide a block into parts; blocks of the same kind share them."""
        me = self.me
        undivided = (Part(minutes=block.minutes, what=block.what),)
        if block.end - block.start < DECOMPOSED:
            return undivided
        key = (block.what.casefold(), place)
        if key not in me.parts:
            objects = self.around.objects(place)
            recalled = self.retrieve(f"{block.what} {place}")
            breakdown = yield self.ask(Decompose, replace(block, place=place), objects, recalled)
            if breakdown is None:
                return undivided
            me.parts[key] = breakdown.parts
        return me.parts[key]

    def _do_part(self, block: Block, place: str, part: Part, until: int) -> Living[bool]:
        """Walk there and do it; whether the plan has changed on the way."""
        me = self.me
        doing = describe_activity(block, part)
        spot = self.around.choose_spot(me, place, part.object)
        while me.step < until:
            path = self._path_to(spot)
            free = self.around.find_free_spot(me, spot, place, part.object, me.step + len(path))
            if free != spot:
                spot, path = free, self._path_to(free)
            me.claim(spot, me.step + len(path))
            if path:
                me.walk(path, me.step)
            away = str(self.around.town.place_at(me.tile)) != place
            self._record_doing(doing, block.what, place, part.object, walking=bool(path) and away)
            if not path and (yield from self._begin_activity(place, part.object)):
                return True
            arrival = me.step + len(path)
            woken = yield from self._stay(min(arrival, until) if path else until)
            me.stop(me.step)
            if isinstance(woken, Changed):
                return True
            if isinstance(woken, Talk) and (yield from self._after_talk(woken)):
                return True
        return False

    def _begin_activity(self, place: str, thing: str) -> Living[bool]:
        """Begin an activity where it is done; whether the plan has changed instead."""
        yield from ()
        return False

    def _path_to(self, spot: Tile) -> str:
        return self.around.paths.path(self.me.tile, spot)

    def _go_to_bed(self) -> Living[None]:
        me = self.me
        home = str(me.resident.home)
        bed = self.around.bed(me)
        while path := self._path_to(bed):
            me.claim(bed, me.step + len(path))
            me.walk(path, me.step)
            self._record_doing("going home to bed", "going home to bed", home, "bed", walking=True)
            woken = yield from self._stay(me.step + len(path))
            me.stop(me.step)
            if isinstance(woken, Talk):
                yield from self._after_talk(woken)
        self._record_doing("asleep", "", home, "bed", asleep=True)

    def _stay(self, until: int) -> Living[Interruption | None]:
        """Carry on until this step, or until something else is to be done."""
        while self.me.step < until:
            woken: News | Interruption | None = yield Stay(until)
            if isinstance(woken, News):
                woken = yield from self._notice(woken.seen)
            if woken is not None:
                return woken
        return None

    def _notice(self, noticed: tuple[Noticed, ...]) -> Living[Interruption | None]:
        """Talk to somebody who is near, change the plan, or carry on (None)."""
        me, other = self.me, noticed[0].other
        block = self._under_way()
        if block is None:
            return None
        me.last_asked[other.number] = me.step
        last = me.last_talk.get(other.number)
        decision = yield self.ask(
            TalkOrNot,
            other=self.around.other(me, other),
            block=block,
            memories=self.around.retrieve_about(me, other, me.step, other.appearance.doing),
            last_talk=None if last is None else self.clock.at(last),
        )
        return (
            yield from self._act_on(decision, other, f"saw {other.name}: {other.appearance.doing}")
        )

    def _act_on(
        self, decision: Decision | None, other: Person, cause: str
    ) -> Living[Talk | Changed | None]:
        """Carry out a decision about a person or thing that was seen."""
        if decision is None or decision.do == "carry on":
            return None
        if decision.do == "talk":
            self._wish = (other, self.me.step, decision.why)
            talk: Talk | None = yield Propose(other)
            if talk is None:  # somebody else was quicker: one may try again
                del self.me.last_asked[other.number]
            return talk
        return Changed() if (yield from self.planning.replan(decision.why or cause)) else None

    def _after_talk(self, talk: Talk) -> Living[bool]:
        """Remember a talk; whether the plan has changed because of it."""
        why = yield from self.remembering.remember_talk(talk)
        if not why or self.me.step >= self.me.bed:
            return False
        return (yield from self.planning.replan(why))

    def _record_doing(
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
        did = Did(me.step, me.id, doing, block, place, thing, state)
        if replace(did, step=me.doing.step) != me.doing or not me.step:
            me.do(did, me.step)


# ------------------------------------------------------------------ planning


class Planning(Thinking):
    """Planning, as in Generative Agents (section 4.3) and STSS (section 4)."""

    def plan_day(self) -> Living[int]:
        """Plan the day that has begun, with TDP's texts where there is a goal; returns the step of
        waking."""
        me = self.me
        day = self.clock.date(me.step)
        goal = self.around.setting.tdp.get(me.id)
        reminder = "" if goal is None else (yield from self._ask_tdp(goal, day))
        points = (f"plans for {format_date(day)}", "important recent events")
        recalled = dict.fromkeys(memory for point in points for memory in self.retrieve(point))
        memories = tuple(sorted(recalled, key=lambda memory: memory.when))
        plan = yield self.ask(PlanDay, day, memories, reminder)
        if plan is None:
            plan = empty_day(str(me.resident.home))
        wake, bed, blocks = lay_out_day(plan, day)
        me.bed = self.clock.step(bed)
        me.plan(me.step, blocks, "", self.around.setting)
        return max(self.clock.step(wake), me.step + 1)

    @property
    def left_out(self) -> frozenset[str]:
        return self.around.setting.without

    def _ask_tdp(self, goal: str, day: date) -> Living[str]:
        """Ask for TDP's texts: general plan, this day's reminder, checklist for conversations.

        Plan and checklist are written once, before the first day; the reminder is returned.
        """
        me, first = self.me, day == self.clock.first
        without = self.left_out
        if first and "general_plan" not in without:
            lines = yield self.ask(GeneralPlan, goal)
            me.general_plan = lines.lines if lines is not None else ()
            self._remind("general plan", me.general_plan)
        text = ""
        if "day_reminder" not in without:
            reminder = yield self.ask(DayReminder, goal, me.general_plan, day)
            text = str(reminder.text) if reminder is not None else ""
        self._remind("day", (text,) if text else ())
        if first and "talk_reminder" not in without:
            items = yield self.ask(TalkReminder, goal, me.general_plan)
            me.checklist = items.items if items is not None else ()
            self._remind("talk", me.checklist)
        return text

    def _remind(self, kind: ReminderKind, lines: tuple[str, ...]) -> None:
        if lines:
            self.me.records.append(Reminded(self.me.step, self.me.id, kind, "\n".join(lines)))

    def replan(self, why: str) -> Living[bool]:
        """Replan the rest of the day; whether there is a new plan."""
        me, now = self.me, self.now()
        ahead = self.around.rest_of_plan(me, me.step)
        bedtime = self.clock.at(me.bed)
        new = yield self.ask(Replan, why, ahead, bedtime, self.retrieve(why))
        if new is None:
            return False
        blocks = continue_plan(me.blocks, rest_of_day(new, now, bedtime), now)
        me.plan(me.step, blocks, why, self.around.setting)
        return True


# ------------------------------------------------------------------ remembering


_MOST_RATED = 25
"""Memories in one request for ratings."""


class Remembering(Thinking):
    """Remembering and reflecting, as in Generative Agents (sections 4.1 and 4.2)."""

    def remember_talk(self, talk: Talk) -> Living[str]:
        """Remember a conversation; returns why the plan must change, or ""."""
        me, other = self.me, talk.partner(self.me)
        me.last_talk[other.number] = me.step
        if not talk.lines:
            return ""
        me.known_places = self.myself().places_after(talk.lines)
        ahead = self.around.rest_of_plan(me, me.step)
        summary = yield self.ask(Summarise, self.around.other(me, other), talk.lines, ahead)
        if summary is None:
            self.keep("talk", f"talked with {other.name}")
            return ""
        about = (Heard(self.now(), other.id, act) for act in summary.acts if act.matter is not None)
        me.heard = (*me.heard, *about)
        me.last_memo[other.number] = self.keep("talk", summary.memo, summary.importance)
        return str(summary.memo) if summary.changes_plan else ""

    def rate_and_reflect(self) -> Living[None]:
        """Rate unrated memories in batches, and reflect once enough importance has built up."""
        memory, rules = self.me.memory, self.around.rules
        unrated = memory.unrated()
        if len(unrated) >= rules.rate_at:
            batch = unrated[:_MOST_RATED]
            answer = yield self.ask(RateImportance, tuple(memory[index].text for index in batch))
            for index, rating in zip(batch, answer.ratings if answer else (), strict=False):
                memory.rate(index, rating)
        if memory.importance_since >= rules.reflect_at:
            recent = memory.latest(5 * rules.recalled)
            weighty = sorted(recent, key=lambda memory: -(memory.importance or 0))
            memory.reset_importance()
            answer = yield self.ask(Reflect, tuple(weighty[: 2 * rules.recalled]))
            for insight in answer.insights if answer is not None else ():
                self.keep("thought", insight.text, insight.importance)


# ------------------------------------------------------------------ plans in time


def waking_hours(day: date, wake: str, bed: str) -> tuple[datetime, datetime]:
    """When to get up and go to bed; a bedtime earlier on the clock is after midnight."""
    up, down = (datetime.combine(day, parse_time(text)) for text in (wake, bed))
    return up, down if down > up else down + timedelta(days=1)


def lay_out_day(plan: DayPlan, day: date) -> tuple[datetime, datetime, tuple[Block, ...]]:
    """Waking time, bedtime, and the blocks between."""
    wake, bed = waking_hours(day, plan.wake, plan.bed)
    starts = [datetime.combine(day, parse_time(entry.start)) for entry in plan.entries]
    return wake, bed, _lay_out(plan.entries, starts, bed)


def rest_of_day(plan: NewPlan, now: datetime, bed: datetime) -> tuple[Block, ...]:
    """The blocks of a new plan: the first begins now; a time that has passed is tomorrow's."""
    timed = [(now, plan.entries[0])]
    for entry in plan.entries[1:]:
        start = datetime.combine(now.date(), parse_time(entry.start))
        timed.append((start if start > now else start + timedelta(days=1), entry))
    timed.sort(key=lambda pair: pair[0])  # what is tomorrow's must not hide what comes today
    return _lay_out(tuple(entry for _, entry in timed), [start for start, _ in timed], bed)


def continue_plan(
    old: tuple[Block, ...], rest: tuple[Block, ...], now: datetime
) -> tuple[Block, ...]:
    """The day with its rest replanned; an activity that simply continues stays one block."""
    past = [replace(block, end=min(block.end, now)) for block in old if block.start < now]
    if past and rest:
        last, first = past[-1], rest[0]
        if last.end == now and (last.what, last.place) == (first.what, first.place):
            past.pop()
            rest = (replace(first, start=last.start), *rest[1:])
    return (*past, *rest)


def _lay_out(
    entries: tuple[Entry, ...], starts: list[datetime], bed: datetime
) -> tuple[Block, ...]:
    ends = [*starts[1:], bed]
    return tuple(
        Block(start, min(end, bed), entry.what, entry.place)
        for entry, start, end in zip(entries, starts, ends, strict=True)
        if start < min(end, bed)
    )


def time_parts(parts: tuple[Part, ...], block: Block) -> list[tuple[Part, datetime]]:
    """The parts with their end times; the last is stretched or cut to the end of the block."""
    timed = []
    end = block.start
    for number, part in enumerate(parts, start=1):
        end += timedelta(minutes=part.minutes)
        if number == len(parts) or end >= block.end:
            timed.append((part, block.end))
            break
        timed.append((part, end))
    return timed


def describe_activity(block: Block, part: Part) -> str:
    return block.what if part.what == block.what else f"{block.what} ({part.what})"


def empty_day(home: str) -> DayPlan:
    """The day of a resident whose mind gave no plan: nothing is invented for it."""
    nothing = Entry(start="08:00", what="be at home without a plan", place=home)
    return DayPlan(wake="08:00", entries=(nothing,), bed="22:00")
