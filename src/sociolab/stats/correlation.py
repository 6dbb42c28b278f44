"""Correlation of two scores of the same items: Pearson's r, Spearman's rho, p and interval.

p is the textbook's two-sided t test with n - 2 degrees of freedom, as in SOTOPIA's Table 1. It
takes the pairs as independent, which plays of one scenario are not; the interval does not: each
cluster is left out in turn (Efron and Tibshirani 1993, chapter 11), and with z = atanh(r)
(Fisher) of the G values so found

    se = sqrt((G - 1) / G * sum of (z_g - their mean)^2)

The interval is z +- t(G - 1) * se, turned back by tanh, so it stays inside -1 and 1. Where the two
disagree, believe the interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.resample import Floats
from sociolab.stats.student import t_quantile, two_sided_p

_Counts: TypeAlias = NDArray[np.intp]
_Of: TypeAlias = Callable[[_Counts], float | None]
"""A correlation of points fixed before, by how often each of them occurs."""

_ON_A_LINE = 1e-12
"""An r this close to 1 is 1: its z is rounding."""

_ROUNDING = 1e-9
"""An interval this short is the rounding of one of width 0."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation from -1 to 1, how many pairs it rests on, its p and its interval.

    `value` and `p` are None with fewer than 3 pairs and where one side does not vary; `low` and
    `high` are None where no interval can be computed; `note` says why. `missing` counts pairs left
    out because a side was None.
    """

    value: float | None
    n: int
    clusters: int
    missing: int
    p: float | None
    low: float | None
    high: float | None
    level: float = 0.95
    note: str = ""

    @property
    def stars(self) -> str:
        """ "**" where p <= .01, "*" where p <= .05, as in SOTOPIA's Table 1; else ""."""
        if self.p is None or self.p > 0.05:
            return ""
        return "**" if self.p <= 0.01 else "*"


def pearson(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
    *,
    level: float = 0.95,
) -> Correlation:
    """Pearson's r of a and b, position by position; `clusters[i]` holds pair i.

    ValueError for lengths that differ, a value that is not finite, a level outside (0, 1).
    """
    return _correlation(a, b, clusters, level, _pearson)


def spearman(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
    *,
    level: float = 0.95,
) -> Correlation:
    """Spearman's rho: Pearson's r of the ranks, ties sharing their mean rank. Else as `pearson`.

    Its p is the same t test, an approximation below some 20 pairs.
    """
    return _correlation(a, b, clusters, level, _spearman)


def left_out_limits(whole: float, left_out: Sequence[float], level: float) -> tuple[float, float]:
    """Limits of an estimate from what it is without each cluster in turn (at least 2)."""
    groups = len(left_out)
    found = np.array(left_out)
    error = math.sqrt((groups - 1) / groups * float(((found - found.mean()) ** 2).sum()))
    half = t_quantile((1 + level) / 2, groups - 1) * error
    return whole - half, whole + half


def _correlation(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
    level: float,
    measure: Callable[[Floats], _Of],
) -> Correlation:
    if not len(a) == len(b) == len(clusters):
        raise ValueError(
            f"each pair has two values and a cluster, found {len(a)}, {len(b)} and {len(clusters)}"
        )
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, found {level}")
    # Sorted, so that rounding does not depend on the order of the rows.
    rows = sorted(
        (cluster, float(x), float(y))
        for x, y, cluster in zip(a, b, clusters, strict=True)
        if x is not None and y is not None
    )
    both = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(both).all():
        raise ValueError("values are finite numbers, or None where missing; found nan/inf")
    points, place, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    names, groups = np.unique([row[0] for row in rows], return_inverse=True)
    of = measure(points)
    value = of(counts)
    inside = [place[groups == group] for group in range(len(names))]
    kept = (counts - np.bincount(each, minlength=len(points)) for each in inside)
    left_out = [of(each) for each in kept]
    ends, note = _interval(value, len(rows), left_out, level)
    return Correlation(
        value=value,
        n=len(rows),
        clusters=len(names),
        missing=len(a) - len(rows),
        p=None if value is None else _p(value, len(rows) - 2),
        low=ends and ends[0],
        high=ends and ends[1],
        level=level,
        note=note,
    )


def _interval(
    value: float | None, pairs: int, left_out: Sequence[float | None], level: float
) -> tuple[tuple[float, float] | None, str]:
    """The limits, or None and why there are none; `left_out` is the value without each cluster."""
    if value is None:
        return None, "no variation" if pairs > 2 else "fewer than 3 pairs"
    if abs(value) == 1:
        return None, "all pairs on a line"
    if len(left_out) < 2:
        return None, "1 cluster"
    defined = [math.atanh(r) for r in left_out if r is not None and abs(r) < 1]
    if len(defined) < len(left_out):
        return None, "undefined without one of the clusters"
    low, high = left_out_limits(math.atanh(value), defined, level)
    if high - low < _ROUNDING:
        return None, "no variation between clusters"
    return (math.tanh(low), math.tanh(high)), ""


def _pearson(points: Floats) -> _Of:
    return lambda counts: _r(points, counts)


def _spearman(points: Floats) -> _Of:
    places = [np.unique(column, return_inverse=True)[1] for column in points.T]
    return lambda counts: _r(np.stack([_ranks(each, counts) for each in places], axis=1), counts)


def _r(points: Floats, counts: _Counts) -> float | None:
    """Pearson's r of points (a row each) that occur so often; None where it is not defined.

    Three pairs at least: any two lie on a line. Points that occur 0 times are as if not there.
    """
    there = counts > 0
    points, counts = points[there], counts[there]
    total = counts.sum()
    if total < 3 or (points == points[0]).all(axis=0).any():
        return None
    x, y = (points - counts @ points / total).T
    r = float(counts @ (x * y)) / math.sqrt(float(counts @ x**2) * float(counts @ y**2))
    return math.copysign(1, r) if abs(r) >= 1 - _ON_A_LINE else r


def _ranks(place: _Counts, counts: _Counts) -> Floats:
    """Ranks from 1 of values in this order that occur so often, ties sharing their mean."""
    ties = np.bincount(place, weights=counts)
    return np.asarray((np.cumsum(ties) - (ties - 1) / 2)[place])


def _p(r: float, freedom: int) -> float:
    """The probability of an r at least this far from 0 where there is none: Student's t test."""
    if abs(r) == 1:
        return 0.0
    return two_sided_p(r * math.sqrt(freedom / (1 - r * r)), freedom)
