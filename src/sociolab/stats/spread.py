"""How far a judge's scores lie from the ratings that people gave the same items.

Three views: the differences from the people's mean (SOTOPIA's Figure 2), the share within one
standard deviation of the people, and the judge against the range that they perceived (SOTOPIA's
Figures F.1 to F.3).

SOTOPIA reports a share of .74 within one standard deviation and does not say of what. Both
readings are given: of the ratings of the same item (with two raters half of their distance times
the square root of 2; 0 where they agree, so that only a judge at their very score lies within), and
of all people about their items' means, pooled. Both are sample standard deviations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sociolab.stats.intervals import Estimate, means

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judged:
    """An item's score by the judge, by one or more people, and the cluster it belongs to."""

    judge: float
    people: tuple[float, ...]
    cluster: str

    def __post_init__(self) -> None:
        if not self.people:
            raise ValueError("an item to compare is rated by at least one person, found none")


@dataclass(frozen=True, slots=True)
class Spread:
    """A judge against people over some items, in points of the scale.

    `bias`: mean of judge minus people's mean; `sd`: sample sd of these differences, None below two
    items. `counts`: (whole number, items) from the least difference to the greatest without gaps,
    each at its nearest whole number and halves away from zero, so that a mirrored scale mirrors
    the counts.

    The rest leaves out items of a single rater, which `single_rater` counts. `within_own_sd`,
    `within_pooled_sd`: share of items with |judge - mean| at most that sd; `pooled_sd`: the latter.
    `inside`: share of scores from the least to the greatest rating of the item, ends included;
    `below`, `above`: how many lie under or over it; `outside_by`: mean distance of those from the
    nearer end.
    """

    bias: Estimate
    sd: float | None
    counts: tuple[tuple[int, int], ...]
    single_rater: int
    within_own_sd: Estimate
    within_pooled_sd: Estimate
    pooled_sd: float | None
    inside: Estimate
    below: int
    above: int
    outside_by: Estimate


def spread(
    items: Sequence[Judged], *, level: float = 0.95, seed: int = 0, resamples: int = 5000
) -> Spread:
    """Compare a judge with people over these items; intervals are clustered (see `intervals`)."""
    # Sorted, so that rounding does not depend on the order of items and raters.
    ordered = sorted((each.cluster, each.judge, sorted(each.people)) for each in items)
    clusters = [cluster for cluster, _, _ in ordered]
    rated = [(judge, people) for _, judge, people in ordered]
    gaps = [judge - fmean(people) for judge, people in rated]
    squares = [_squares(people) for _, people in rated]
    own = [_sd(square, len(people) - 1) for square, (_, people) in zip(squares, rated, strict=True)]
    pooled = _sd(math.fsum(squares), sum(len(people) - 1 for _, people in rated))
    outside = [_outside(judge, people) for judge, people in rated]
    same = [None if sd is None else pooled for sd in own]
    columns: dict[str, Sequence[float | None]] = {
        "bias": gaps,
        "own": _within(gaps, own),
        "pooled": _within(gaps, same),
        "inside": [None if by is None else float(by == 0) for by in outside],
        "outside": [abs(by) if by else None for by in outside],
    }
    found = means(columns, clusters, level=level, seed=seed, resamples=resamples)
    return Spread(
        bias=found["bias"],
        sd=_sd(_squares(gaps), len(gaps) - 1),
        counts=_counts(gaps),
        single_rater=sum(sd is None for sd in own),
        within_own_sd=found["own"],
        within_pooled_sd=found["pooled"],
        pooled_sd=pooled,
        inside=found["inside"],
        below=sum(by is not None and by < 0 for by in outside),
        above=sum(by is not None and by > 0 for by in outside),
        outside_by=found["outside"],
    )


def _within(gaps: Sequence[float], sds: Sequence[float | None]) -> list[float | None]:
    """Per item 1 or 0, or None where it has no sd."""
    return [
        None if sd is None else float(abs(gap) <= sd + _ROUNDING)
        for gap, sd in zip(gaps, sds, strict=True)
    ]


def _squares(values: Sequence[float]) -> float:
    """The sum of squared deviations from the mean."""
    if not values:
        return 0.0
    centre = fmean(values)
    return math.fsum((value - centre) ** 2 for value in values)


def _sd(squares: float, freedom: int) -> float | None:
    return math.sqrt(squares / freedom) if freedom > 0 else None


def _outside(judge: float, people: Sequence[float]) -> float | None:
    """How far above the people's range (negative: below), 0 inside, None for a single rater."""
    if len(people) < 2:
        return None
    return max(judge - max(people), 0.0) + min(judge - min(people), 0.0)


def _counts(gaps: Sequence[float]) -> tuple[tuple[int, int], ...]:
    at = Counter(_nearest(gap) for gap in gaps)
    return tuple((place, at[place]) for place in range(min(at), max(at) + 1)) if at else ()


def _nearest(gap: float) -> int:
    """The nearest whole number, halves away from zero."""
    return int(math.copysign(math.floor(abs(gap) + 0.5 + _ROUNDING), gap))
