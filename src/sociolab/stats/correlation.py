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

from sociolab.stats.intervals import (
    Counts,
    Floats,
    counted_by_cluster,
    left_out_interval,
    number_clusters,
    two_sided_p,
)

_Correlate: TypeAlias = Callable[[Counts], Floats]
"""From counts of points (rows) to a correlation for each column; nan where not defined."""

_ON_A_LINE = 1e-12
"""An r this close to 1 is 1: its z is rounding."""


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
        """ "**" where p <= 0.01, "*" where p <= 0.05, as in SOTOPIA's Table 1; else ""."""
        if self.p is None or self.p > 0.05:
            return ""
        return "**" if self.p <= 0.01 else "*"


def pearson(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
) -> Correlation:
    """Pearson's r of a and b, from -1 to 1; `a[i]` and `b[i]` are a pair, in `clusters[i]`.

    None marks a missing value, whose pair is left out. p is the t-test's, which takes pairs as
    independent; the 95 % interval leaves out one cluster at a time. r is None with fewer than 3
    pairs, or where one side does not vary. ValueError for lengths that differ and a value that is
    not finite.

    >>> from sociolab.stats import pearson
    >>> judge, people = [7, 5, 9, None, 3, 6], [6, 5, 8, 7, 4, 7]
    >>> agreement = pearson(judge, people, ["a", "b", "c", "d", "e", "f"])
    >>> round(agreement.value, 2), agreement.n, agreement.missing, agreement.stars
    (0.92, 5, 1, '*')
    """
    points, missing = _pair_points(a, b, clusters)
    return _correlation(points, _pearson(points), missing)


def spearman(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
) -> Correlation:
    """Spearman's rho: Pearson's r of the ranks, where ties share their mean rank. Otherwise as
    `pearson`.

    Its p is the same t-test, an approximation below some 20 pairs.

    >>> from sociolab.stats import spearman
    >>> spearman([1, 2, 3, 4], [1, 4, 9, 16], ["a", "b", "c", "d"]).value
    1.0
    """
    points, missing = _pair_points(a, b, clusters)
    return _correlation(points, _spearman(points), missing)


def correlations(a: Floats, b: Floats, clusters: Counts) -> tuple[Correlation, Correlation]:
    """Pearson's r and Spearman's rho of two columns, nan where missing, of numbered clusters."""
    paired = ~(np.isnan(a) | np.isnan(b))
    points = _Points.from_columns(a[paired], b[paired], clusters[paired])
    missing = len(a) - int(paired.sum())
    return (
        _correlation(points, _pearson(points), missing),
        _correlation(points, _spearman(points), missing),
    )


@dataclass(frozen=True, slots=True)
class _Points:
    """Pairs as points that occur so often (`counts`), in the order of their values.

    `x` and `y` are the different values on each side; `x_code` and `y_code` tell for each point
    where it stands among them; `place` and `cluster` tell for each pair its point and its cluster.
    """

    x: Floats
    y: Floats
    x_code: Counts
    y_code: Counts
    counts: Counts
    place: Counts
    cluster: Counts
    clusters: int

    @classmethod
    def from_columns(cls, a: Floats, b: Floats, clusters: Counts) -> _Points:
        x, x_code = np.unique(a, return_inverse=True)
        y, y_code = np.unique(b, return_inverse=True)
        cells = x_code.ravel() * max(len(y), 1) + y_code.ravel()
        points, place, counts = np.unique(cells, return_inverse=True, return_counts=True)
        names, cluster = np.unique(clusters, return_inverse=True)
        x_at, y_at = np.divmod(points, max(len(y), 1))
        return cls(x, y, x_at, y_at, counts, place.ravel(), cluster.ravel(), len(names))


