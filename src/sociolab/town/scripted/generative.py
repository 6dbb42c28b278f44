"""Scripted answers to the questions of the generative mind, for smoke tests; days are those of the
lean mind, split into hours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import cycle, islice
from typing import Any

from sociolab.core.seeding import stream
from sociolab.town.clock import parse_time
from sociolab.town.questions import (
    DayPlan,
    Decision,
    Entry,
    Memo,
    MindAnswer,
    MindQuestion,
    PlanDay,
    Replan,
    ScheduleEntry,
    Summarise,
    TalkOrNot,
    generative as ga,
)
from sociolab.town.scripted.conversation import decide, make_summary
from sociolab.town.scripted.day import plan_day, replan_day


def _day(question: MindQuestion[Any], reminder: str = "") -> DayPlan:
    me = question.me
    return plan_day(PlanDay(question.meta, me, me.now.date(), (), reminder))


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


def _steps(question: ga.TaskDecomposition) -> ga.Subtasks:
    """Subtasks of ten minutes each."""
    between = max(0, question.block.minutes // 10 - 2)
    steps = (
        "getting started",
        *islice(cycle(("going on with it", "taking a short break")), between),
    )
    return ga.Subtasks(
        subtasks=tuple(ga.Subtask(minutes=10, what=step) for step in (*steps, "finishing"))
    )


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


def _memo(question: ga.ConversationSummary) -> Memo:
    note = make_summary(Summarise(question.meta, question.me, question.other, question.lines, ()))
    return Memo(memo=note.memo, acts=note.acts)


def _rating(question: ga.RateMemory) -> ga.MemoryRating:
    return ga.MemoryRating(rating=2 if question.kind == "event" else 4)


def _nothing(_: MindQuestion[Any]) -> ga.Written:
    return ga.Written(text="Nothing out of the ordinary.")


def _currently(question: ga.ReviseIdentity) -> ga.Written:
    return ga.Written(text=question.currently or "Nothing out of the ordinary.")


ANSWERS: dict[str, Callable[[Any], MindAnswer]] = {
    "importance": _rating,
    "salient_questions": lambda _: ga.SalientAnswer(
        questions=("Whom did I see?", "What did I do?", "What comes next?")
    ),
    "insights": lambda _: ga.EvidencedInsights(
        insights=(ga.EvidencedInsight(insight="My days are much alike.", because=(1,)),)
    ),
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
    "object_state": lambda question: ga.ThingState(state=f"in use by {question.me.resident.name}"),
    "relationship": _nothing,
    "react": _reaction,
    "conversation_summary": _memo,
    "planning_thought": lambda _: ga.Noted(text=""),
    "conversation_memo": lambda _: ga.Noted(text=""),
}
"""Answers by the name of the question."""
