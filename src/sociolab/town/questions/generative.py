"""What the mind of Generative Agents (arXiv 2304.03442) asks beside the questions of both minds:
memory, reflection, planning in three levels, reactions, and what is kept of a conversation.

One class is one component and one prompt, `prompts/SET/generative/NAME.md`. `shows` names its
inputs; every prompt may use those of `COMMON`, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints

from sociolab.town.clock import TimeOfDay, clock_time
from sociolab.town.questions.base import (
    LONGEST_FIELD,
    Acted,
    Block,
    Importance,
    Me,
    Memory,
    MindAnswer,
    MindQuestion,
    Name,
    Other,
    UnfitError,
    Utterance,
    dated,
    first_name,
    here,
    named,
    now_line,
    numbered,
    one_line,
    place_or,
    plan_lines,
    talk_lines,
    text_lines,
)
from sociolab.town.questions.conversation import Decision, Utter

A = TypeVar("A", bound=MindAnswer)


def _spaced(text: object) -> object:
    return " ".join(text.split()) if isinstance(text, str) else text


SpacedWords: TypeAlias = Annotated[
    str, BeforeValidator(_spaced), StringConstraints(min_length=1, max_length=200)
]
SpacedText: TypeAlias = Annotated[
    str, BeforeValidator(_spaced), StringConstraints(min_length=1, max_length=1000)
]
"""On one line, with single spaces."""

COMMON = "date first_name identity lifestyle name now"
"""Inputs of all these prompts: `identity` is the summary of who somebody is (name, age, traits,
what occupies them, way of life, the plan in broad strokes, the date), several lines."""

_QUARTERS = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)]
_WAKES = [clock for clock in _QUARTERS if "03:00" <= clock <= "12:00"]
_BEDS = [clock for clock in _QUARTERS if clock >= "19:00"]


@dataclass(frozen=True, slots=True)
class GenerativeQuestion(MindQuestion[A]):
    """A question of this mind: `_inputs` are the values of those that `shows` names."""

    folder: ClassVar[str] = "generative/"
    head: ClassVar[str] = "generative/identity"
    shows: ClassVar[str] = ""

    def _inputs(self) -> dict[str, Any]:
        raise NotImplementedError

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return common(self.me) | self._inputs()


def common(me: Me) -> dict[str, Any]:
    """The values of `COMMON`."""
    who = me.resident
    lifestyle, routine = who.ordinary_day
    lines = [
        f"Name: {one_line(who.name)}",
        f"Age: {who.age}",
        f"Character: {one_line(who.innate, LONGEST_FIELD)}",
        f"Background: {one_line(who.learned, LONGEST_FIELD)}",
        f"What occupies {one_line(who.first_name)} now: {one_line(who.currently, LONGEST_FIELD)}",
        f"Way of life: {one_line(lifestyle, LONGEST_FIELD)}",
    ]
    if routine:
        lines.append(f"Ordinary days: {one_line(routine, LONGEST_FIELD)}")
    if me.outline:
        lines.append(f"Plan of the day: {'; '.join(map(one_line, me.outline))}")
    lines.append(f"Date: {dated(me.now.date())}")
    return {
        "date": dated(me.now.date()),
        "first_name": one_line(who.first_name),
        "identity": "\n".join(lines),
        "lifestyle": one_line(lifestyle, LONGEST_FIELD),
        "name": one_line(who.name),
        "now": now_line(me.now),
    }


def by_sector(places: Iterable[str]) -> dict[str, list[str]]:
    """The arenas of each sector among these places."""
    found: dict[str, list[str]] = {}
    for place in places:
        sector, _, arena = place.partition(": ")
        found.setdefault(sector, []).append(arena)
    return found


def known_places(me: Me) -> str:
    """The places that one knows, one line a sector."""
    sectors = by_sector(me.places)
    return text_lines(f"{one}: {', '.join(filter(None, sectors[one]))}" for one in sectors)


class Written(MindAnswer):
    """A text of a few sentences."""

    text: SpacedText


# ------------------------------------------------------------------ memory


class MemoryRating(MindAnswer):
    """1 is mundane, 10 changes a life."""

    rating: Importance


@dataclass(frozen=True, slots=True)
class RateMemory(GenerativeQuestion[MemoryRating]):
    """How much one memory matters (section 4.1: importance)."""

    name = "importance"
    answer_type = MemoryRating
    shows = "kind text"

    kind: Literal["event", "conversation", "thought"]
    text: str

    def _inputs(self) -> dict[str, Any]:
        return {"kind": self.kind, "text": one_line(self.text, LONGEST_FIELD)}


# ------------------------------------------------------------------ reflection


class SalientAnswer(MindAnswer):
    """Three questions."""

    questions: tuple[SpacedText, ...] = Field(min_length=3, max_length=3)


@dataclass(frozen=True, slots=True)
class SalientQuestions(GenerativeQuestion[SalientAnswer]):
    """The three most salient questions that recent memories let one answer (section 4.2)."""

    name = "salient_questions"
    answer_type = SalientAnswer
    shows = "statements"

    memories: tuple[Memory, ...]

    def _inputs(self) -> dict[str, Any]:
        return {"statements": numbered(memory.text for memory in self.memories)}


class EvidencedInsight(MindAnswer):
    """An insight, and the numbers of the statements from which it follows."""

    insight: SpacedText
    because: tuple[int, ...] = Field(min_length=1, max_length=30)


class EvidencedInsights(MindAnswer):
    """At most five insights."""

    insights: tuple[EvidencedInsight, ...] = Field(min_length=1, max_length=5)


@dataclass(frozen=True, slots=True)
class DrawInsights(GenerativeQuestion[EvidencedInsights]):
    """Five insights from what was recalled for a question, with their evidence (section 4.2)."""

    name = "insights"
    answer_type = EvidencedInsights
    shows = "count question statements"

    question: str
    memories: tuple[Memory, ...]

    def _inputs(self) -> dict[str, Any]:
        return {
            "count": len(self.memories),
            "question": one_line(self.question, LONGEST_FIELD),
            "statements": numbered(memory.text for memory in self.memories),
        }

    def schema_options(self) -> dict[str, Any]:
        """Numbers of statements."""
        bounds = {"type": "integer", "minimum": 1, "maximum": max(1, len(self.memories))}
        return {"because": {"items": bounds}}

    def problem_with(self, answer: EvidencedInsights) -> str:
        """Statements that there are not."""
        named = [number for one in answer.insights for number in one.because]
        wrong = next((number for number in named if not 1 <= number <= len(self.memories)), None)
        if wrong is None:
            return ""
        return f"expected numbers of statements, 1 to {len(self.memories)}, found {wrong}"


# ------------------------------------------------------------------ the identity, overnight


@dataclass(frozen=True, slots=True)
class OvernightNote(GenerativeQuestion[Written]):
    """What one makes of what one remembers, before a day begins."""

    answer_type = Written
    shows = "statements"

    memories: tuple[Memory, ...]

    def _inputs(self) -> dict[str, Any]:
        return {"statements": dated_statements(self.memories)}


@dataclass(frozen=True, slots=True)
class PlanningNote(OvernightNote):
    """What of it bears on the plan of the day that begins."""

    name = "planning_note"


@dataclass(frozen=True, slots=True)
class FeelingNote(OvernightNote):
    """How one feels about the days gone by."""

    name = "feeling_note"


@dataclass(frozen=True, slots=True)
class ReviseIdentity(GenerativeQuestion[Written]):
    """What occupies one now, written anew before a day begins; a task is no part of it.

    `notes` are the two above, `memories` what they are made of where they are not asked for.
    `currently` is what was written before, `task` what stays beside it, word for word.
    """

    name = "revise_identity"
    answer_type = Written
    shows = "currently notes statements task"

    currently: str
    task: str
    notes: tuple[str, ...]
    memories: tuple[Memory, ...]

    def _inputs(self) -> dict[str, Any]:
        return {
            "currently": one_line(self.currently, LONGEST_FIELD),
            "notes": text_lines(self.notes),
            "statements": dated_statements(self.memories),
            "task": one_line(self.task, LONGEST_FIELD),
        }


def dated_statements(memories: tuple[Memory, ...]) -> str:
    """One memory a line, with its moment, in order of time; known before is what has none."""
    ordered = sorted(memories, key=lambda memory: memory.when)
    return text_lines(
        memory.text if memory.kind == "known" else f"{memory.when:%Y-%m-%d %H:%M}: {memory.text}"
        for memory in ordered
    )


# ------------------------------------------------------------------ planning


class Waking(MindAnswer):
    """When one gets up and when one goes to bed; a bed earlier on the clock is after midnight."""

    wake: TimeOfDay
    bed: TimeOfDay


@dataclass(frozen=True, slots=True)
class WakeUpHour(GenerativeQuestion[Waking]):
    """The hours of this day."""

    name = "wake_up_hour"
    answer_type = Waking
    shows = "day"

    day: date

    def _inputs(self) -> dict[str, Any]:
        return {"day": dated(self.day)}

    def schema_options(self) -> dict[str, Any]:
        """Getting up in the morning, and to bed in the evening."""
        return {
            "wake": {"type": "string", "enum": _WAKES},
            "bed": {"type": "string", "enum": _BEDS},
        }


class Outline(MindAnswer):
    """A day in broad strokes."""

    plan: tuple[SpacedText, ...] = Field(min_length=1, max_length=12)


@dataclass(frozen=True, slots=True)
class DailyPlan(GenerativeQuestion[Outline]):
    """The day in broad strokes, five to eight things with their hours (section 4.3).

    `notes` are those of the night, `yesterday` the plan of the day before; both empty on the first
    day. `reminder` is TDP's, "" without one.
    """

    name = "daily_plan"
    answer_type = Outline
    shows = "bed day notes places reminder wake yesterday"

    day: date
    wake: datetime
    bed: datetime
    notes: tuple[str, ...] = ()
    yesterday: tuple[str, ...] = ()
    reminder: str = ""

    def _inputs(self) -> dict[str, Any]:
        return {
            "bed": f"{self.bed:%H:%M}",
            "day": dated(self.day),
            "notes": text_lines(self.notes),
            "places": known_places(self.me),
            "reminder": one_line(self.reminder, LONGEST_FIELD),
            "wake": f"{self.wake:%H:%M}",
            "yesterday": text_lines(self.yesterday),
        }


class Activity(MindAnswer):
    """What is done, in words that read well after "NAME is"."""

    what: SpacedWords


@dataclass(frozen=True, slots=True)
class HourlySchedule(GenerativeQuestion[Activity]):
    """What is done in one hour of the day (section 4.3).

    `so_far` are the hours before it, as they are planned. Without a plan (an ablation) it is asked
    when the hour begins, and shows none.
    """

    name = "hourly_schedule"
    answer_type = Activity
    shows = "end outline so_far start"

    start: datetime
    end: datetime
    so_far: tuple[Block, ...]

    def _inputs(self) -> dict[str, Any]:
        return {
            "end": f"{self.end:%H:%M}",
            "outline": text_lines(self.me.outline),
            "so_far": plan_lines(self.so_far),
            "start": f"{self.start:%H:%M}",
        }


class ScheduleEntry(MindAnswer):
    """Something that is done from `start` until the next entry starts."""

    start: TimeOfDay
    what: SpacedWords


class Schedule(MindAnswer):
    """A day, or the rest of one, in order of time."""

    entries: tuple[ScheduleEntry, ...] = Field(min_length=1, max_length=40)


@dataclass(frozen=True, slots=True)
class DaySchedule(GenerativeQuestion[Schedule]):
    """All hours of the day at once: `HourlySchedule` in one call."""

    name = "day_schedule"
    answer_type = Schedule
    shows = "bed outline wake"

    wake: datetime
    bed: datetime

    def _inputs(self) -> dict[str, Any]:
        return {
            "bed": f"{self.bed:%H:%M}",
            "outline": text_lines(self.me.outline),
            "wake": f"{self.wake:%H:%M}",
        }

    def coerced(self, answer: Schedule) -> Schedule:
        """In order; the first starts on waking, what lies in the hours of sleep goes."""
        return in_order(answer, self.wake, self.bed)


@dataclass(frozen=True, slots=True)
class ReviseSchedule(GenerativeQuestion[Schedule]):
    """The rest of the day anew, from the reaction on (section 4.3.1). `why` is the reaction."""

    name = "revise_schedule"
    answer_type = Schedule
    shows = "ahead bed here places why"

    why: str
    ahead: tuple[Block, ...]
    bedtime: datetime

    def _inputs(self) -> dict[str, Any]:
        return {
            "ahead": plan_lines(self.ahead),
            "bed": f"{self.bedtime:%H:%M}",
            "here": place_or(self.me.place, "outdoors"),
            "places": known_places(self.me),
            "why": one_line(self.why, LONGEST_FIELD),
        }

    def coerced(self, answer: Schedule) -> Schedule:
        """The first entry starts now, whatever its time says; the rest lies between now and bed."""
        return in_order(answer, self.me.now, self.bedtime)


def in_order(schedule: Schedule, start: datetime, end: datetime) -> Schedule:
    """The entries by time, of which the first starts at `start`; those from `end` on go."""
    first, *rest = schedule.entries
    kept = {start: first}
    for entry in rest:
        moment = datetime.combine(start.date(), clock_time(entry.start))
        moment = moment if moment >= start else moment + timedelta(days=1)
        if start < moment < end:
            kept.setdefault(moment, entry)
    return schedule.model_copy(
        update={
            "entries": tuple(
                ScheduleEntry(start=f"{moment:%H:%M}", what=kept[moment].what)
                for moment in sorted(kept)
            )
        }
    )


class Subtask(MindAnswer):
    """A few minutes of an activity."""

    minutes: int = Field(ge=1, le=240)
    what: SpacedWords


class Subtasks(MindAnswer):
    """An activity in small steps, in order; the last is stretched or cut to its end."""

    subtasks: tuple[Subtask, ...] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class TaskDecomposition(GenerativeQuestion[Subtasks]):
    """What is done in an activity, in steps of 5 to 15 minutes (section 4.3).

    `schedule` is what comes before it and after it.
    """

    name = "task_decomposition"
    answer_type = Subtasks
    shows = "end minutes schedule start what"

    block: Block
    schedule: tuple[Block, ...]

    @property
    def minutes(self) -> int:
        """How long the activity lasts."""
        return round((self.block.end - self.block.start) / timedelta(minutes=1))

    def _inputs(self) -> dict[str, Any]:
        block = self.block
        return {
            "end": f"{block.end:%H:%M}",
            "minutes": self.minutes,
            "schedule": plan_lines(self.schedule),
            "start": f"{block.start:%H:%M}",
            "what": one_line(block.what),
        }

    def schema_options(self) -> dict[str, Any]:
        """Five to fifteen minutes each, where a schema is followed."""
        least = max(1, -(-self.minutes // 15))
        return {
            "minutes": {"type": "integer", "minimum": 5, "maximum": 15},
            "subtasks": {"minItems": least},
        }


# ------------------------------------------------------------------ where, and at what


class Area(MindAnswer):
    """One of the options."""

    name: Name


@dataclass(frozen=True, slots=True)
class ChooseArea(GenerativeQuestion[Area]):
    """One step down the tree of places (section 5.1): among `options`, for what is done.

    `inside` is what the options are parts of, "" for the whole town.
    """

    answer_type = Area
    shows = "here inside options what"

    what: str
    inside: str
    options: tuple[str, ...]

    def _inputs(self) -> dict[str, Any]:
        return {
            "here": place_or(self.me.place, "outdoors"),
            "inside": one_line(self.inside),
            "options": text_lines(self.options),
            "what": one_line(self.what),
        }

    def schema_options(self) -> dict[str, Any]:
        """The options."""
        return {"name": {"type": "string", "enum": list(self.options)}}

    def problem_with(self, answer: Area) -> str:
        """Something else than an option."""
        if answer.name in self.options:
            return ""
        shown = ", ".join(f'"{one}"' for one in self.options[:12])
        return f'expected one of {shown}, found "{answer.name}"'

    def coerced(self, answer: Area) -> Area:
        """The option as it is written, whatever its capitals and spaces."""
        meant = " ".join(answer.name.split()).casefold()
        found = next((one for one in self.options if one.casefold() == meant), None)
        if found is None:
            raise UnfitError(self.problem_with(answer))
        return Area(name=found)


@dataclass(frozen=True, slots=True)
class ChooseSector(ChooseArea):
    """In which building, or outdoors."""

    name = "choose_sector"


@dataclass(frozen=True, slots=True)
class ChooseArena(ChooseArea):
    """In which room of it."""

    name = "choose_arena"


@dataclass(frozen=True, slots=True)
class ChooseObject(ChooseArea):
    """At which of the things there."""

    name = "choose_object"


class ThingState(MindAnswer):
    """The state of a thing, in a few words that read well after "THING is"."""

    state: SpacedWords


@dataclass(frozen=True, slots=True)
class ObjectState(GenerativeQuestion[ThingState]):
    """What becomes of a thing that is used (section 5.1)."""

    name = "object_state"
    answer_type = ThingState
    shows = "doing place thing"

    thing: str
    place: str
    doing: str

    def _inputs(self) -> dict[str, Any]:
        return {
            "doing": one_line(self.doing),
            "place": one_line(self.place),
            "thing": one_line(self.thing),
        }


# ------------------------------------------------------------------ people and things that one sees


@dataclass(frozen=True, slots=True)
class RelationshipSummary(GenerativeQuestion[Written]):
    """What one knows that matters just now of somebody, or of a thing (section 4.3.1).

    Two questions are answered in one text: what one's relationship with it is, and what bears on
    what is seen of it. `other` is None of a thing.
    """

    name = "relationship"
    answer_type = Written
    shows = "about doing statements"

    about: str
    doing: str
    memories: tuple[Memory, ...]
    other: Other | None = None

    def _inputs(self) -> dict[str, Any]:
        return {
            "about": named(self.other) if self.other else one_line(self.about),
            "doing": one_line(self.doing),
            "statements": dated_statements(self.memories),
        }


@dataclass(frozen=True, slots=True)
class React(GenerativeQuestion[Decision]):
    """Whether to go on with the plan, or to react to what is seen (section 4.3.1).

    `other` is who is seen, None of a thing; `may_talk` says whether one can speak to them now.
    """

    name = "react"
    answer_type = Decision
    shows = "context here last_talk may_talk observation other until what"

    observation: str
    context: str
    block: Block
    may_talk: bool
    other: Other | None = None
    last_talk: datetime | None = None

    def _inputs(self) -> dict[str, Any]:
        last, other = self.last_talk, self.other
        talked = f"You two last talked on {last:%Y-%m-%d at %H:%M}." if last else ""
        return {
            "context": one_line(self.context, LONGEST_FIELD),
            "here": here(self.me),
            "last_talk": talked or ("The two of you have not talked so far." if other else ""),
            "may_talk": self.may_talk,
            "observation": one_line(self.observation),
            "other": named(other) if other else "",
            "until": f"{self.block.end:%H:%M}",
            "what": one_line(self.block.what),
        }

    def schema_options(self) -> dict[str, Any]:
        """Talking only where one can."""
        ways = ["talk"] * self.may_talk + ["change plan", "carry on"]
        return {"do": {"type": "string", "enum": ways}}

    def problem_with(self, answer: Decision) -> str:
        """Talking to a thing, or to somebody who cannot be spoken to now."""
        if answer.do != "talk" or self.may_talk:
            return ""
        return 'expected "change plan" or "carry on", found "talk"'


# ------------------------------------------------------------------ conversations


@dataclass(frozen=True, slots=True)
class GenerativeUtter(Utter):
    """`Utter`, with a summary of the relationship (section 4.3.2)."""

    folder: ClassVar[str] = "generative/"
    head: ClassVar[str] = "generative/identity"
    shows: ClassVar[str] = (
        "ahead begun checklist doing here left lines memories other other_first plain plan "
        "relationship"
    )

    relationship: str = ""

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        own = {
            "memories": dated_statements(self.memories),
            "relationship": one_line(self.relationship, LONGEST_FIELD),
        }
        return common(self.me) | Utter.variables(self) | own


class Memo(Acted):
    """What was talked about; `acts` are those of the conversation as they are remembered."""

    memo: SpacedText


@dataclass(frozen=True, slots=True)
class AfterTalk(GenerativeQuestion[A]):
    """A conversation is over."""

    shows = "lines other other_first"

    other: Other
    lines: tuple[Utterance, ...]

    def _inputs(self) -> dict[str, Any]:
        return {
            "lines": talk_lines(self.me, self.lines),
            "other": named(self.other),
            "other_first": first_name(self.other),
        }


@dataclass(frozen=True, slots=True)
class ConversationSummary(AfterTalk[Memo]):
    """What the conversation was about, as one remembers it."""

    name = "conversation_summary"
    answer_type = Memo


@dataclass(frozen=True, slots=True)
class PlanningThought(AfterTalk[Written]):
    """What of it one must remember when one plans."""

    name = "planning_thought"
    answer_type = Written


@dataclass(frozen=True, slots=True)
class ConversationMemo(AfterTalk[Written]):
    """What of it one found interesting."""

    name = "conversation_memo"
    answer_type = Written


GENERATIVE: tuple[type[GenerativeQuestion[Any]] | type[GenerativeUtter], ...] = (
    GenerativeUtter,
    RateMemory,
    SalientQuestions,
    DrawInsights,
    PlanningNote,
    FeelingNote,
    ReviseIdentity,
    WakeUpHour,
    DailyPlan,
    HourlySchedule,
    DaySchedule,
    ReviseSchedule,
    TaskDecomposition,
    ChooseSector,
    ChooseArena,
    ChooseObject,
    ObjectState,
    RelationshipSummary,
    React,
    ConversationSummary,
    PlanningThought,
    ConversationMemo,
)
"""The questions of this mind alone."""