def _pair_points(
    a: Sequence[float | None],
    b: Sequence[float | None],
    clusters: Sequence[str],
) -> tuple[_Points, int]:
    """The complete pairs, and how many are left out."""
    if not len(a) == len(b) == len(clusters):
        raise ValueError(
            f"each pair has two values and a cluster, found {len(a)}, {len(b)} and {len(clusters)}"
        )
    rows = [
        (x, y, cluster)
        for x, y, cluster in zip(a, b, clusters, strict=True)
        if x is not None and y is not None
    ]
    pairs = np.array([row[:2] for row in rows], dtype=np.float64).reshape(-1, 2)
    if not np.isfinite(pairs).all():
        raise ValueError("values are finite numbers, or None where missing; found nan/inf")
    names = number_clusters([cluster for _, _, cluster in rows])
    return _Points.from_columns(pairs[:, 0], pairs[:, 1], names), len(a) - len(rows)


def _correlation(points: _Points, correlate: _Correlate, missing: int) -> Correlation:
    value = _defined(correlate(points.counts[:, None]))[0]
    pairs, number = len(points.place), len(points.counts)
    blocks = counted_by_cluster(points.place, points.cluster, number, points.clusters, number)
    left_out = [r for block in blocks for r in _defined(correlate(points.counts[:, None] - block))]
    ends, note = _interval(value, pairs, left_out)
    p = None
    if value is not None:  # Student's t test of no correlation
        freedom, rest = pairs - 2, 1 - value * value
        p = two_sided_p(value * math.sqrt(freedom / rest), freedom) if abs(value) < 1 else 0.0
    return Correlation(
        value=value,
        n=pairs,
        clusters=points.clusters,
        missing=missing,
        p=p,
        low=ends and ends[0],
        high=ends and ends[1],
        note=note,
    )


def _interval(
    value: float | None, pairs: int, left_out: Sequence[float | None]
) -> tuple[tuple[float, float] | None, str]:
    """The limits, or None and why there are none; `left_out` is the value without each cluster."""
    if value is None:
        return None, "no variation" if pairs > 2 else "fewer than 3 pairs"
    if abs(value) == 1:
        return None, "all pairs on a line"
    without = [None if r is None or abs(r) == 1 else math.atanh(r) for r in left_out]
    ends, note = left_out_interval(math.atanh(value), without)
    return ends and (math.tanh(ends[0]), math.tanh(ends[1])), note


def _defined(values: Floats) -> list[float | None]:
    return [None if r != r else r for r in values.tolist()]


def _pearson(points: _Points) -> _Correlate:
    x, y = points.x[points.x_code][:, None], points.y[points.y_code][:, None]
    return lambda counts: _r(x, y, counts)


def _spearman(points: _Points) -> _Correlate:
    def rho(counts: Counts) -> Floats:
        return _r(_ranks(points.x_code, counts), _ranks(points.y_code, counts), counts)

    return rho


def _r(x: Floats, y: Floats, counts: Counts) -> Floats:
    """Pearson's r of points (rows) in each column of counts; nan where it is not defined.

    Three pairs at least: any two lie on a line. Points that occur 0 times are as if not there.
    """
    total = counts.sum(axis=0)
    present = counts > 0
    flat = _constant(x, present) | _constant(y, present)
    defined = (total > 2) & ~flat
    n = np.maximum(total, 1)
    x = x - (counts * x).sum(axis=0) / n
    y = y - (counts * y).sum(axis=0) / n
    weighted = counts * x
    squares = (weighted * x).sum(axis=0) * (counts * y * y).sum(axis=0)
    r = (weighted * y).sum(axis=0) / np.sqrt(np.where(defined, squares, 1.0))
    r = np.where(np.abs(r) >= 1 - _ON_A_LINE, np.copysign(1.0, r), r)
    return np.where(defined, r, np.nan)


def _constant(values: Floats, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Per column, whether the values present do not vary; True without any."""
    if not len(values):
        return np.ones(present.shape[1], dtype=bool)
    highest = np.where(present, values, -np.inf).max(axis=0)
    return np.asarray(highest <= np.where(present, values, np.inf).min(axis=0))


def _ranks(place: Counts, counts: Counts) -> Floats:
    """Ranks from 1 of values in this order that occur so often, ties sharing their mean."""
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    ties = np.add.reduceat(counts[order], starts, axis=0) if len(place) else counts
    return np.asarray((np.cumsum(ties, axis=0) - (ties - 1) / 2)[place])
