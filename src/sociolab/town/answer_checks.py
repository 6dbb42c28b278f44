"""Whether an answer fits its question: what a type alone cannot say."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from pydantic import BaseModel

from sociolab.town.answers import (
    Agreed,
    Choice,
    DayPlan,
    Entry,
    NewPlan,
    Parts,
    Ratings,
    Reminder,
    Summary,
)
from sociolab.town.clock import clock_time
from sociolab.town.thoughts import Decompose, RateImportance, Replan, Thought

_MOST_SENTENCES = 2
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[A-Z])")
"""Between two sentences: "at 5 p.m. in the park" is one."""


def problem_with(question: Thought, answer: BaseModel) -> str:
    """What is wrong with the answer, as its author is told it; "" if nothing is."""
    match answer:
        case Summary():
            return _places(question, answer.agreed) or _days(answer)
        case Reminder():
            return _sentences(answer.text)
        case DayPlan():
            return _places(question, answer.entries) or _day(answer)
        case NewPlan():
            assert isinstance(question, Replan)
            return _places(question, answer.entries) or _order(question, answer.entries)
        case Parts():
            assert isinstance(question, Decompose)
            return _objects(question, answer)
        case Choice():
            return _place(question, answer.place)
        case Ratings():
            assert isinstance(question, RateImportance)
            if len(answer.ratings) != len(question.texts):
                return f"expected {len(question.texts)} ratings, found {len(answer.ratings)}"
    return ""


def _sentences(text: str) -> str:
    """STSS appendix B: a day's reminder has 1 to 2 sentences."""
    found = len(_SENTENCE_ENDS.findall(text)) + 1
    return "" if found <= _MOST_SENTENCES else f"expected 1 to 2 sentences, found {found}"


def _days(summary: Summary) -> str:
    for agreed in summary.agreed:
        try:
            date.fromisoformat(agreed.day)
        except ValueError:
            return f'expected a date of the calendar, found "{agreed.day}"'
    return ""


def _places(question: Thought, entries: tuple[Entry | Agreed, ...]) -> str:
    for entry in entries:
        problem = _place(question, entry.place) if entry.place else ""
        if problem:
            return problem
    return ""


def _place(question: Thought, place: str) -> str:
    if place in question.me.places:
        return ""
    return f'expected a place that {question.me.resident.first_name} knows, found "{place}"'


def _day(plan: DayPlan) -> str:
    starts = [entry.start for entry in plan.entries]
    if starts != sorted(set(starts)):
        # After midnight is no part of this day's plan, but for the hour of going to bed.
        return f"expected entries in order of their start, found {', '.join(starts)}"
    if starts[0] != plan.wake:
        return f"expected the first entry to start at {plan.wake}, found {starts[0]}"
    if plan.wake < plan.bed <= starts[-1]:
        return f"expected the last entry to start before {plan.bed}, found {starts[-1]}"
    return ""


def _order(question: Replan, entries: tuple[Entry, ...]) -> str:
    """The first entry begins now; the others come in order until bed, past midnight too."""
    now, starts = question.me.now, [entry.start for entry in entries[1:]]
    moments = []
    for start in starts:
        moment = datetime.combine(now.date(), clock_time(start))
        moments.append(moment if moment > now else moment + timedelta(days=1))
    if moments != sorted(set(moments)):
        return f"expected entries in order of their start, found {', '.join(starts)}"
    if moments and moments[-1] >= question.bedtime:
        late = next(s for s, m in zip(starts, moments, strict=True) if m >= question.bedtime)
        return f"expected entries from {now:%H:%M} to {question.bedtime:%H:%M}, found {late}"
    return ""


def _objects(question: Decompose, parts: Parts) -> str:
    for part in parts.parts:
        if part.object and part.object not in question.objects:
            return f'expected an object that is there, or "", found "{part.object}"'
    return ""
