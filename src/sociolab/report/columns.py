"""A column: what one judge said of one measure, play by play."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.score import JudgeId, Measure, NotKnown
from sociolab.report.plays import PlayKey
from sociolab.store.outcomes import Outcome as Stored


@dataclass(frozen=True, slots=True)
class NotScored:
    """No value, and not a failure: why, and the least and the most that it could be.

    `bounded`: the judge said so itself, and the ends are not just those of the measure.
    """

    kind: NotKnown
    low: float
    high: float
    bounded: bool = False


Outcome: TypeAlias = float | Literal["failed"] | NotScored
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


def outcome(stored: Stored) -> Outcome:
    """What a verdict in the store comes to."""
    if stored.value is not None:
        return stored.value
    if stored.unscored is None:
        return "failed"
    low, high = stored.low, stored.high
    return NotScored(
        stored.unscored,
        stored.measure.low if low is None else low,
        stored.measure.high if high is None else high,
        low is not None,
    )


def combined(outcomes: Sequence[Outcome]) -> Outcome:
    """Repeated judgings as one: the mean of the values. Without any it failed, or is not scored:
    disputed before unconfirmed before "cannot tell", between the widest bounds."""
    if len(outcomes) == 1:
        return outcomes[0]
    values = [found for found in outcomes if isinstance(found, float)]
    if values:
        return sum(values) / len(values)
    unscored = [found for found in outcomes if isinstance(found, NotScored)]
    if len(unscored) < len(outcomes):
        return "failed"
    kinds = {found.kind for found in unscored}
    order: tuple[NotKnown, ...] = ("disputed", "unconfirmed", "cannot tell")
    return NotScored(
        next(kind for kind in order if kind in kinds),
        min(found.low for found in unscored),
        max(found.high for found in unscored),
        all(found.bounded for found in unscored),
    )


def bounds(outcomes: Iterable[Outcome | None], measure: Measure) -> tuple[float, float] | None:
    """Between what the mean lies if all that has no value had its least, and its most.

    A failure could have any value of the measure. None where nothing was due, and where a value
    could be of any size.
    """
    return mean_ends([ends_of(found, measure) for found in outcomes if found is not None])


def mean_ends(ends: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The means of the lower and of the upper ends; None without any, and where one is infinite."""
    if not ends or any(math.isinf(end) for pair in ends for end in pair):
        return None
    low, high = (math.fsum(side) / len(ends) for side in zip(*ends, strict=True))
    return low, high


def ends_of(found: Outcome, measure: Measure) -> tuple[float, float]:
    """The least and the most that a play's value could be; twice the value that it has."""
    if isinstance(found, float):
        return found, found
    return (measure.low, measure.high) if found == "failed" else (found.low, found.high)
