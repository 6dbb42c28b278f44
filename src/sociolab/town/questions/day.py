"""What a resident is asked about its day: TDP's texts, plans, places and parts, importance,
insights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from pydantic import Field

from sociolab.town.clock import TimeOfDay, parse_time
from sociolab.town.questions.base import (
    Block,
    Importance,
    Me,
    Memory,
    MindAnswer,
    MindQuestion,
    Name,
    Sentences,
    UnfitError,
    Words,
    format_block_place,
    numbered_lines,
    one_line,
    resolve_place,
    summarise_identity,
    unknown_place,
)

A = TypeVar("A", bound=MindAnswer)

_MOST_SENTENCES = 2
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[A-Z])")
"""Between two sentences: "at 5 p.m. in the park" is one."""


class Lines(MindAnswer):
    """TDP's general plan: 3 to 5 lines."""

    lines: tuple[Sentences, ...] = Field(min_length=3, max_length=5)


@dataclass(frozen=True, slots=True)
class TdpQuestion(MindQuestion[A]):
    """A step of target-driven planning; its prompt may show `name` and `identity`, too."""

    exact = True
    more = "identity name"

    goal: str

    def extra_variables(self) -> dict[str, Any]:
        return {"identity": summarise_identity(self.me), "name": one_line(self.me.resident.name)}


@dataclass(frozen=True, slots=True)
class GeneralPlan(TdpQuestion[Lines]):
    """Step 1: the task in a few subgoals or key points, 3 to 5 sentences."""

    name = "general_plan"
    answer_type = Lines
    more = "identity name plain"


class Reminder(MindAnswer):
    """TDP's reminder for a day: 1 to 2 sentences."""

    text: Sentences


@dataclass(frozen=True, slots=True)
class DayReminder(TdpQuestion[Reminder]):
    """Step 2: what to keep in mind when planning this day, 1 to 2 sentences."""

    name = "day_reminder"
    answer_type = Reminder

    plan: tuple[str, ...]
    day: date

    def problem_with(self, answer: Reminder) -> str:
        """STSS appendix B: a day's reminder has 1 to 2 sentences."""
        count = len(_SENTENCE_ENDS.findall(answer.text)) + 1
        return "" if count <= _MOST_SENTENCES else f"expected 1 to 2 sentences, found {count}"


class Items(MindAnswer):
    """TDP's checklist for conversations: fewer than five items."""

    items: tuple[Sentences, ...] = Field(min_length=1, max_length=4)


@dataclass(frozen=True, slots=True)
class TalkReminder(TdpQuestion[Items]):
    """Step 3: what to keep in mind in all conversations, fewer than 5 items."""

    name = "talk_reminder"
    answer_type = Items
    more = "identity name plain"

    plan: tuple[str, ...]


MOST_PLACES = 150
"""With more known places than this, a schema takes any text for a place."""

TIMES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)]
"""On the quarter hour."""
WAKES = [time for time in TIMES if "03:00" <= time <= "12:00"]
BEDS = [time for time in TIMES if time >= "19:00" or time <= "03:00"]
_FEWEST_ENTRIES, _MOST_ENTRIES = 8, 14
"""As the prompt asks; a plan with fewer or more is accepted all the same."""
_A_DAY = 24 * 60

# ------------------------------------------------------------------ plans


class ScheduleEntry(MindAnswer):
    """An activity from `start` until the next entry starts."""

    start: TimeOfDay
    what: Words


class Entry(ScheduleEntry):
    place: Name = ""


E = TypeVar("E", bound=ScheduleEntry)


class DayPlan(MindAnswer):
    """A day from waking to bed; the first entry starts at `wake`.

    A `bed` earlier than `wake` is after midnight.
    """

    wake: TimeOfDay
    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)
    bed: TimeOfDay


class NewPlan(MindAnswer):
    """The rest of the day: the first entry starts at once, whatever its time says."""

    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)


