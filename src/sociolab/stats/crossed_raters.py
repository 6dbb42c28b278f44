"""Means of people's scores, and their differences, with intervals that hold for other raters too.

Raters cross scenarios: one person rates episodes of many scenarios, and each scenario has several
people. An interval clustered by scenario alone holds the raters fixed. Here the error is clustered
both ways (Cameron, Gelbach and Miller, Journal of Business & Economic Statistics 29, 2011): with
the influence of each rating on the estimate,

    V = V(scenarios) + V(raters) - V(cells of one scenario and one rater)

and V at least the larger of the first two (MacKinnon, Nielsen and Webb, ibid. 39, 2021).
G / (G - 1) corrects too little where few clusters weigh unequally, as raters do. So each V is
divided by the part of it that is expected to be left when the mean is taken off, were all variance
between its clusters (Bell and McCaffrey, Survey Methodology 28, 2002); with equal weights that is
(G - 1) / G. Student's t has the fewer degrees of freedom of two: those of scenarios (Welch's over
the sides), and the effective number of raters of equal weight less one, as a rater who gave nearly
all ratings says little of others. Where a side has one scenario there is no error. The
interval is never narrower than the one clustered by scenario alone (`stats.intervals`). Fewer than
`LEAST_RATERS` say too little of others: there the interval is the one for these raters.
benchmarks/bench_raters.py shows how often such intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from sociolab.stats.intervals import (
    NO_VARIATION,
    Counts,
    Estimate,
    Floats,
    Method,
    mean_error,
    number_clusters,
    skewed_limits,
    t_critical,
    two_sided_p,
)

LEAST_RATERS = 3
"""Two raters allow one degree of freedom: an interval for others would be the whole scale."""

_MOST = 4.0
"""The largest correction of `_between`: that of two very unequal clusters; more would be noise."""

RaterScores: TypeAlias = tuple[tuple[str, float], ...]
"""The ratings of one play, by rater; "" for a figure that no person gave."""


class RatedPlay(NamedTuple):
    """A play: its scenario, its ratings, and how much it counts beside others of its side.

    Plays of the same `side` and sign of weight make up one mean; those of negative weight are taken
    off. `block` is what plays of two sides were matched by.
    """

    cluster: str
    ratings: RaterScores
    weight: float = 1.0
    side: str = ""
    block: str = ""


@dataclass(frozen=True, slots=True)
class RatedEstimate(Estimate):
    """A mean, or a difference of means, of ratings by so many `raters`."""

    raters: int = 0

    @property
    def units(self) -> int:
        """The scenarios or, in an interval for other raters, the raters if those are fewer."""
        return min(self.clusters, self.raters) if self.raters >= LEAST_RATERS else self.clusters

    @property
    def p(self) -> float | None:
        """Two-sided, against 0, by Student's t; None without an error."""
        if self.value is None or not self.error or self.freedom is None:
            return None
        return two_sided_p(self.value / self.error, self.freedom)


