"""The mean of people's scores with an interval for other scenarios and other raters.

Raters cross scenarios: one person rates plays of many scenarios, and each scenario has several
people. An interval clustered by scenario alone holds the raters fixed. Here the error is clustered
both ways (Cameron, Gelbach and Miller, Journal of Business & Economic Statistics 29, 2011): with
the influence of each rating on the estimate,

    V = V(scenarios) + V(raters) - V(cells of one scenario and one rater)

and V at least the larger of the first two (MacKinnon, Nielsen and Webb, ibid. 39, 2021).
G / (G - 1) corrects too little where few clusters weigh unequally, as raters do. So each V is
divided by the part of it that is expected to be left when the mean is taken off, were all variance
between its clusters (Bell and McCaffrey, Survey Methodology 28, 2002); with equal weights that is
(G - 1) / G. Student's t has as many degrees of freedom as there are scenarios or raters, whichever
are fewer, less one. benchmarks/bench_raters.py shows how often such intervals hold the truth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import NO_VARIATION, Estimate, Floats, numbered, t_critical

ONE_RATER = "1 rater"
_MOST = 4.0
"""The correction of two clusters that weigh much unlike; more would be noise."""

Given: TypeAlias = Mapping[str, float]
"""What each rater gave one play."""


class RatedPlay(NamedTuple):
    """A play: its scenario, what raters gave it, and how much it counts (a difference: 1 and -1).

    `offset` is taken off each rating, such as a judge's score of the play.
    """

    cluster: str
    given: Given
    sign: Literal[1, -1] = 1
    offset: float = 0.0


class Crossed(NamedTuple):
    """An estimate, its standard error (None: there is none), and how many scenarios and raters it
    rests on."""

    value: float
    error: float | None
    clusters: int
    raters: int


def crossed(plays: Sequence[RatedPlay]) -> Crossed | None:
    """The mean of the plays' mean ratings, or where signs differ the difference of two means.

    None without plays of a sign that occurs. ValueError for a play without ratings.
    """
    if not plays:
        return None
    if any(not play.given for play in plays):
        raise ValueError("each play needs a rating")
    scores = np.array([math.fsum(p.given.values()) / len(p.given) - p.offset for p in plays])
    signs = np.array([play.sign for play in plays], dtype=np.float64)
    sizes = np.array([len(play.given) for play in plays])
    total, share, away = 0.0, np.zeros(len(plays)), np.zeros(len(plays))
    for sign in (1, -1):
        mine = signs == sign
        if mine.any():
            centre = math.fsum(scores[mine]) / int(mine.sum())
            total += sign * centre
            share[mine] = sign / mine.sum()
            away[mine] = centre
    given = np.array([value - play.offset for play in plays for value in play.given.values()])
    weights = np.repeat(share / sizes, sizes)
    influence = weights * (given - np.repeat(away, sizes))
    scenarios = np.repeat(numbered([play.cluster for play in plays]), sizes)
    raters = numbered([name for play in plays for name in play.given])
    sides = np.repeat(signs, sizes)
    cells = scenarios * (int(raters.max()) + 1) + raters
    counts = int(scenarios.max()) + 1, int(raters.max()) + 1
    one, two, both = (
        _between(influence, weights, sides, codes) for codes in (scenarios, raters, cells)
    )
    variance = max(one + two - both, one, two)
    if min(counts) < 2 or variance <= 1e-22 * max(1.0, float((given**2).max())):
        return Crossed(total, None, *counts)
    return Crossed(total, math.sqrt(variance), *counts)


def _between(influence: Floats, weights: Floats, sides: Floats, codes: NDArray[np.intp]) -> float:
    """The variance between the clusters of these codes, corrected for the mean taken off.

    For effects u of the clusters, a and b what they weigh in either mean: the sums are
    (a + b) u - a (a.u) + b (b.u), whose expected square falls short of that of (a + b) u.
    """
    _, codes = np.unique(codes, return_inverse=True)
    raw = float((np.bincount(codes, weights=influence) ** 2).sum())
    a, b = (np.bincount(codes, weights=np.where(sides == sign, weights, 0)) for sign in (1, -1))
    net = a + b
    truth = float((net**2).sum())
    expected = truth + float(
        (a**2).sum() ** 2 + (b**2).sum() ** 2 - 2 * (a @ b) ** 2 - 2 * (net * (a**2 - b**2)).sum()
    )
    # What is on both sides alike (matched plays of a scenario) cancels; a mean is still taken off.
    least = len(net) / max(len(net) - 1, 1)
    return raw * (min(max(truth / expected, least), _MOST) if expected > 1e-12 else least)


def crossed_estimate(plays: Sequence[RatedPlay]) -> Estimate:
    """`crossed` as an estimate with a 95 % interval; its note says why there is none."""
    found = crossed(plays)
    if found is None:
        return Estimate(None, 0, 0, None, None, "none", note="no values")
    n, value = len(plays), found.value
    if found.error is None:
        few = (found.clusters, "1 cluster"), (found.raters, ONE_RATER)
        note = next((said for count, said in few if count < 2), NO_VARIATION)
        return Estimate(value, n, found.clusters, None, None, "none", note=note)
    half = t_critical(min(found.clusters, found.raters) - 1) * found.error
    return Estimate(value, n, found.clusters, value - half, value + half, "crossed")


def for_raters(estimate: Estimate, plays: Sequence[RatedPlay]) -> Estimate:
    """The estimate with an interval for other raters, too; of a single rater it stays, and its
    note says that it holds for this rater."""
    found = crossed_estimate(plays)
    if found.note == ONE_RATER:
        return replace(estimate, note=estimate.note or "for this one rater")
    same = found.value is not None and estimate.n == found.n
    return replace(found, value=estimate.value) if same else estimate
