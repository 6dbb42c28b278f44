"""Scripted answers to the questions of the generative mind, for smoke tests; days are those of the
lean mind, split into hours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from itertools import cycle, islice
from typing import Any

from sociolab.core.seeding import stream
from sociolab.town.clock import parse_time
from sociolab.town.questions import (
    DayPlan,
    Decision,
    Entry,
    Heard,
    Matter,
    Memo,
    MindAnswer,
    MindQuestion,
    PlanDay,
    Ratings,
    Replan,
    ScheduleEntry,
    Summarise,
    TalkOrNot,
    generative as ga,
)
from sociolab.town.residents import Habit, Rhythm
from sociolab.town.scripted.conversation import (
    TalkOutcome,
    decide,
    heard_news,
    make_summary,
    note_of,
)
from sociolab.town.scripted.day import plan_day, replan_day
from sociolab.town.scripted.matters import everyday, fill_line, lines


@dataclass(frozen=True, slots=True)
class _Day:
    """A day to plan, compared by what a scripted plan depends on."""

    seed: int
    resident: str
    text: tuple[str, ...]
    rhythm: Rhythm | None
    habits: tuple[Habit, ...]
    places: tuple[str, ...]
    heard: tuple[Heard, ...]
    task: Matter | None
    day: date
    reminder: str
    question: PlanDay = field(compare=False)


@lru_cache(maxsize=256)
def _planned(day: _Day) -> DayPlan:
    return plan_day(day.question, visits=True)


def _day(question: MindQuestion[Any], reminder: str = "") -> DayPlan:
    """The day's plan as it stands, which is asked for at every step."""
    me, day = question.me, question.me.now.date()
    who = me.resident
    text = (who.lifestyle, who.routine, who.currently, who.living_area)
    asked = PlanDay(question.meta, me, day, (), reminder)
    return _planned(
        _Day(question.meta.seed, who.id, text, who.rhythm, who.habits, me.places, me.heard,
             me.task, day, reminder, asked)
    )  # fmt: skip


def _entry(question: MindQuestion[Any], moment: datetime) -> Entry:
    entries = _day(question).entries
    started = [entry for entry in entries if parse_time(entry.start) <= moment.time()]
    return (started or [*entries])[-1]


def _hours(question: ga.WakeUpHour) -> ga.Waking:
    plan = _day(question)
    return ga.Waking(wake=plan.wake, bed=plan.bed)


def _outline(question: ga.DailyPlan) -> ga.Outline:
    entries = _day(question, question.reminder).entries
    return ga.Outline(plan=tuple(f"{entry.what} from {entry.start}" for entry in entries[:12]))


def _hour(question: ga.HourlySchedule) -> ga.Activity:
    middle = question.start + (question.end - question.start) / 2
    return ga.Activity(what=_entry(question, middle).what)


def _schedule(entries: tuple[Entry, ...]) -> ga.Schedule:
    return ga.Schedule(
        entries=tuple(ScheduleEntry(start=entry.start, what=entry.what) for entry in entries)
    )


def _whole_day(question: ga.DaySchedule) -> ga.Schedule:
    return _schedule(_day(question).entries)


def _rest(question: ga.ReviseSchedule) -> ga.Schedule:
    new = replan_day(
        Replan(question.meta, question.me, question.why, question.ahead, question.bedtime)
    )
    return _schedule(new.entries)


STEP = 10
"""Minutes of a subtask."""