def crossed_estimate(plays: Sequence[RatedPlay]) -> RatedEstimate:
    """The weighted means of the sides, added or, for negative weights, subtracted, with a 95 %
    interval for other raters too (method "crossed") or, if they are fewer than `LEAST_RATERS`, for
    these alone ("t").

    A play counts as the mean of its ratings. ValueError for a play without ratings.
    """
    if not plays:
        return RatedEstimate(None, 0, 0, None, None, "none", note="no values")
    if not all(play.ratings for play in plays):
        raise ValueError("each play needs a rating")
    sizes = np.array([len(play.ratings) for play in plays])
    ratings = np.array([value for play in plays for _, value in play.ratings])
    weights = np.repeat([play.weight for play in plays] / sizes, sizes)
    sides = np.repeat(number_clusters([f"{play.weight > 0} {play.side}" for play in plays]), sizes)
    weights /= np.abs(np.bincount(sides, weights=weights))[sides]
    parts = np.bincount(sides, weights=weights * ratings)
    signs = np.sign(np.bincount(sides, weights=weights))
    influence = weights * (ratings - (signs * parts)[sides])
    scenarios = np.repeat(number_clusters([play.cluster for play in plays]), sizes)
    names = [name for play in plays for name, _ in play.ratings]
    raters, by_people = number_clusters(names), np.array([name != "" for name in names])
    clusters, people = int(scenarios.max()) + 1, len({*names} - {""})
    value, n = math.fsum(weights * ratings), len(plays)
    residuals = np.bincount(scenarios, weights=influence).astype(np.float64)
    alike = np.abs(residuals).max() * clusters <= 1e-11 * np.abs(ratings).max()
    single = min(len({*scenarios[sides == side]}) for side in range(len(parts))) < 2
    if single or alike:
        why = "1 cluster" if single else NO_VARIATION
        return RatedEstimate(value, n, clusters, None, None, "none", note=why, raters=people)
    error, freedom = _by_scenario(influence, weights, sides, scenarios)
    least, most = skewed_limits(residuals, error, freedom)
    method: Method = "t"
    if people >= LEAST_RATERS:
        method = "crossed"
        shares = np.zeros((len(parts), len(ratings)))
        shares[sides, np.arange(len(ratings))] = weights
        by_scenario = _between(influence, shares, signs, scenarios)
        by_rater, by_both = (
            _between(influence[by_people], shares[:, by_people], signs, codes[by_people])
            for codes in (raters, scenarios * (int(raters.max()) + 1) + raters)
        )
        error = math.sqrt(max(by_scenario + by_rater - by_both, by_scenario, by_rater))
        freedom = min(freedom, _freedom(raters[by_people], weights[by_people]))
        half = t_critical(freedom) * error
        least, most = min(least, -half), max(most, half)
    return RatedEstimate(
        value, n, clusters, value + least, value + most, method,
        error=error, freedom=freedom, raters=people,
    )  # fmt: skip


def _freedom(raters: Counts, weights: Floats) -> float:
    """The effective number of raters of equal weight, less one, and at least 1: a rater of nearly
    all plays says little about others."""
    sums = np.bincount(raters, weights=np.abs(weights))
    return max(1.0, float(sums.sum() ** 2 / (sums**2).sum()) - 1)


def _by_scenario(
    influence: Floats, weights: Floats, sides: Counts, scenarios: Counts
) -> tuple[float, float]:
    """The error clustered by scenario alone, and its degrees of freedom: those of `stats.intervals`
    for one mean, and for several sides each side's part of a scenario corrected as there."""
    shape = int(sides.max()) + 1, int(scenarios.max()) + 1
    cells = sides * shape[1] + scenarios
    sizes, sums = (
        np.bincount(cells, weights=each, minlength=shape[0] * shape[1]).reshape(shape)
        for each in (np.abs(weights), influence)
    )
    if shape[0] == 1:
        return mean_error(sums[0], sizes[0])
    remainder = np.where(sizes < 1, 1 - sizes, 1.0)  # a side of one scenario deviates by 0
    error = math.sqrt(float(((sums / np.sqrt(remainder)).sum(axis=0) ** 2).sum()))
    # Welch's: a side of few scenarios, or one that counts for nothing, lends none to the others.
    each = [mean_error(*pair[:, pair[1] > 0]) for pair in np.stack([sums, sizes], axis=1)]
    squares, parts = [part**2 for part, _ in each], [part**4 / free for part, free in each]
    welch = sum(squares) ** 2 / sum(parts) if any(parts) else 1.0
    return error, min(welch, shape[1] - 1)


def _between(influence: Floats, shares: Floats, signs: Floats, codes: Counts) -> float:
    """The variance between the clusters of these codes, corrected for the means taken off.

    For effects u of the clusters and a_k what they weigh in the mean of side k, of sign s_k, the
    sums are net u - sum of s_k a_k (a_k.u) with net = sum of a_k; their expected square falls short
    of that of net u.
    """
    _, codes = np.unique(codes, return_inverse=True)
    raw = float((np.bincount(codes, weights=influence) ** 2).sum())
    each = np.array([np.bincount(codes, weights=share) for share in shares])
    net = each.sum(axis=0)
    truth = float((net**2).sum())
    expected = truth - 2 * float(signs @ (each**2 @ net))
    expected += float(signs @ (each @ each.T) ** 2 @ signs)
    # What is on both sides alike (matched plays of a scenario) cancels; a mean is still taken off.
    least = len(net) / max(len(net) - 1, 1)
    return raw * (min(max(truth / expected, least), _MOST) if expected > 1e-12 else least)
