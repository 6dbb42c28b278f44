"""Means of people's scores from few ratings by people and a judge's scores of all plays.

Prediction-powered inference with power tuning (PPI++; Angelopoulos, Duchi and Zrnic,
arXiv 2311.01453, 2023): of plays that people rated (y and f) and of those that only the judge
scored (f alone),

    estimate = mean(y) - w * (mean(f of the rated) - mean(f of the others))

which is right whatever the judge's bias, as it takes the bias off; w, from 0 to 1, is chosen for
the least variance, so that a useless judge is left out. That holds where the rated plays are drawn
at random from all. Plays of one scenario are alike: the error is the jackknife's, scenarios left
out one at a time with w chosen anew, and Student's t has G - 1 degrees of freedom.
(The authors' package ppi-python has no clusters and brings a stack of packages.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import Estimate, Floats, numbered, t_critical

FEWEST = 3
"""Scenarios with rated plays below which there is no interval."""


class JudgedPlay(NamedTuple):
    """A play that the judge scored; `people` is None where nobody rated it. `sign`: 1, or -1 for
    plays of the agent that is taken off."""

    cluster: str
    judge: float
    people: float | None
    sign: Literal[1, -1] = 1


class Corrected(NamedTuple):
    """The people's mean (or difference of means) alone, the judge's and the corrected one.

    `weight` is that of the judge. `saved`: how many more plays people would have to rate for as
    small an error, None without an error.
    """

    people: Estimate
    judge: Estimate
    corrected: Estimate
    weight: float
    saved: float | None


def corrected(plays: Sequence[JudgedPlay]) -> Corrected | None:
    """The three estimates; None where a side has no rated play."""
    signs = np.array([play.sign for play in plays], dtype=np.float64)
    judge = np.array([play.judge for play in plays])
    people = np.array([np.nan if p.people is None else p.people for p in plays])
    clusters = numbered([play.cluster for play in plays])
    rated = ~np.isnan(people)
    if not plays or any(not rated[signs == sign].any() for sign in set(signs.tolist())):
        return None
    whole = np.ones(len(plays), dtype=bool)
    told = _estimates(judge, people, signs, rated, clusters, whole)
    count, n = int(clusters.max()) + 1, int(rated.sum())
    left = [_estimates(judge, people, signs, rated, clusters, clusters != g) for g in range(count)]
    known = [one for one in left if one is not None]
    rests_on = len(set(clusters[rated].tolist()))
    if told is None or len(known) < count or rests_on < FEWEST:
        known = []
    value = told or (math.nan,) * 4
    made, errors = [], []
    for i, (size, groups) in enumerate(((n, rests_on), (len(plays), count), (n, rests_on))):
        apart = np.array([one[i] for one in known])
        error = (
            float(np.sqrt((count - 1) / count * ((apart - apart.mean()) ** 2).sum()))
            if (known)
            else 0.0
        )
        errors.append(error)
        made.append(_estimate(value[i], error, size, groups))
    saved = n * max((errors[0] / errors[2]) ** 2 - 1, 0.0) if errors[2] > 0 else None
    return Corrected(made[0], made[1], made[2], value[3], saved)


def _estimate(value: float, error: float, n: int, clusters: int) -> Estimate:
    if error <= 0:
        return Estimate(value, n, clusters, None, None, "none", note="too few rated clusters")
    half = t_critical(clusters - 1) * error
    return Estimate(value, n, clusters, value - half, value + half, "t")


def _estimates(
    judge: Floats,
    people: Floats,
    signs: Floats,
    rated: NDArray[np.bool_],
    clusters: NDArray[np.intp],
    kept: NDArray[np.bool_],
) -> tuple[float, float, float, float] | None:
    """People, judge, corrected and weight of the kept plays; None without a rated play."""
    groups = int(clusters.max()) + 1
    mine, beside = np.zeros(groups), np.zeros(groups)
    truth = shift = all_ = 0.0
    for sign in set(signs.tolist()):
        here = kept & (signs == sign)
        both, rest = here & rated, here & ~rated
        if not both.any():
            return None
        truth += sign * people[both].mean()
        all_ += sign * judge[here].mean()
        mine += sign * _spread(people, both, clusters, groups)
        if rest.any():
            shift += sign * (judge[both].mean() - judge[rest].mean())
            beside += sign * _spread(judge, both, clusters, groups)
            beside -= sign * _spread(judge, rest, clusters, groups)
    square = float(beside @ beside)
    weight = min(max(float(mine @ beside) / square, 0.0), 1.0) if square > 1e-18 else 0.0
    return float(truth), float(all_), float(truth - weight * shift), weight


def _spread(
    values: Floats, where: NDArray[np.bool_], clusters: NDArray[np.intp], groups: int
) -> Floats:
    """What each cluster adds to the mean of these values."""
    some = values[where]
    away = (some - some.mean()) / len(some)
    return np.asarray(np.bincount(clusters[where], weights=away, minlength=groups), np.float64)