def _steps(question: ga.TaskDecomposition) -> ga.Subtasks:
    """Subtasks of ten minutes each: those of the activity, begun anywhere in their order
    and each once before any comes again."""
    block, table = question.block, everyday()["steps"]
    who, home = question.me.resident.id, question.me.resident.home.sector
    is_out = not _entry(question, block.start).place.startswith(f"{home}: ")
    names = (f"{who}: {block.what}", f"{block.what}{', out' * is_out}", block.what, "")
    steps = next(table[name] for name in names if table.get(name))
    chance = stream(question.meta.seed, "steps", who, block.what, block.start.isoformat())
    start = chance.randrange(len(steps))
    count = max(1, -(-block.minutes // STEP))
    chosen = islice(cycle((*steps[start:], *steps[:start])), count)
    return ga.Subtasks(subtasks=tuple(ga.Subtask(minutes=STEP, what=step) for step in chosen))


def _area(question: ga.ChooseArea) -> ga.Area:
    """The place in the day's plan if it is an option, else a random option."""
    entries = _day(question).entries
    places = (entry.place for entry in entries if question.what.startswith(entry.what))
    planned = next(places, "") or _entry(question, question.me.now).place
    sector, _, arena = planned.partition(": ")
    names = (planned, sector, arena)
    match = next((option for option in question.options if option in names), None)
    return ga.Area(name=match) if match else _any(question)


def _any(question: ga.ChooseArea) -> ga.Area:
    chance = stream(question.meta.seed, question.name, question.meta.resident, question.what)
    return ga.Area(name=chance.choice(question.options))


def _reaction(question: ga.React) -> Decision:
    """Starts talks as in the lean town, also with the user of an object; ignores objects."""
    if question.other is None or not question.may_talk:
        return Decision(do="carry on")
    block, last = question.block, question.last_talk
    return decide(TalkOrNot(question.meta, question.me, question.other, block, (), last))


def _summarised(question: ga.AfterTalk[Any]) -> Summarise:
    return Summarise(question.meta, question.me, question.other, question.lines, ())


def _memo(question: ga.ConversationSummary) -> Memo:
    note = make_summary(_summarised(question))
    return Memo(memo=note.memo, acts=note.acts)


def _planning_thought(question: ga.PlanningThought) -> ga.Noted:
    """What follows from the matter for one's plans; nothing from small talk."""
    outcome = TalkOutcome.of(question.me, question.other, question.lines)
    if outcome is None or outcome.key not in lines()["thought"]:
        return ga.Noted(text="")
    text = note_of(outcome.key, _summarised(question), outcome.matter, "thought")
    return ga.Noted(text=text)


def _conversation_memo(question: ga.ConversationMemo) -> ga.Noted:
    """What the other told of itself beside the matter: alone, it is the summary already."""
    if TalkOutcome.of(question.me, question.other, question.lines) is None:
        return ga.Noted(text="")
    return ga.Noted(text=heard_news(question.lines, question.other.id))


def _importance(question: ga.RateMemory) -> ga.MemoryRating:
    return ga.MemoryRating(rating=_rate(question.kind, question.text))


def rate_texts(question: ga.RateMemories) -> Ratings:
    """Ratings of experiences, or of seed memories, which are in the second person."""
    kinds = ("memory" if text.startswith("You ") else "event" for text in question.texts)
    return Ratings(ratings=tuple(map(_rate, kinds, question.texts)))


_RATINGS = {"memory": (4, 5, 6, 7), "conversation": (4, 5, 6), "thought": (4, 5, 6)}


def _rate(kind: str, text: str) -> int:
    """Ratings by kind: passers-by and things count least, what people are busy with a little more,
    conversations and thoughts most."""
    if kind == "event":
        return 1 if text.startswith("the ") or " is on the way to " in text else 2
    return stream(0, "importance", text).choice(_RATINGS[kind])


def _insights(question: ga.DrawInsights) -> ga.EvidencedInsights:
    """One insight: about a person or place that comes up in the statements, or about oneself."""
    me, table = question.me, lines()["insight"]
    chance = stream(
        question.meta.seed, "insight", me.resident.id, me.now.isoformat(), question.question
    )
    own = (me.resident.living_area, *(habit.place for habit in me.resident.habits))
    known, own_sectors = (
        {place.partition(": ")[0] for place in places} for places in (me.places, own)
    )
    others = known - own_sectors
    about = [
        (number, kind, name)
        for number, memory in enumerate(question.memories, 1)
        for kind, names in (("person", me.people.values()), ("place", sorted(others)))
        for name in names
        if name in memory.text
    ]
    number, kind, name = chance.choice([*about, (1, "self", "")])
    insight = fill_line(table[f"of_{kind}"], chance, name=name, place=name)
    return ga.EvidencedInsights(insights=(ga.EvidencedInsight(insight=insight, because=(number,)),))


def _thing_state(question: ga.ObjectState) -> ga.ThingState:
    states = everyday()["states"].get(question.thing, ("in use",))
    chance = stream(question.meta.seed, "state", question.thing, question.place, question.doing)
    return ga.ThingState(state=chance.choice(states))


def _nothing(_: MindQuestion[Any]) -> ga.Written:
    return ga.Written(text="Nothing out of the ordinary.")


def _currently(question: ga.ReviseIdentity) -> ga.Written:
    return ga.Written(text=question.currently or "Nothing out of the ordinary.")


ANSWERS: dict[str, Callable[[Any], MindAnswer]] = {
    "importance": _importance,
    "salient_questions": lambda _: ga.SalientAnswer(
        questions=("Whom did I see?", "What did I do?", "What comes next?")
    ),
    "insights": _insights,
    "planning_note": _nothing,
    "feeling_note": _nothing,
    "revise_identity": _currently,
    "wake_up_hour": _hours,
    "daily_plan": _outline,
    "hourly_schedule": _hour,
    "day_schedule": _whole_day,
    "revise_schedule": _rest,
    "task_decomposition": _steps,
    "choose_sector": _area,
    "choose_arena": _area,
    "choose_object": _any,  # plans name no things
    "object_state": _thing_state,
    "relationship": _nothing,
    "react": _reaction,
    "conversation_summary": _memo,
    "planning_thought": _planning_thought,
    "conversation_memo": _conversation_memo,
}
"""Answers by the name of the question."""