@dataclass(frozen=True, slots=True)
class PlanDay(MindQuestion[DayPlan]):
    """Plan the day `day`: when to wake, what to do where, when to go to bed.

    `reminder` is TDP's reminder for this day, "" without one.
    """

    name = "plan_day"
    answer_type = DayPlan
    needs = 1_500

    day: date
    memories: tuple[Memory, ...]
    reminder: str = ""

    def schema_options(self) -> dict[str, Any]:
        """Known places, a number of entries, waking in the morning and bed at night."""
        hours = {"wake": string_enum(WAKES), "bed": string_enum(BEDS)}
        entries = {"minItems": _FEWEST_ENTRIES, "maxItems": _MOST_ENTRIES}
        return place_options(self.me) | {"entries": entries} | hours

    def problem_with(self, answer: DayPlan) -> str:
        """Unknown places, and entries that do not run from waking to bed."""
        return _unknown_places(self.me, answer.entries) or _unordered_day(answer)

    def coerce(self, answer: DayPlan) -> DayPlan:
        """Entries in order; those in the hours of sleep are dropped."""
        wake = parse_time(answer.wake)
        awake = min(_minutes_after(wake, answer.bed) or _A_DAY, _until_midnight(wake))
        entries = [_coerced_entry(entry, self.me.places) for entry in answer.entries]
        ordered = _in_order(entries, wake, awake)
        if not ordered:
            raise UnfitError(
                f"expected entries between waking at {answer.wake} and bed at {answer.bed}, found "
                "none"
            )
        ordered[0] = ordered[0].model_copy(update={"start": answer.wake})
        return answer.model_copy(update={"entries": tuple(ordered)})


