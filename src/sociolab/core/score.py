"""What a judge says of an episode: a score, a failure, or that it cannot tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.errors import Cause, WorldError

Method: TypeAlias = Literal["model", "rules", "scripted", "heuristic", "people", "formula"]
"""Where a figure comes from. Whatever is not "model" or "people" is labelled wherever it shows.

"formula": computed from an outcome that those who played established.
"""

RULE_BASED: frozenset[Method] = frozenset({"rules", "heuristic", "scripted"})
"""Computed, by rules that say the same each time; models and people read."""

BASELINES: frozenset[Method] = frozenset({"heuristic", "scripted"})
"""Rule-based scores that let everything run offline: no result, and no reward unless asked for."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A named quantity and the range of its values, both ends included."""

    name: str
    low: float
    high: float
    whole: bool = False
    title: str = ""

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise WorldError(f"measure {self.name}: the range {self.low} to {self.high} is empty")


def measure_called(wanted: str, known: Iterable[Measure]) -> str:
    """The name of the measure that somebody calls so: its name, or what stands over it in tables.

    Upper and lower case are one, and so are spaces, hyphens and underscores. What is called so by
    none stays as it is.
    """
    measures = tuple(known)
    names = {_spelled(measure.title): measure.name for measure in measures if measure.title}
    names |= {_spelled(measure.name): measure.name for measure in measures}
    exactly = {measure.name: measure.name for measure in measures}
    return exactly.get(wanted) or names.get(_spelled(wanted), wanted)


def _spelled(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().casefold()


UNTOLD = Measure("judging", 0, 1, title="any score (the judge broke before it named one)")
"""Stands for the measures of a judge that has not given a single verdict yet."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value inside its measure's range, of one seat or (`seat` None) of the whole episode.

    A value outside the range, or a fraction where whole numbers are due, cannot be built.
    """

    measure: Measure
    seat: str | None
    value: float
    reason: str = ""

    def __post_init__(self) -> None:
        low, high = self.measure.low, self.measure.high
        if not low <= self.value <= high:
            raise WorldError(
                f"{self.measure.name} lies between {low:g} and {high:g}; found {self.value:g}"
            )
        if self.measure.whole and self.value != int(self.value):
            raise WorldError(f"{self.measure.name} is a whole number; found {self.value:g}")


@dataclass(frozen=True, slots=True)
class ScoreFailure:
    """A score that was due and is missing, with its cause. Never counted as a value."""

    measure: Measure
    seat: str | None
    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Unscored:
    """No value: the judge cannot tell, or what it goes by does not establish one. Not a failure.

    `low` and `high` bound the value that it could have; None: the measure's own range. "disputed":
    those who were there differ; "unconfirmed": they agree on what is nowhere in the text.
    """

    measure: Measure
    seat: str | None
    why: str
    kind: Literal["cannot tell", "disputed", "unconfirmed"] = "cannot tell"
    low: float | None = None
    high: float | None = None


Verdict: TypeAlias = Score | ScoreFailure | Unscored


@dataclass(frozen=True, slots=True)
class JudgeId:
    """Who judged: label, where its figures come from, and a hash of prompts and settings."""

    name: str
    method: Method
    settings: str = ""
