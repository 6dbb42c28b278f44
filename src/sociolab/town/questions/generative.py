"""What the mind of Generative Agents (arXiv 2304.03442) asks beside the questions of both minds:
memory, reflection, planning in three levels, reactions, and what is kept of a conversation.

One class is one component and one prompt, `prompts/SET/generative/NAME.md`. Its inputs are the
fields of the class, those that `more` names, and those of `common`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

from pydantic import Field, StringConstraints

from sociolab.town.clock import TimeOfDay
from sociolab.town.questions.base import (
    LONGEST_FIELD,
    Block,
    Importance,
    Me,
    Memory,
    MindAnswer,
    MindQuestion,
    Name,
    Other,
    Sentences,
    UnfitError,
    Utterance,
    Words,
    describe_situation,
    first_name,
    format_date,
    format_place,
    now_line,
    numbered_lines,
    one_line,
    summarise_identity,
    text_lines,
    visible_activity,
)
from sociolab.town.questions.conversation import Decision, Memo, Said, Utter, format_last_talk
from sociolab.town.questions.day import (
    BEDS,
    WAKES,
    RateImportance,
    Ratings,
    ScheduleEntry,
    order_entries,
    string_enum,
)

A = TypeVar("A", bound=MindAnswer)


def common(me: Me) -> dict[str, Any]:
    """The inputs of all prompts of this mind.

    `identity` summarises the resident (`summarise_identity`); `here` is what it does and where,
    `place` where, `places` those that it knows, one line a sector.
    """
    who = me.resident
    return {
        "date": format_date(me.now.date()),
        "first_name": one_line(who.first_name),
        "here": describe_situation(me),
        "identity": summarise_identity(me),
        "lifestyle": one_line(who.ordinary_day[0], LONGEST_FIELD),
        "name": one_line(who.name),
        "now": now_line(me.now),
        "outline": text_lines(me.outline),
        "place": format_place(me.place, "outdoors"),
        "places": text_lines(
            f"{sector}: {', '.join(filter(None, arenas))}"
            for sector, arenas in by_sector(me.places).items()
        ),
        "time": f"{me.now:%H:%M}",
    }


SELF = "character background currently"
DAY = f"{SELF} lifestyle routine home outline"
ALL_PARTS = f"town {DAY} people"
"""What a head can hold of the town and the resident: see `prompts/SET/generative/identity.md`."""

COMMON = "date first_name here identity lifestyle name now outline place places time"


def by_sector(places: Iterable[str]) -> dict[str, list[str]]:
    """The arenas of each sector among these places."""
    arenas: dict[str, list[str]] = {}
    for place in places:
        sector, _, arena = place.partition(": ")
        arenas.setdefault(sector, []).append(arena)
    return arenas


def dated_statements(memories: Iterable[Memory]) -> str:
    """One memory a line, with its moment, in order of time; seed memories have no moment."""
    ordered = sorted(memories, key=lambda memory: memory.when)
    return text_lines(
        memory.text if memory.kind == "known" else f"{memory.when:%Y-%m-%d %H:%M}: {memory.text}"
        for memory in ordered
    )


@dataclass(frozen=True, slots=True)
class GenerativeQuestion(MindQuestion[A]):
    folder: ClassVar[str] = "generative/"
    head: ClassVar[str] = "generative/identity"
    head_parts: ClassVar[str] = SELF

    @classmethod
    def input_name(cls, field: str) -> str:
        return "statements" if field == "memories" else MindQuestion.input_name(field)

    @classmethod
    def input_names(cls) -> str:
        """As for `MindQuestion`, with those of `common`."""
        return f"{COMMON} {super(GenerativeQuestion, cls).input_names()}"

    def variables(self) -> dict[str, Any]:
        return common(self.me) | super(GenerativeQuestion, self).variables()

    def render_memories(self, memories: Iterable[Memory]) -> str:
        return dated_statements(memories)


def as_sentence(text: str) -> str:
    """An event or thought as a sentence of its own."""
    text = one_line(text, LONGEST_FIELD)
    end = "" if text.rstrip('"').endswith((".", "!", "?", "…")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}"


class Written(MindAnswer):
    text: Sentences


class Noted(MindAnswer):
    """A text of a few sentences, or "" where there is nothing to note."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


# ------------------------------------------------------------------ memory


class MemoryRating(MindAnswer):
    """1 is mundane, 10 life-changing."""

    rating: Importance


RatedKind: TypeAlias = Literal["event", "memory", "conversation", "thought"]
"""What is rated; a "memory" is from before the first day."""


@dataclass(frozen=True, slots=True)
class RateMemory(GenerativeQuestion[MemoryRating]):
    """How much one memory matters (section 4.1: importance)."""

    name = "importance"
    answer_type = MemoryRating

    kind: RatedKind
    text: str

    def extra_variables(self) -> dict[str, Any]:
        return {"text": as_sentence(self.text)}


