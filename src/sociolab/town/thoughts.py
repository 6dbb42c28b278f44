"""The questions that a resident's life asks its mind, and the form of the answers.

A question is a frozen record of what the resident may know at that moment; an answer is a pydantic
type, from which the JSON schema for models is made. Places are written "Sector: arena", times of
day "HH:MM", dates "YYYY-MM-DD".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sociolab.town.residents import Resident

MOST_ROUNDS = 8
"""Rounds in a talk, a round being one utterance by each (STSS section 3.2)."""

TimeOfDay: TypeAlias = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
Day: TypeAlias = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Importance: TypeAlias = Annotated[int, Field(ge=1, le=10)]
Words: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)
]
Sentences: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)
]
Speech: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)
]
Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
"""The name of a place or an object, or ""."""

# ------------------------------------------------------------------ what a question shows


@dataclass(frozen=True, slots=True)
class Memory:
    """One entry of a memory stream: what was seen, said, thought or planned, and when."""

    when: datetime
    kind: Literal["seen", "talk", "thought", "plan", "known"]
    text: str
    importance: int | None = None


class Recall(Protocol):
    """A resident's memory, to be read; reading it here leaves no mark on it."""

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """The memories that score highest on recency, importance and relevance; best first."""
        ...

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The newest memories, oldest of them first."""
        ...


@dataclass(frozen=True, slots=True)
class Commitment:
    """An appointment or promise that was noted.

    `start` is "HH:MM" or "" where no time was agreed, `place` "" where none was; `by` is the id of
    the resident with whom it was made last, "" for one's own; `others` those before.
    """

    what: str
    day: date
    start: str = ""
    minutes: int = 60
    place: str = ""
    by: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a day's plan, from `start` until `end`."""

    start: datetime
    end: datetime
    what: str
    place: str


@dataclass(frozen=True, slots=True)
class Other:
    """Another resident as one perceives them: their name, and what they are seen doing."""

    id: str
    name: str
    doing: str
    tie: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance of a talk; `who` is a resident's id."""

    who: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """Which question this is: of whom, at which step, at which attempt and why again."""

    trial: str
    seed: int
    resident: str
    step: int
    attempt: int = 1
    problem: str = ""
    seat: str = ""


@dataclass(frozen=True, slots=True)
class Me:
    """The resident who is asked, and what it has at hand.

    `now` is the moment, `place` where the resident is ("" outdoors), `doing` what it does, in
    the words that others see. `places` are those that it
    knows and can go to, `objects` what stands in each; `names` are those of all places in town, to
    recognise one when it is said. `people` are the others in town (id to name), `known_as` what
    everybody knows of them (by id). `memory` can be searched.
    """

    resident: Resident
    now: datetime
    places: tuple[str, ...]
    objects: dict[str, tuple[str, ...]]
    people: dict[str, str]
    memory: Recall
    known_as: dict[str, str] = field(default_factory=dict)
    place: str = ""
    names: tuple[str, ...] = ()
    doing: str = ""


@dataclass(frozen=True, slots=True)
class PlanDay:
    """Plan the whole day `day`: when to wake, what to do where, when to go to bed.

    `reminder` is TDP's reminder for this day, "" without one.
    """

    asked: Asked
    me: Me
    day: date
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...]
    reminder: str = ""


@dataclass(frozen=True, slots=True)
class Decompose:
    """Divide a block of the plan into parts, each at one of the place's objects."""

    asked: Asked
    me: Me
    block: Block
    objects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChoosePlace:
    """Choose where to do something that the plan names no known place for."""

    asked: Asked
    me: Me
    what: str


@dataclass(frozen=True, slots=True)
class RateImportance:
    """Rate how much memories matter, several at once."""

    asked: Asked
    me: Me
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TalkOrNot:
    """Somebody is near: talk to them, change one's plan for what they do, or carry on.

    `block` is what one is doing, by plan; `last_talk` when the two last talked, if ever.
    """

    asked: Asked
    me: Me
    other: Other
    block: Block
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...]
    last_talk: datetime | None = None


@dataclass(frozen=True, slots=True)
class Utter:
    """Say the next thing in a talk. `lines` is the talk so far; `started` if one began it.

    `left` counts one's utterances left, this one included. `ahead` is the rest of the day's plan.
    `reminder` holds TDP's items for this talk, one a line, "" without them.
    """

    asked: Asked
    me: Me
    other: Other
    started: bool
    lines: tuple[Line, ...]
    left: int
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...]
    ahead: tuple[Block, ...]
    reminder: str = ""


