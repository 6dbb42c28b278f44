"""A mean with its 95 % interval, clustered by what the values have in common.

Plays of one scenario are more alike than plays of two, so scenarios (or sessions, or tasks), not
plays, are the independent units. The estimand is the mean over all values: each play counts the
same. It is the sum of all values over their number, hence a ratio of two sums over clusters, and a
cluster with more values weighs more; with equal clusters it is the mean of the cluster means.

Below 40 clusters the interval is Student's t with G - 1 degrees of freedom on the linearised
standard error of that ratio. With d_g = the sum in cluster g of (value - mean), over N values:

    se = sqrt(G / (G - 1) * sum of d_g^2) / N

the cluster-robust error of a regression on a constant (Liang and Zeger 1986). It is symmetric and
may reach past the ends of a bounded scale (`stats.scale` cuts it there). From 40 clusters up it is
the BCa bootstrap (`stats.resample`), which stays inside the data and follows their skew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.resample import Floats, bca_limits
from sociolab.stats.student import t_critical

Method: TypeAlias = Literal["t", "bca"]

NO_VARIATION = "no variation between clusters"

BOOTSTRAP_FROM = 40
"""With fewer clusters than this the bootstrap's intervals come out too short."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, how much it rests on, and its interval where one can be computed.

    `value` is None where nothing was scored. `low` and `high` are both None, `method` is "none"
    and `note` says why where there is no interval: no values, 1 cluster, or no variation between
    clusters. In the last case the formulas give a width of 0, which would claim certainty that
    the data cannot give: 90 scenarios without a broken rule do not show that rules never break.
    (`stats.scale.bound` tells what they do show.) A note beside an interval says that it was cut.
    """

    value: float | None
    n: int
    clusters: int
    low: float | None
    high: float | None
    method: Literal["t", "bca", "none"]
    level: float = 0.95
    note: str = ""


def mean(
    values: Sequence[float | None],
    clusters: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = 5000,
    method: Method | None = None,
) -> Estimate:
    """The mean over all values with its clustered interval; `clusters[i]` holds `values[i]`.

    None marks a missing value: it counts neither in `n` nor in `clusters`. `method` None takes t
    below 40 clusters and BCa from there. The order of the values does not matter, and the same
    seed gives the same interval. ValueError for lengths that differ, a value that is not finite
    and fewer than 100 resamples.
    """
    columns = {"values": values}
    made = means(columns, clusters, seed=seed, resamples=resamples, method=method)
    return made["values"]


def means(
    columns: Mapping[str, Sequence[float | None]],
    clusters: Sequence[str],
    *,
    seed: int = 0,
    resamples: int = 5000,
    method: Method | None = None,
) -> dict[str, Estimate]:
    """What `mean` says of each column, for many measures of the same plays at little more cost.

    Columns with equally many clusters share one set of resamples, which is most of the work.
    """
    if resamples < 100:
        raise ValueError(f"an interval needs at least 100 resamples, found {resamples}")
    number = {name: i for i, name in enumerate(sorted(set(clusters)))}
    index = np.array([number[name] for name in clusters], dtype=np.intp)
    sums = {name: _sums(name, values, index) for name, values in columns.items()}
    limits: dict[str, tuple[Method, float, float]] = {}
    shared: dict[int, list[str]] = {}
    for name, column in sums.items():
        if column.problem:
            continue
        if (method or _method(column.clusters)) == "t":
            limits[name] = ("t", *_t_limits(column))
        else:
            shared.setdefault(column.clusters, []).append(name)
    for names in shared.values():
        residuals = np.stack([sums[name].residuals for name in names], axis=1)
        sizes = np.stack([sums[name].sizes for name in names], axis=1)
        found = bca_limits(residuals, sizes, seed=seed, resamples=resamples)
        limits |= {name: ("bca", *row) for name, row in zip(names, found.tolist(), strict=True)}
    return {name: _estimate(column, limits.get(name)) for name, column in sums.items()}


@dataclass(frozen=True, slots=True)
class _Sums:
    """A column added up by cluster: its mean, each cluster's deviations from it, its two ends."""

    mean: float | None
    residuals: Floats
    sizes: Floats
    ends: tuple[float, float]
    problem: str

    @property
    def n(self) -> int:
        return int(self.sizes.sum())

    @property
    def clusters(self) -> int:
        return len(self.sizes)


def _sums(name: str, values: Sequence[float | None], index: NDArray[np.intp]) -> _Sums:
    if len(values) != len(index):
        raise ValueError(
            f"{name}: each value needs its cluster, found {len(values)} values "
            f"and {len(index)} clusters"
        )
    present = np.array([value is not None for value in values], dtype=bool)
    given = np.array([value for value in values if value is not None], dtype=np.float64)
    if not np.isfinite(given).all():
        raise ValueError(f"{name}: values are finite numbers, or None where missing; found nan/inf")
    if not len(given):
        return _Sums(None, given, given, (0.0, 0.0), "no values")
    where = index[present]
    counts = np.bincount(where)
    centre = math.fsum(given) / len(given)
    added = np.bincount(where, weights=given - centre)
    residuals = np.asarray(added[counts > 0], dtype=np.float64)
    sizes = np.asarray(counts[counts > 0], dtype=np.float64)
    ends = (float(given.min()), float(given.max()))
    return _Sums(centre, residuals, sizes, ends, _problem(given, residuals, sizes))


def _problem(values: Floats, residuals: Floats, sizes: Floats) -> str:
    """Why these sums allow no interval, or ""."""
    if len(sizes) < 2:
        return "1 cluster"
    # Cluster means that are equal on paper differ by rounding, and those of differences more so:
    # 1000.1 - 1000 and 3.1 - 3 differ in the 13th digit.
    rounding = 1e-11 * np.abs(values).max()
    if np.abs(residuals / sizes).max() <= rounding:
        return NO_VARIATION
    return ""


def _t_limits(column: _Sums) -> tuple[float, float]:
    """Limits relative to the mean."""
    groups = column.clusters
    error = math.sqrt(groups / (groups - 1) * float((column.residuals**2).sum())) / column.n
    half = t_critical(groups - 1) * error
    return -half, half


def _method(clusters: int) -> Method:
    return "t" if clusters < BOOTSTRAP_FROM else "bca"


def _estimate(column: _Sums, limits: tuple[Method, float, float] | None) -> Estimate:
    value, n, clusters = column.mean, column.n, column.clusters
    if value is None or limits is None:
        return Estimate(value, n, clusters, None, None, "none", note=column.problem)
    method, below, above = limits
    low, high = value + below, value + above
    if method == "bca":  # a resampled mean stays between the data's ends, but for its rounding
        low, high = max(low, column.ends[0]), min(high, column.ends[1])
    return Estimate(value, n, clusters, low, high, method)
