"""Whether an answer fits its question: what a type alone cannot say."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel

from sociolab.town.thoughts import (
    Choice,
    DayPlan,
    Entry,
    NewPlan,
    RateImportance,
    Ratings,
    Summary,
    Thought,
)


def problem_with(question: Thought, answer: BaseModel) -> str:
    """What is wrong with the answer, as its author is told it; "" if nothing is."""
    match answer:
        case Summary():
            return _days(answer)
        case DayPlan():
            return _places(question, answer.entries) or _day(answer)
        case NewPlan():
            return _places(question, answer.entries) or _order(answer.entries)
        case Choice():
            return _place(question, answer.place)
        case Ratings():
            assert isinstance(question, RateImportance)
            if len(answer.ratings) != len(question.texts):
                return f"expected {len(question.texts)} ratings, found {len(answer.ratings)}"
    return ""


def _days(summary: Summary) -> str:
    for agreed in summary.agreed:
        try:
            date.fromisoformat(agreed.day)
        except ValueError:
            return f'expected a date of the calendar, found "{agreed.day}"'
    return ""


def _places(question: Thought, entries: tuple[Entry, ...]) -> str:
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


def _order(entries: tuple[Entry, ...]) -> str:
    starts = [entry.start for entry in entries]
    if starts[1:] != sorted(set(starts[1:])):
        return f"expected entries in order of their start, found {', '.join(starts)}"
    return ""
