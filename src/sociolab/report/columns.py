"""A column: what one judge said of one measure, play by play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.score import JudgeId, Measure
from sociolab.report.plays import PlayKey
from sociolab.store.outcomes import Kind

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


def outcome(kind: Kind, value: float | None) -> Outcome:
    """What a verdict of this kind comes to; a score has a value."""
    if value is not None:
        return value
    return "failed" if kind == "failure" else "unscored"


def combined(outcomes: Sequence[Outcome]) -> Outcome:
    """Repeated judgings as one: the mean of the values; without any, "failed" before "unscored"."""
    if len(outcomes) == 1:
        return outcomes[0]
    values = [found for found in outcomes if isinstance(found, float)]
    if values:
        return sum(values) / len(values)
    return "failed" if "failed" in outcomes else "unscored"
