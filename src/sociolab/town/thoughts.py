"""The questions that a resident's life asks its mind.

A question is a frozen record of what the resident may know at that moment; for the answers see
`answers`. Places are written "Sector: arena", times of
day "HH:MM", dates "YYYY-MM-DD".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

from sociolab.town.answers import Matter, SpeechAct
from sociolab.town.places import places_told
from sociolab.town.residents import Resident

MOST_ROUNDS = 8
"""Rounds in a talk, a round being one utterance by each (STSS section 3.2)."""

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
    """One utterance of a talk; `who` is a resident's id.

    `acts` say in typed form what a built-in scripted resident means by it; others write none.
    """

    who: str
    name: str
    text: str
    acts: tuple[SpeechAct, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """An act about a matter in an earlier talk, as remembered: when, and with whom one talked."""

    when: datetime
    other: str
    act: SpeechAct


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
    everybody knows of them (by id). `memory` can be searched. `task` is one's social task and
    `heard` what was said in earlier talks, both in typed form: for scripted minds, which read no
    words; prompts never show them.
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
    task: Matter | None = None
    heard: tuple[Heard, ...] = ()

    def places_after(self, lines: tuple[Line, ...]) -> tuple[str, ...]:
        """The places that one knows after these words: what is new comes last.

        Whoever takes part in a conversation learns the places that are named in it, by whomever,
        and the one where it is held.
        """
        told = places_told(" ".join(line.text for line in lines), self.names)
        here = (self.place,) if self.place else ()
        return tuple(dict.fromkeys((*self.places, *told, *here)))


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
