"""What of a world's episodes do pages show that a transcript does not hold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sociolab.core.score import Measure


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact was told in this turn (from 0) by `who`; `to` are the names of those who heard it."""

    turn: int
    who: str
    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeardFact:
    """What became of a fact at one player: heard first in `turn` (from 0) from `source`, or never.

    `stated`: whether the player's answer at the end states it; None without such an answer.
    """

    player: str
    turn: int | None
    source: str
    stated: bool | None


@dataclass(frozen=True, slots=True)
class FactWay:
    """A fact that one seat alone knew: when it was told, and what became of it at each player."""

    fact: str
    text: str
    told: tuple[ToldFact, ...]
    heard: tuple[HeardFact, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as one judge found it; `quote`, in the words of the transcript, may be ""."""

    text: str
    met: bool
    quote: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """What one judge found, and where: in the talk, whose lines it quotes, or elsewhere."""

    judge: str
    where: str
    found: tuple[Condition, ...]
    in_talk: bool = True


@dataclass(frozen=True, slots=True)
class Sidebar:
    """What stands beside a transcript: the way of each fact, and conditions that judges checked."""

    facts: tuple[FactWay, ...] = ()
    conditions: tuple[Conditions, ...] = ()


@dataclass(frozen=True, slots=True)
class DimensionGuide:
    """A measure as raters see it: its question, what to look at, and worked points of its scale."""

    measure: Measure
    title: str
    question: str
    look: str
    low_end: str
    high_end: str
    examples: tuple[tuple[int, str], ...] = ()

    @property
    def name(self) -> str:
        """The measure's name in files."""
        return self.measure.name

    @property
    def points(self) -> tuple[int, ...]:
        """The points of the scale, the lowest first."""
        return tuple(range(int(self.measure.low), int(self.measure.high) + 1))


@dataclass(frozen=True, slots=True)
class RatedPerson:
    """A character to be rated. `knew` holds, for each other one, the name and what this one was
    told about them, word for word. `full_name` is what a file of ratings may call them, too."""

    seat: str
    name: str
    about: str = ""
    secret: str = ""
    goal: str = ""
    knew: tuple[tuple[str, str], ...] = ()
    full_name: str = ""


@dataclass(frozen=True, slots=True)
class RatedLine:
    """A turn: who, and what was done in a line. `number` counts from 1."""

    number: int
    seat: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RatedScene:
    """An episode as raters see it."""

    context: str
    people: tuple[RatedPerson, ...]
    ties: tuple[str, ...]
    lines: tuple[RatedLine, ...]

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats, in their order."""
        return tuple(person.seat for person in self.people)


@dataclass(frozen=True, slots=True)
class ReviewedTask:
    """A task as reviewers see it. `texts` are those that may be edited: the scene, then a goal for
    each person, whose name and description `people` hold."""

    texts: tuple[str, ...]
    people: tuple[tuple[str, str], ...]
    ties: tuple[str, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """What each text is."""
        return ("The scene", *(f"The goal of {name}" for name, _ in self.people))


@dataclass(frozen=True, slots=True)
class DecidedCluster:
    """What reviewers decided of a cluster of tasks: keep, edit or reject; "" where they did not
    agree. `texts` are those of an edit, of `proposals` different ones; `by` and `reasons` are of
    those who decided so, `on` is the day of the last review."""

    decision: Literal["keep", "edit", "reject", ""]
    texts: tuple[str, ...]
    by: tuple[str, ...]
    reasons: tuple[str, ...]
    on: str
    proposals: int = 0
