"""From an answer that can be read to one that the town can use, or what is wrong with it.

What a model means without doubt is put right: a place in other letters, entries out of order or
in the hours of sleep. What it leaves in doubt is a problem, and the question is put again.
"""

from __future__ import annotations

from datetime import date, time, timedelta
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel

from sociolab.town.answers import (
    Agreed,
    Choice,
    DayPlan,
    Entry,
    Insights,
    Items,
    Lines,
    NewPlan,
    Part,
    Parts,
    Ratings,
    Reminder,
    Said,
    Summary,
)
from sociolab.town.clock import clock_time
from sociolab.town.map import place_meant
from sociolab.town.thoughts import Decompose, RateImportance, Replan, Thought

Typed = TypeVar("Typed", bound=BaseModel)

_A_DAY = 24 * 60


class UnfitError(ValueError):
    """An answer that the town cannot use; the message says what is wrong with it."""


def fitted(question: Thought, answer: BaseModel) -> BaseModel:
    """The answer, put right; UnfitError where that is not possible."""
    places = question.me.places
    match answer:
        case DayPlan():
            return _day_plan(answer, places)
        case NewPlan() if isinstance(question, Replan):
            return _new_plan(answer, question)
        case Parts() if isinstance(question, Decompose):
            parts = tuple(_part(part, question.objects) for part in answer.parts)
            return _with(answer, parts=parts)
        case Choice():
            return _with(answer, place=_place(answer.place, places))
        case Ratings() if isinstance(question, RateImportance):
            return _ratings(answer, len(question.texts))
        case Summary():
            agreed = tuple(_agreed(one, question) for one in answer.agreed)
            return _with(answer, memo=_words("memo", answer.memo), agreed=agreed)
        case Insights():
            texts = [_with(one, text=_words("text", one.text)) for one in answer.insights]
            return _with(answer, insights=tuple(texts))
        case Lines():
            return _with(answer, lines=tuple(_words("a line", line) for line in answer.lines))
        case Items():
            return _with(answer, items=tuple(_words("an item", item) for item in answer.items))
        case Said() | Reminder():
            return _with(answer, text=_words("text", answer.text))
    return answer


def _with(answer: Typed, **changes: Any) -> Typed:
    return answer.model_copy(update=changes)


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()


def _words(field: str, text: str) -> str:
    words = " ".join(text.split())
    if not words:
        raise UnfitError(f"expected words in {field}, found none")
    return words


def _place(text: str, places: tuple[str, ...], otherwise: str = "") -> str:
    """The known place that is meant, by its name or in words; `otherwise` is what would do too."""
    found = text if text in places else place_meant(text, places)
    if found is None:
        near = get_close_matches(text[:80], places, n=3, cutoff=0.0)
        shown = " or ".join(f'"{place}"' for place in near)
        problem = f"expected a place that you know, such as {shown}{otherwise}"
        raise UnfitError(f'{problem}, found "{text[:80]}"')
    return found


def _entry(entry: Entry, places: tuple[str, ...]) -> Entry:
    place = _place(entry.place, places) if entry.place.strip() else ""
    return _with(entry, what=_words("what", entry.what), place=place)


def _day_plan(plan: DayPlan, places: tuple[str, ...]) -> DayPlan:
    wake = clock_time(plan.wake)
    awake = min(_minutes_after(wake, plan.bed) or _A_DAY, _until_midnight(wake))
    entries = [_entry(entry, places) for entry in plan.entries]
    kept = _in_order(entries, wake, awake)
    if not kept:
        raise UnfitError(
            f"expected entries between waking at {plan.wake} and bed at {plan.bed}, found none"
        )
    kept[0] = _with(kept[0], start=plan.wake)
    return _with(plan, entries=tuple(kept))


def _new_plan(plan: NewPlan, question: Replan) -> NewPlan:
    """The first entry starts now, whatever its time says; the rest lie between now and bed."""
    now = question.me.now
    awake = min((question.bedtime - now) // timedelta(minutes=1), _until_midnight(now.time()))
    first, *rest = [_entry(entry, question.me.places) for entry in plan.entries]
    later = [one for one in _in_order(rest, now.time(), awake) if one.start != f"{now:%H:%M}"]
    return _with(plan, entries=(_with(first, start=f"{now:%H:%M}"), *later))


def _in_order(entries: list[Entry], start: time, minutes: int) -> list[Entry]:
    """Those that start within so many minutes, by time; of two at one time the first given."""
    offsets: dict[int, Entry] = {}
    for entry in entries:
        offsets.setdefault(_minutes_after(start, entry.start), entry)
    return [offsets[offset] for offset in sorted(offsets) if offset < minutes]


def _until_midnight(start: time) -> int:
    """What is done after midnight is no part of a day's plan: its last entry lasts until bed."""
    return _A_DAY - 60 * start.hour - start.minute


def _minutes_after(start: time, text: str) -> int:
    moment = clock_time(text)
    return (60 * (moment.hour - start.hour) + moment.minute - start.minute) % _A_DAY


def _part(part: Part, objects: tuple[str, ...]) -> Part:
    """An object that is not there is none: the part is done all the same."""
    there = {_folded(name): name for name in objects}
    found = there.get(_folded(part.object), "")
    return _with(part, what=_words("what", part.what), object=found)


def _ratings(answer: Ratings, count: int) -> Ratings:
    if len(answer.ratings) != count:
        raise UnfitError(f"expected {count} ratings, found {len(answer.ratings)}")
    return answer


def _agreed(one: Agreed, question: Thought) -> Agreed:
    today = question.me.now.date()
    try:
        day = date.fromisoformat(one.day)
    except ValueError:
        raise UnfitError(f'expected a date for what was agreed, found "{one.day}"') from None
    if day < today:
        raise UnfitError(f"expected a day from {today.isoformat()} on, found {one.day}")
    none = ', or "" for none of them'
    place = _place(one.place, question.me.places, none) if one.place.strip() else ""
    return _with(one, what=_words("what", one.what), place=place)
