"""What of a world's episodes do pages show that a transcript does not hold?"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, RootModel

from sociolab.core.errors import ConfigError
from sociolab.core.reading import read_text, record
from sociolab.core.score import Measure
from sociolab.judging.quoting import SpokenLine, lines_with


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
    """A measure as raters see it: its question, what to look at, and worked points of its scale.

    A measure of two values (`Measure.yes_no`) is a yes/no question: a yes needs a quote, and those
    who fill it in may say that they cannot tell, or that it does not apply.
    """

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


class _TableRow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    question: str
    look: str
    low: int = 0
    high: int = 1
    low_end: str = "no"
    high_end: str = "yes"
    examples: tuple[tuple[int, str], ...] = ()


class _Table(RootModel[Mapping[str, _TableRow]]):
    pass


def guides_from(file: Path) -> tuple[DimensionGuide, ...]:
    """The guides in a TOML file, in their order: a table for each measure, by its name.

        [interrupts]
        title = "Interrupts"
        question = "Do they cut the other off?"
        look = "Count turns that begin before the other has finished."

    With `low`, `high`, `low_end` and `high_end` it is a scale of whole numbers; without, a yes/no
    question. `examples` are pairs of a point and a sentence. ConfigError where it cannot be read.
    """
    try:
        rows = record(str(file), _Table, tomllib.loads(read_text(file))).root
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from error
    if wrong := next((name for name, row in rows.items() if row.low >= row.high), None):
        raise ConfigError(f"{file}: {wrong}: expected low below high")
    return tuple(
        DimensionGuide(
            Measure(name, row.low, row.high, whole=True, title=row.title),
            row.title,
            row.question,
            row.look,
            row.low_end,
            row.high_end,
            row.examples,
        )
        for name, row in rows.items()
    )


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
    """A turn: who, and what was done in a line. `number` counts from 1; `spoken`: the text is their
    words, not a description."""

    number: int
    seat: str
    name: str
    text: str
    spoken: bool = True


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

    def words(self, turn: int, quote: str) -> str | None:
        """The words of a turn, by its number, as they are quoted; None if they are not its own.

        Those who act at once share a turn.
        """
        lines = [SpokenLine(line.number, line.name, (line.text,)) for line in self.lines]
        places = lines_with(quote, lines)
        return next((words for at, words in places.items() if lines[at].turn == turn), None)


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