@dataclass(frozen=True, slots=True)
class Summarise:
    """A talk is over: what to remember of it, what was agreed, whether the plan must change."""

    asked: Asked
    me: Me
    other: Other
    lines: tuple[Line, ...]
    commitments: tuple[Commitment, ...]
    ahead: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Replan:
    """Plan the rest of the day anew, from `me.now` until bed; `why` says what happened."""

    asked: Asked
    me: Me
    why: str
    ahead: tuple[Block, ...]
    bedtime: datetime
    commitments: tuple[Commitment, ...]
    reminder: str = ""


@dataclass(frozen=True, slots=True)
class Reflect:
    """Draw conclusions from what mattered lately."""

    asked: Asked
    me: Me
    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class GeneralPlan:
    """TDP: how to go about the social task, in 3 to 5 lines (STSS appendix B).

    `days` are the dates that are lived, the event on the last of them unless the goal says so.
    """

    asked: Asked
    me: Me
    goal: str
    days: tuple[date, ...]


@dataclass(frozen=True, slots=True)
class DayReminder:
    """TDP: what to keep in mind on this day, in 1 to 2 sentences (STSS appendix B)."""

    asked: Asked
    me: Me
    goal: str
    plan: tuple[str, ...]
    day: date
    memories: tuple[Memory, ...] = ()
    commitments: tuple[Commitment, ...] = ()


@dataclass(frozen=True, slots=True)
class TalkReminder:
    """TDP: what to bring up in this talk, fewer than 5 items (STSS appendix B)."""

    asked: Asked
    me: Me
    goal: str
    plan: tuple[str, ...]
    other: Other
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...] = ()


Thought: TypeAlias = (
    PlanDay
    | Decompose
    | ChoosePlace
    | RateImportance
    | TalkOrNot
    | Utter
    | Summarise
    | Replan
    | Reflect
    | GeneralPlan
    | DayReminder
    | TalkReminder
)

# ------------------------------------------------------------------ what an answer holds


class Answer(BaseModel):
    """What every answer is: frozen, and without fields that nobody asked for."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Entry(Answer):
    """One entry of a plan: it lasts until the next one starts."""

    start: TimeOfDay
    what: Words
    place: Name = ""


class DayPlan(Answer):
    """A day from waking to bed; the first entry starts at `wake`.

    A `bed` before `wake` is meant after midnight.
    """

    wake: TimeOfDay
    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)
    bed: TimeOfDay


class Part(Answer):
    """A part of a block, and the object at which it is done ("" for none in particular)."""

    minutes: int = Field(ge=1, le=24 * 60)
    what: Words
    object: Name = ""


class Parts(Answer):
    """The parts of a block, in order; the last is stretched or cut to the block's end."""

    parts: tuple[Part, ...] = Field(min_length=1, max_length=24)


class Choice(Answer):
    """A place that the resident knows."""

    place: Name


class Ratings(Answer):
    """As many ratings as there were texts: 1 is mundane, 10 changes a life."""

    ratings: tuple[Importance, ...]


class Decision(Answer):
    """What to do about somebody who is near."""

    do: Literal["talk", "change plan", "carry on"]
    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = ""


class Said(Answer):
    """What is said, and whether it ends the talk."""

    text: Speech
    ends: bool = False


class Agreed(Answer):
    """Something agreed or promised in a talk; "" for what was left open."""

    what: Words
    day: Day
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1, le=24 * 60)
    place: Name = ""


class Summary(Answer):
    """What a resident keeps of a talk."""

    memo: Sentences
    importance: Importance
    agreed: tuple[Agreed, ...] = Field(default=(), max_length=20)
    changes_plan: bool = False


class NewPlan(Answer):
    """The rest of the day: the first entry starts at once, whatever its time says."""

    entries: tuple[Entry, ...] = Field(min_length=1, max_length=40)


class Insight(Answer):
    """A conclusion, and how much it matters."""

    text: Sentences
    importance: Importance


class Insights(Answer):
    """At most five conclusions."""

    insights: tuple[Insight, ...] = Field(max_length=5)


class Lines(Answer):
    """TDP's general plan: 3 to 5 lines."""

    lines: tuple[Sentences, ...] = Field(min_length=3, max_length=5)


class Reminder(Answer):
    """TDP's reminder for a day: 1 to 2 sentences."""

    text: Sentences


class Items(Answer):
    """TDP's items for a talk: fewer than five."""

    items: tuple[Sentences, ...] = Field(min_length=1, max_length=4)
