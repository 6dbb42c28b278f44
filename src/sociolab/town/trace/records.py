"""What happened in a town, as records: the trace that scores, stories and replays are read from.

Steps count from the first midnight; a record at step s tells of what begins at s.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from sociolab.town.thoughts import Line

# The names of the compass, as a walk's path spells them: one letter a step.
HEADINGS: dict[str, tuple[int, int]] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


@dataclass(frozen=True, slots=True)
class Stood:
    """A resident is put on a tile: at the very beginning, and nowhere else."""

    step: int
    who: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk without a stop: letter i of `path` is the move from step `step + i` to the next."""

    step: int
    who: str
    path: str


@dataclass(frozen=True, slots=True)
class Did:
    """The current action from this step until the resident's next `Did`.

    `doing` is what others see, `block` the entry of the plan that it belongs to, `place` where it
    is meant to be done ("" for nowhere in particular) and `object` at what. `state` says whether
    the resident is asleep, on its way there, at it, or in a talk.
    """

    step: int
    who: str
    doing: str
    block: str = ""
    place: str = ""
    object: str = ""
    state: Literal["asleep", "walking", "at it", "talking"] = "at it"


HowItEnded: TypeAlias = Literal["goodbye", "round limit", "failed", "time is up"]


@dataclass(frozen=True, slots=True)
class Talked:
    """A talk from `step` until `end`; `who` began it. `how` says how it ended."""

    step: int
    end: int
    who: str
    other: str
    lines: tuple[Line, ...]
    how: HowItEnded


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory was kept; `importance` None until it is rated."""

    step: int
    who: str
    kind: str
    text: str
    importance: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block of a plan: steps, what, and where."""

    start: int
    end: int
    what: str
    place: str


@dataclass(frozen=True, slots=True)
class Planned:
    """A day's plan was made or changed; `why` is "" for the day's first."""

    step: int
    who: str
    blocks: tuple[PlannedBlock, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Noted:
    """An appointment or promise was noted after a talk with `by`."""

    step: int
    who: str
    what: str
    day: date
    start: str
    minutes: int
    place: str
    by: str


@dataclass(frozen=True, slots=True)
class Reminded:
    """TDP's text: the general plan, a day's reminder, or the items for a talk."""

    step: int
    who: str
    kind: Literal["general plan", "day", "talk"]
    text: str


@dataclass(frozen=True, slots=True)
class WentWithout:
    """A question was given up: the resident went on without an answer."""

    step: int
    who: str
    question: str
    cause: str
    problem: str


Record: TypeAlias = (
    Stood | Walked | Did | Talked | Remembered | Planned | Noted | Reminded | WentWithout
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole simulation: records in order of step, then resident, then as they came.

    `first` is the date of step 0, `seconds` the length of a step, `steps` how many were lived.
    """

    first: date
    seconds: int
    steps: int
    residents: tuple[str, ...]
    records: tuple[Record, ...]