@dataclass(frozen=True, slots=True)
class RateMemories(GenerativeQuestion[Ratings], RateImportance):
    """`RateMemory` of several at once."""


# ------------------------------------------------------------------ reflection


class SalientAnswer(MindAnswer):
    questions: tuple[Sentences, ...] = Field(min_length=3, max_length=3)


@dataclass(frozen=True, slots=True)
class SalientQuestions(GenerativeQuestion[SalientAnswer]):
    """The three most salient questions that recent memories can answer (section 4.2)."""

    name = "salient_questions"
    head_parts = ""
    answer_type = SalientAnswer

    memories: tuple[Memory, ...]

    def render_memories(self, memories: Iterable[Memory]) -> str:
        return numbered_lines(memory.text for memory in memories)


class EvidencedInsight(MindAnswer):
    """An insight, and the numbers of the statements from which it follows."""

    insight: Sentences
    because: tuple[int, ...] = Field(min_length=1, max_length=30)


class EvidencedInsights(MindAnswer):
    insights: tuple[EvidencedInsight, ...] = Field(min_length=1, max_length=5)


@dataclass(frozen=True, slots=True)
class DrawInsights(GenerativeQuestion[EvidencedInsights]):
    """Five insights from what was recalled for a question, with their evidence (section 4.2)."""

    name = "insights"
    head_parts = ""
    answer_type = EvidencedInsights
    needs = 1_000
    more = "count"

    question: str
    memories: tuple[Memory, ...]

    def render_memories(self, memories: Iterable[Memory]) -> str:
        return numbered_lines(memory.text for memory in memories)

    def extra_variables(self) -> dict[str, Any]:
        return {"count": len(self.memories)}

    def schema_options(self) -> dict[str, Any]:
        bounds = {"type": "integer", "minimum": 1, "maximum": max(1, len(self.memories))}
        return {"because": {"items": bounds}}

    def problem_with(self, answer: EvidencedInsights) -> str:
        named = [number for insight in answer.insights for number in insight.because]
        wrong = next((number for number in named if not 1 <= number <= len(self.memories)), None)
        if wrong is None:
            return ""
        return f"expected numbers of statements, 1 to {len(self.memories)}, found {wrong}"


# ------------------------------------------------------------------ the identity, overnight


@dataclass(frozen=True, slots=True)
class OvernightNote(GenerativeQuestion[Written]):
    """A reflection on memories before a day begins."""

    answer_type = Written
    needs = 500

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class PlanningNote(OvernightNote):
    """What in the memories bears on the plan for the coming day."""

    name = "planning_note"


@dataclass(frozen=True, slots=True)
class FeelingNote(OvernightNote):
    """How the resident feels about the past days."""

    name = "feeling_note"


@dataclass(frozen=True, slots=True)
class ReviseIdentity(GenerativeQuestion[Written]):
    """Rewrite what occupies the resident before a day begins, without its task.

    `notes` are the two above; `memories` are given in their place where they are not asked for.
    `currently` is the previous text, `task` what stands beside it, verbatim.
    """

    name = "revise_identity"
    head_parts = ALL_PARTS
    answer_type = Written
    needs = 500

    currently: str
    task: str
    notes: tuple[str, ...]
    memories: tuple[Memory, ...]


# ------------------------------------------------------------------ planning


class Waking(MindAnswer):
    """When to get up and go to bed; a bedtime earlier on the clock is after midnight."""

    wake: TimeOfDay
    bed: TimeOfDay


@dataclass(frozen=True, slots=True)
class WakeUpHour(GenerativeQuestion[Waking]):
    name = "wake_up_hour"
    head_parts = "routine"
    answer_type = Waking

    day: date

    def schema_options(self) -> dict[str, Any]:
        return {"wake": string_enum(WAKES), "bed": string_enum(BEDS)}


class Outline(MindAnswer):
    """A day in broad strokes."""

    plan: tuple[Sentences, ...] = Field(min_length=1, max_length=12)


@dataclass(frozen=True, slots=True)
class DailyPlan(GenerativeQuestion[Outline]):
    """The day in broad strokes, five to eight things with their hours (section 4.3).

    `notes` are those of the night, `yesterday` the plan of the day before; both empty on the first
    day. `reminder` is TDP's, and `goal` that of the task, both "" without TDP.
    """

    name = "daily_plan"
    head_parts = ALL_PARTS
    answer_type = Outline
    needs = 800

    day: date
    wake: datetime
    bed: datetime
    notes: tuple[str, ...] = ()
    yesterday: tuple[str, ...] = ()
    reminder: str = ""
    goal: str = ""


class Activity(MindAnswer):
    """An activity that completes "NAME is ..."."""

    what: Words