@dataclass(frozen=True, slots=True)
class Replan(MindQuestion[NewPlan]):
    """Replan the rest of the day, from `me.now` until bed; `why` says what happened."""

    name = "replan"
    answer_type = NewPlan
    needs = 1_500

    why: str
    ahead: tuple[Block, ...]
    bedtime: datetime
    memories: tuple[Memory, ...] = ()

    def schema_options(self) -> dict[str, Any]:
        return place_options(self.me)

    def problem_with(self, answer: NewPlan) -> str:
        """Unknown places, and entries that do not run from now to bed."""
        return _unknown_places(self.me, answer.entries) or self._unordered(answer.entries)

    def coerce(self, answer: NewPlan) -> NewPlan:
        """The first entry starts now, whatever its time says; the rest lie between now and bed."""
        now = self.me.now
        awake = min((self.bedtime - now) // timedelta(minutes=1), _until_midnight(now.time()))
        entries = [_coerced_entry(entry, self.me.places) for entry in answer.entries]
        return NewPlan(entries=order_entries(entries, now, awake))

    def _unordered(self, entries: tuple[Entry, ...]) -> str:
        """The first entry starts now; the others come in order until bed, also after midnight."""
        now, starts = self.me.now, [entry.start for entry in entries[1:]]
        moments = []
        for start in starts:
            moment = datetime.combine(now.date(), parse_time(start))
            moments.append(moment if moment > now else moment + timedelta(days=1))
        if moments != sorted(set(moments)):
            return f"expected entries in order of their start, found {', '.join(starts)}"
        if moments and moments[-1] >= self.bedtime:
            late = next(s for s, m in zip(starts, moments, strict=True) if m >= self.bedtime)
            return f"expected entries from {now:%H:%M} to {self.bedtime:%H:%M}, found {late}"
        return ""


def place_options(me: Me, *more: str) -> dict[str, Any]:
    """The `place` field of a schema: an enum of known places, unless they are too many."""
    if not me.places or len(me.places) > MOST_PLACES:
        return {}
    return {"place": {"enum": [*more, *me.places]}}


def string_enum(texts: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(texts)}


def _unknown_places(me: Me, entries: tuple[Entry, ...]) -> str:
    named = (entry.place for entry in entries if entry.place)
    return next(filter(None, (unknown_place(me, place) for place in named)), "")


def _unordered_day(plan: DayPlan) -> str:
    starts = [entry.start for entry in plan.entries]
    if starts != sorted(set(starts)):
        # After midnight is no part of this day's plan, but for the hour of going to bed.
        return f"expected entries in order of their start, found {', '.join(starts)}"
    if starts[0] != plan.wake:
        return f"expected the first entry to start at {plan.wake}, found {starts[0]}"
    if plan.wake < plan.bed <= starts[-1]:
        return f"expected the last entry to start before {plan.bed}, found {starts[-1]}"
    return ""


def _coerced_entry(entry: Entry, places: tuple[str, ...]) -> Entry:
    place = resolve_place(entry.place, places) if entry.place.strip() else ""
    return entry.model_copy(update={"place": place})


def order_entries(entries: Sequence[E], start: datetime, minutes: int) -> tuple[E, ...]:
    """Entries in order: the first starts at `start`, whatever its time says; of the rest those
    within so many minutes of it."""
    at = f"{start:%H:%M}"
    first, *rest = entries
    later = [entry for entry in _in_order(rest, start.time(), minutes) if entry.start != at]
    return (first.model_copy(update={"start": at}), *later)


def _in_order(entries: Sequence[E], start: time, minutes: int) -> list[E]:
    """Entries that start within `minutes`, by time; of two at one time the first."""
    offsets: dict[int, E] = {}
    for entry in entries:
        offsets.setdefault(_minutes_after(start, entry.start), entry)
    return [offsets[offset] for offset in sorted(offsets) if offset < minutes]


def _until_midnight(start: time) -> int:
    """Minutes to midnight: a plan of a day does not go further, its last entry lasts until bed."""
    return _A_DAY - 60 * start.hour - start.minute


def _minutes_after(start: time, text: str) -> int:
    moment = parse_time(text)
    return (60 * (moment.hour - start.hour) + moment.minute - start.minute) % _A_DAY


# ------------------------------------------------------------------ doing what was planned


class Part(MindAnswer):
    """A part of a block, and the object at which it is done ("" for none in particular)."""

    minutes: int = Field(ge=1, le=24 * 60)
    what: Words
    object: Name = ""


class Parts(MindAnswer):
    """The parts of a block, in order; the last is stretched or cut to the block's end."""

    parts: tuple[Part, ...] = Field(min_length=1, max_length=24)


class Choice(MindAnswer):
    place: Name


@dataclass(frozen=True, slots=True)
class Decompose(MindQuestion[Parts]):
    """Divide a block of the plan into parts, each at one of the place's objects."""

    name = "decompose"
    answer_type = Parts
    needs = 900
    more = "end minutes place start"

    block: Block
    objects: tuple[str, ...]
    memories: tuple[Memory, ...] = ()

    def extra_variables(self) -> dict[str, Any]:
        block = self.block
        return {
            "start": f"{block.start:%H:%M}",
            "end": f"{block.end:%H:%M}",
            "minutes": block.minutes,
            "place": format_block_place(block),
            "objects": ", ".join(one_line(name) for name in self.objects) or "none",
        }

    def problem_with(self, answer: Parts) -> str:
        for part in answer.parts:
            if part.object and part.object not in self.objects:
                return f'expected an object that is there, or "", found "{part.object}"'
        return ""

    def coerce(self, answer: Parts) -> Parts:
        """An object that is not there becomes none: the part is done all the same."""
        object_names = {_folded(name): name for name in self.objects}
        parts = tuple(
            part.model_copy(update={"object": object_names.get(_folded(part.object), "")})
            for part in answer.parts
        )
        return answer.model_copy(update={"parts": parts})


@dataclass(frozen=True, slots=True)
class ChoosePlace(MindQuestion[Choice]):
    """Choose where to do something for which the plan names no known place."""

    name = "choose_place"
    answer_type = Choice

    what: str

    def schema_options(self) -> dict[str, Any]:
        return place_options(self.me)

    def problem_with(self, answer: Choice) -> str:
        return unknown_place(self.me, answer.place)

    def coerce(self, answer: Choice) -> Choice:
        return answer.model_copy(update={"place": resolve_place(answer.place, self.me.places)})


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()


# ------------------------------------------------------------------ what matters


class Ratings(MindAnswer):
    """One rating a text: 1 is mundane, 10 life-changing."""

    ratings: tuple[Importance, ...]


class Insight(MindAnswer):
    text: Sentences
    importance: Importance


class Insights(MindAnswer):
    insights: tuple[Insight, ...] = Field(max_length=5)


@dataclass(frozen=True, slots=True)
class RateImportance(MindQuestion[Ratings]):
    """Rate how much memories matter, several at once."""

    name = "rate_importance"
    answer_type = Ratings
    more = "count"

    texts: tuple[str, ...]

    def extra_variables(self) -> dict[str, Any]:
        return {"texts": numbered_lines(self.texts), "count": len(self.texts)}

    def schema_options(self) -> dict[str, Any]:
        count = len(self.texts)
        return {"ratings": {"minItems": count, "maxItems": count}} if count else {}

    def problem_with(self, answer: Ratings) -> str:
        if len(answer.ratings) == len(self.texts):
            return ""
        return f"expected {len(self.texts)} ratings, found {len(answer.ratings)}"

    def coerce(self, answer: Ratings) -> Ratings:
        """Missing ratings cannot be invented, nor surplus ones chosen from: UnfitError."""
        problem = self.problem_with(answer)
        if problem:
            raise UnfitError(problem)
        return answer


@dataclass(frozen=True, slots=True)
class Reflect(MindQuestion[Insights]):
    name = "reflect"
    answer_type = Insights

    memories: tuple[Memory, ...]
