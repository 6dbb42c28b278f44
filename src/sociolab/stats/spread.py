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
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import Estimate
from sociolab.stats.rating_table import RatingTable
from sociolab.stats.resample import Floats

_ROUNDING = 1e-9


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


@dataclass(frozen=True, slots=True)
class Gaps:
    """Item by item: judge minus people's mean, and how far the judge lies outside their range.

    `squares` and `freedom` are the people's squared deviations from their mean and the ratings
    that these rest on, less one; `outside` is negative below the range, nan for a single rater.
    """

    gaps: Floats
    outside: Floats
    squares: Floats
    freedom: NDArray[np.intp]

    @classmethod
    def of(cls, judge: Floats, people: RatingTable) -> Gaps:
        """Of a judge's scores of these items, each of which has a rating at least."""
        if not len(judge):
            empty = np.zeros(0)
            return cls(empty, empty, empty, np.zeros(0, dtype=np.intp))
        least, greatest = people.values[:, 0], np.nanmax(people.values, axis=1)
        outside = np.maximum(judge - greatest, 0) + np.minimum(judge - least, 0)
        freedom = people.sizes - 1
        outside = np.where(freedom > 0, outside, np.nan)
        return cls(judge - people.means(), outside, people.squares(), freedom)

    @property
    def pooled_sd(self) -> float | None:
        """The sd of all people about their items' means."""
        return _sd(math.fsum(self.squares.tolist()), int(self.freedom.sum()))

    def columns(self) -> dict[str, Floats]:
        """What `spread` needs the means of; nan where an item does not count."""
        several, pooled = self.freedom > 0, self.pooled_sd or 0.0
        own = np.sqrt(self.squares / np.maximum(self.freedom, 1))
        outside = np.abs(self.outside)
        shares = {
            "own": np.abs(self.gaps) <= own + _ROUNDING,
            "pooled": np.abs(self.gaps) <= pooled + _ROUNDING,
            "inside": outside == 0,
        }
        return {
            "bias": self.gaps,
            **{name: np.where(several, found, np.nan) for name, found in shares.items()},
            "outside": np.where(outside > 0, outside, np.nan),
        }

    def spread(self, found: Mapping[str, Estimate]) -> Spread:
        """The record of items whose `columns` have these means."""
        gaps = self.gaps.tolist()
        centre = found["bias"].value or 0.0
        return Spread(
            bias=found["bias"],
            sd=_sd(math.fsum((gap - centre) ** 2 for gap in gaps), len(gaps) - 1),
            counts=_counts(self.gaps),
            single_rater=int((self.freedom == 0).sum()),
            within_own_sd=found["own"],
            within_pooled_sd=found["pooled"],
            pooled_sd=self.pooled_sd,
            inside=found["inside"],
            below=int((self.outside < 0).sum()),
            above=int((self.outside > 0).sum()),
            outside_by=found["outside"],
        )


def _sd(squares: float, freedom: int) -> float | None:
    return math.sqrt(squares / freedom) if freedom > 0 else None


def _counts(gaps: Floats) -> tuple[tuple[int, int], ...]:
    """How many lie nearest to each whole number, halves away from zero."""
    if not len(gaps):
        return ()
    nearest = np.copysign(np.floor(np.abs(gaps) + 0.5 + _ROUNDING), gaps).astype(np.intp)
    least = int(nearest.min())
    found = np.bincount(nearest - least).tolist()
    return tuple((least + i, count) for i, count in enumerate(found))