@dataclass(frozen=True, slots=True)
class HourlySchedule(GenerativeQuestion[Activity]):
    """What is done in one hour of the day (section 4.3).

    `so_far` are the hours planned before it. Without plans (an ablation) it is asked when the hour
    begins, and `so_far` is empty.
    """

    name = "hourly_schedule"
    head_parts = DAY
    answer_type = Activity

    start: datetime
    end: datetime
    so_far: tuple[Block, ...]


class Schedule(MindAnswer):
    """A day, or the rest of one, in order of time."""

    entries: tuple[ScheduleEntry, ...] = Field(min_length=1, max_length=40)


def _within(schedule: Schedule, start: datetime, end: datetime) -> Schedule:
    entries = order_entries(schedule.entries, start, (end - start) // timedelta(minutes=1))
    return Schedule(entries=entries)


@dataclass(frozen=True, slots=True)
class DaySchedule(GenerativeQuestion[Schedule]):
    """All hours of the day at once: `HourlySchedule` in one call."""

    name = "day_schedule"
    head_parts = DAY
    answer_type = Schedule
    needs = 1_500

    wake: datetime
    bed: datetime

    def coerce(self, answer: Schedule) -> Schedule:
        """In order; the first entry starts on waking, those in the hours of sleep are dropped."""
        return _within(answer, self.wake, self.bed)


@dataclass(frozen=True, slots=True)
class ReviseSchedule(GenerativeQuestion[Schedule]):
    """The rest of the day after a reaction, `why` (section 4.3.1)."""

    name = "revise_schedule"
    head_parts = ALL_PARTS
    answer_type = Schedule
    needs = 1_500

    why: str
    ahead: tuple[Block, ...]
    bedtime: datetime

    def coerce(self, answer: Schedule) -> Schedule:
        """The first entry starts now, whatever its time says; the rest lie between now and bed."""
        return _within(answer, self.me.now, self.bedtime)


class Subtask(MindAnswer):
    minutes: int = Field(ge=1, le=240)
    what: Words


class Subtasks(MindAnswer):
    """An activity in small steps, in order; the last is stretched or cut to its end."""

    subtasks: tuple[Subtask, ...] = Field(min_length=1, max_length=100)


@dataclass(frozen=True, slots=True)
class TaskDecomposition(GenerativeQuestion[Subtasks]):
    """An activity in steps of 5 to 15 minutes (section 4.3).

    `schedule` holds the blocks before and after it.
    """

    name = "task_decomposition"
    answer_type = Subtasks
    needs = 2_000
    more = "end minutes start"

    block: Block
    schedule: tuple[Block, ...]

    def extra_variables(self) -> dict[str, Any]:
        start, end = (f"{moment:%H:%M}" for moment in (self.block.start, self.block.end))
        return {"start": start, "end": end, "minutes": self.block.minutes}

    def schema_options(self) -> dict[str, Any]:
        """Five to fifteen minutes each, where a schema is followed."""
        least = max(1, -(-self.block.minutes // 15))
        return {
            "minutes": {"type": "integer", "minimum": 5, "maximum": 15},
            "subtasks": {"minItems": least},
        }


# ------------------------------------------------------------------ where, and at what


class Area(MindAnswer):
    name: Name


@dataclass(frozen=True, slots=True)
class ChooseArea(GenerativeQuestion[Area]):
    """One step down the tree of places (section 5.1): choose among `options` for an activity.

    `inside` is what the options are parts of, "" for the whole town.
    """

    answer_type = Area

    what: str
    inside: str
    options: tuple[str, ...]

    def schema_options(self) -> dict[str, Any]:
        return {"name": string_enum(self.options)}

    def problem_with(self, answer: Area) -> str:
        if answer.name in self.options:
            return ""
        options = ", ".join(f'"{option}"' for option in self.options[:12])
        return f'expected one of {options}, found "{answer.name}"'

    def coerce(self, answer: Area) -> Area:
        """The option as it is written, whatever its capitals and spaces; UnfitError if there is
        none."""
        key = " ".join(answer.name.split()).casefold()
        match = next((option for option in self.options if option.casefold() == key), None)
        if match is None:
            raise UnfitError(self.problem_with(answer))
        return Area(name=match)


@dataclass(frozen=True, slots=True)
class ChooseSector(ChooseArea):
    """In which building, or outdoors."""

    name = "choose_sector"
    head_parts = "home"
    more = "home home_rooms rooms routine sector"

    def extra_variables(self) -> dict[str, Any]:
        """The resident's own sector and the current one, each with those of its rooms that the
        resident knows."""
        who, sectors = self.me.resident, by_sector(self.me.places)
        home, sector = (place.partition(": ")[0] for place in (who.living_area, self.me.place))
        home_rooms, rooms = (
            ", ".join(filter(None, sectors.get(name, ()))) for name in (home, sector)
        )
        routine = one_line(who.ordinary_day[1], LONGEST_FIELD)
        return {
            "home": one_line(home),
            "home_rooms": home_rooms,
            "rooms": rooms,
            "routine": routine,
            "sector": one_line(sector),
        }


@dataclass(frozen=True, slots=True)
class ChooseArena(ChooseArea):
    """In which room of a building."""

    name = "choose_arena"
    head_parts = "home"


@dataclass(frozen=True, slots=True)
class ChooseObject(ChooseArea):
    """At which object of a room."""

    name = "choose_object"
    head_parts = ""


class ThingState(MindAnswer):
    """The state of a thing, completing "THING is ...", and whether it lasts when its user goes on
    to something else; if not, the previous state returns."""

    state: Words
    stays: bool = False


@dataclass(frozen=True, slots=True)
class ObjectState(GenerativeQuestion[ThingState]):
    """What becomes of a thing that is used (section 5.1); `before` is the state in which its last
    user left it, "" where that is not known to last."""

    name = "object_state"
    head_parts = ""
    answer_type = ThingState

    thing: str
    place: str
    doing: str
    before: str


# ------------------------------------------------------------------ people and things that one sees


@dataclass(frozen=True, slots=True)
class RelationshipSummary(GenerativeQuestion[Written]):
    """What matters just now about a person or a thing (section 4.3.1).

    Two questions are answered in one text: the relationship, and what bears on what is seen.
    `talking`: before one speaks with them, after these `lines`.
    """

    name = "relationship"
    head_parts = "currently"
    answer_type = Written
    needs = 500

    about: str
    doing: str
    memories: tuple[Memory, ...]
    talking: bool = False
    lines: tuple[Utterance, ...] = ()


@dataclass(frozen=True, slots=True)
class React(GenerativeQuestion[Decision]):
    """Whether to go on with the plan, or to react to what is seen (section 4.3.1).

    `other` is who is seen, or uses what is seen; None unless one may talk to them now (`may_talk`).
    `thing` is what they use and one is on the way to use oneself, so that one may wait for it.
    """

    name = "react"
    answer_type = Decision
    more = "doing other_name until"

    observation: str
    context: str
    block: Block
    may_talk: bool
    other: Other | None = None
    last_talk: datetime | None = None
    thing: str = ""

    @property
    def options(self) -> tuple[str, ...]:
        """What can be done: talking and waiting only where they are possible."""
        talk, wait = ("talk",) * self.may_talk, ("wait",) * bool(self.thing)
        return (*talk, *wait, "change plan", "carry on")

    def extra_variables(self) -> dict[str, Any]:
        talked = format_last_talk(self.last_talk) if self.other else ""
        until = f"{self.block.end:%H:%M}"
        return {
            "until": until,
            "last_talk": talked,
            "observation": as_sentence(self.observation),
            "other_name": one_line(self.other.name) if self.other else "",
            "doing": visible_activity(self.other) if self.other else "",
        }

    def schema_options(self) -> dict[str, Any]:
        return {"do": string_enum(self.options)}

    def problem_with(self, answer: Decision) -> str:
        """Talking to a thing or to somebody who cannot be spoken to now, or waiting for nothing."""
        if answer.do in self.options:
            return ""
        *most, last = (f'"{option}"' for option in self.options)
        return f'expected {", ".join(most)} or {last}, found "{answer.do}"'


# ------------------------------------------------------------------ conversations


@dataclass(frozen=True, slots=True)
class GenerativeUtter(GenerativeQuestion[Said], Utter):
    """`Utter`, with a summary of the relationship (section 4.3.2)."""

    head_parts = f"town {SELF}"

    relationship: str = ""


@dataclass(frozen=True, slots=True)
class AfterTalk(GenerativeQuestion[A]):
    more = "other_first"

    other: Other
    lines: tuple[Utterance, ...]

    def extra_variables(self) -> dict[str, Any]:
        return {"other_first": first_name(self.other)}


@dataclass(frozen=True, slots=True)
class ConversationSummary(AfterTalk[Memo]):
    """What the conversation was about, as the resident remembers it."""

    name = "conversation_summary"
    head_parts = ""
    answer_type = Memo


@dataclass(frozen=True, slots=True)
class PlanningThought(AfterTalk[Noted]):
    """What in the conversation matters for planning."""

    name = "planning_thought"
    head_parts = "currently"
    answer_type = Noted


@dataclass(frozen=True, slots=True)
class ConversationMemo(AfterTalk[Noted]):
    """What in the conversation was interesting."""

    name = "conversation_memo"
    head_parts = "character currently"
    answer_type = Noted


GENERATIVE: tuple[type[GenerativeQuestion[Any]] | type[GenerativeUtter], ...] = (
    GenerativeUtter,
    RateMemory,
    RateMemories,
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
