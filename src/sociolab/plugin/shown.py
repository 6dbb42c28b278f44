"""What pages and forms show of an episode beside its transcript: sidebars, and views for raters and
reviewers."""

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
class FactMention:
    """A fact was stated in this turn (from 0) by `who`; `to` are the names of its listeners."""

    turn: int
    who: str
    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactReceipt:
    """Whether a fact reached a player: first in `turn` (from 0) from `source`, or never (None).

    `stated`: whether the player's answer at the end states it; None without such an answer.
    """

    player: str
    turn: int | None
    source: str
    stated: bool | None


@dataclass(frozen=True, slots=True)
class FactWay:
    """The way of a fact that one seat alone knew: its mentions, and the receipts of all players."""

    fact: str
    text: str
    mentions: tuple[FactMention, ...]
    receipts: tuple[FactReceipt, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A judge's decision on a condition; `quote` is verbatim from the transcript, or ""."""

    text: str
    met: bool
    quote: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """A judge's decisions on conditions, and where it looked: in the conversation, from which it
    quotes lines (`in_talk`), or elsewhere."""

    judge: str
    where: str
    decisions: tuple[Condition, ...]
    in_talk: bool = True


@dataclass(frozen=True, slots=True)
class Sidebar:
    """What stands beside a transcript: the ways of facts, and judges' decisions on conditions."""

    facts: tuple[FactWay, ...] = ()
    conditions: tuple[Conditions, ...] = ()


@dataclass(frozen=True, slots=True)
class DimensionGuide:
    """A metric as raters see it: a question, what to look at, and example points of its scale.

    A metric of two values (`Measure.yes_no`) is a yes/no question: a yes needs a quote, and "cannot
    tell" and "not applicable" are further answers.
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
        return self.measure.name

    @property
    def points(self) -> tuple[int, ...]:
        """The points of the scale, ascending."""
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
    r"""Read guides from a TOML file, which has a table for each metric, in the order of the form.

        [interrupts]
        title = "Interrupts"
        question = "Do they cut the other off?"
        look = "Count turns that begin before the other has finished."

    With `low`, `high`, `low_end` and `high_end` the scale has whole numbers; without, the metric is
    a yes/no question. `examples` are pairs of a point and a sentence. ConfigError where the file
    cannot be read or is invalid.

    >>> from pathlib import Path
    >>> import sociolab.plugin.api as lab
    >>> file = Path(folder, "manners.toml")
    >>> size = file.write_text('[thanks]\ntitle = "Thanks"\nquestion = "Do they say thank you?"\n'
    ...                        'look = "Any words of thanks count."')
    >>> (guide,) = lab.guides_from(file)
    >>> guide.measure.name, guide.measure.yes_no
    ('thanks', True)
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
    """A character to be rated. `knew` holds the name of each other character, with the text that
    this one was given about them. `full_name` may stand for `name` in a file of ratings."""

    seat: str
    name: str
    about: str = ""
    secret: str = ""
    goal: str = ""
    knew: tuple[tuple[str, str], ...] = ()
    full_name: str = ""


@dataclass(frozen=True, slots=True)
class RatedLine:
    """A turn as a line of text. `number` counts from 1; `spoken` says that the text is the words of
    the character rather than a description."""

    number: int
    seat: str
    name: str
    text: str
    spoken: bool = True


@dataclass(frozen=True, slots=True)
class RatedScene:
    """An episode as raters see it; `ties` are sentences on the relationships of the characters."""

    context: str
    people: tuple[RatedPerson, ...]
    ties: tuple[str, ...]
    lines: tuple[RatedLine, ...]

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(person.seat for person in self.people)

    def match_quote(self, turn: int, quote: str) -> str | None:
        """The passage of a turn, by its number, that a quote stands for, as the turn has it; None
        if it is not in there. Seats that act at once share the number of a turn."""
        lines = [SpokenLine(line.number, line.name, (line.text,)) for line in self.lines]
        places = lines_with(quote, lines)
        return next((passage for at, passage in places.items() if lines[at].turn == turn), None)


@dataclass(frozen=True, slots=True)
class ReviewedTask:
    """A task as reviewers see it.

    `texts` can be edited: the scene, then the goal of each person. `people` are their names and
    descriptions, `ties` sentences on their relationships.
    """

    texts: tuple[str, ...]
    people: tuple[tuple[str, str], ...]
    ties: tuple[str, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """A heading for each of `texts`."""
        return ("The scene", *(f"The goal of {name}" for name, _ in self.people))


@dataclass(frozen=True, slots=True)
class DecidedCluster:
    """The reviewers' decision on a cluster of tasks; "" where they did not agree.

    `texts` are those of an edit, chosen from `proposals` different ones; `by` and `reasons` are
    those of the reviewers who decided so, and `on` is the day of the last review.
    """

    decision: Literal["keep", "edit", "reject", ""]
    texts: tuple[str, ...]
    by: tuple[str, ...]
    reasons: tuple[str, ...]
    on: str
    proposals: int = 0
