"""A column: what one judge said of one measure, play by play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Verdict
from sociolab.report.plays import PlayKey

Outcome: TypeAlias = float | Literal["failed", "unscored"]
"""A value; or one was due and is missing; or the judge cannot tell."""


@dataclass(frozen=True, slots=True)
class Column:
    """A measure as one judge sees it; `outcomes` holds the plays that it has judged.

    `label` names the judge; `whole` says that the measure is of whole episodes, not of seats;
    `due` that a value is due of a failed trial too, so that it counts as a failure.
    """

    label: str
    judge: JudgeId
    measure: Measure
    whole: bool
    due: bool
    outcomes: Mapping[PlayKey, Outcome]


def outcome(verdict: Verdict) -> Outcome:
    """What a verdict comes to."""
    match verdict:
        case Score(value=value):
            return float(value)
        case ScoreFailure():
            return "failed"
        case _:
            return "unscored"


def combined(outcomes: Sequence[Outcome]) -> Outcome:
    """Repeated judgings as one: the mean of the values; without any, "failed" before "unscored"."""
    values = [found for found in outcomes if isinstance(found, float)]
    if values:
        return sum(values) / len(values)
    return "failed" if "failed" in outcomes else "unscored"
