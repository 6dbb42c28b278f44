"""A mean with its 95 % interval, clustered by what the values have in common.

Plays of one scenario are more alike than plays of two, so scenarios (or sessions, or tasks), not
plays, are the independent units. The estimand is the mean over all values: each play counts the
same. It is the sum of all values over their number, hence a ratio of two sums over clusters, and a
cluster with more values weighs more; with equal clusters it is the mean of the cluster means.

Below 40 clusters the interval is Student's t with G - 1 degrees of freedom on the linearised
standard error of that ratio. With d_g = the sum in cluster g of (value - mean), over N values:

    se = sqrt(G / (G - 1) * sum of d_g^2) / N

the cluster-robust error of a regression on a constant (Liang and Zeger 1986). It is symmetric and
may reach past the ends of a bounded scale (`on_scale` cuts it there). From 40 clusters up it is the
BCa bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 14.3, with the
cluster as the unit of resampling and of the jackknife), which stays inside the data and follows
their skew.

On a scale: Student's interval knows nothing of its ends, and with 2 to 4 clusters mostly passes
them. The true mean lies on the scale, so that to cut the interval there takes away nothing that
could be true: it holds the true mean exactly as often as before. (An interval on a transformed
scale would also end inside, but has no finite end where a cluster lies at an end itself, as most do
in pass^k.) Where all clusters lie at one end there is no scatter to make an interval of, yet the
mean has a `bound`. The chance that a cluster lies at the top is at most the mean m, on a scale from
0 to 1 (Markov's inequality), so that G independent clusters all do with a chance of at most m^G.
Any m below (1 - level)^(1/G) is therefore refuted at that level: the "rule of three" (Hanley and
Lippman-Hand, JAMA 249, 1983, 1743-1745), taken by cluster.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.intp]
Cells: TypeAlias = NDArray[np.uint32]
Method: TypeAlias = Literal["t", "bca"]

LEVEL = 0.95
"""How often an interval holds what it is of: the same for all of them."""

NO_VARIATION = "no variation between clusters"
CUT = "cut at the end of the scale"

BOOTSTRAP_FROM = 40
"""With fewer clusters than this the bootstrap's intervals come out too short."""

_CELLS_AT_ONCE = 1 << 17
"""Rows times clusters that are left out at once, so that the work space stays small."""

_NO_WIDTH = 1e-9
"""An interval this short is the rounding of one of width 0."""

_normal_cdf = np.vectorize(NormalDist().cdf, otypes=[np.float64])
_normal_quantile = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])
# Draws made at once. A block and its work space stay near 2 MB, inside the
# processor's cache; the numbers drawn depend on it, so changing it changes every interval a little.
_DRAWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, how much it rests on, and its interval where one can be computed.

    `value` is None where nothing was scored. `low` and `high` are both None, `method` is "none"
    and `note` says why where there is no interval: no values, 1 cluster, or no variation between
    clusters. Method "crossed" is that of `stats.crossed`, for people's scores. Without variation
    the formulas give a width of 0, which would claim certainty that the data cannot give: 90
    scenarios without a broken rule do not show that rules never break. (`bound` tells what they do
    show.) A note beside an interval says that it was cut.
    """

    value: float | None
    n: int
    clusters: int
    low: float | None
    high: float | None
    method: Literal["t", "bca", "crossed", "none"]
    level: float = LEVEL
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
    index = numbered(clusters)
    sums = {name: _sums(name, values, index) for name, values in columns.items()}
    limits: dict[str, tuple[Method, float, float]] = {}
    shared: dict[int, list[str]] = {}
    for name, column in sums.items():
        if column.problem:
            continue
        if (method or ("t" if column.clusters < BOOTSTRAP_FROM else "bca")) == "t":
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


def _estimate(column: _Sums, limits: tuple[Method, float, float] | None) -> Estimate:
    value, n, clusters = column.mean, column.n, column.clusters
    if value is None or limits is None:
        return Estimate(value, n, clusters, None, None, "none", note=column.problem)
    method, below, above = limits
    low, high = value + below, value + above
    if method == "bca":  # a resampled mean stays between the data's ends, but for its rounding
        low, high = max(low, column.ends[0]), min(high, column.ends[1])
    return Estimate(value, n, clusters, low, high, method)


def on_scale(estimate: Estimate, low: float, high: float) -> Estimate:
    """The estimate with the part of its interval that lies from `low` to `high`.

    Its note says so where something was cut. Its values lie on the scale.
    """
    if estimate.low is None or estimate.high is None:
        return estimate
    if low <= estimate.low and estimate.high <= high:
        return estimate
    return replace(estimate, low=max(low, estimate.low), high=min(high, estimate.high), note=CUT)


def bound(estimate: Estimate, low: float, high: float) -> float | None:
    """Where all clusters lie at one end of the scale, how far from it the true mean may be.

    One-sided, at the estimate's level: a lower bound of a mean at `high`, an upper one of a mean at
    `low`. Clusters count as independent and as of equal weight. None for any other estimate, and
    for less than 2 clusters.
    """
    if estimate.note != NO_VARIATION or estimate.value not in (low, high):
        return None
    reach = (high - low) * math.pow(1 - estimate.level, 1 / estimate.clusters)
    return low + reach if estimate.value == high else high - reach


@dataclass(frozen=True, slots=True)
class Groups:
    """One entry per cluster, clusters in the order of their names: how many values, their sum.

    `within` is the sum of squared deviations of all values from the mean of their own cluster.
    """

    sums: Floats
    sizes: Floats
    within: float

    @property
    def means(self) -> Floats:
        """The mean of each cluster."""
        return self.sums / self.sizes


def grouped(values: Sequence[float], clusters: Sequence[str]) -> Groups:
    """The values by cluster; `clusters[i]` holds `values[i]`. ValueError as in `finite`."""
    found = finite(values, clusters)
    index = numbered(clusters)
    sizes = np.bincount(index).astype(np.float64)
    sums = np.bincount(index, weights=found).astype(np.float64)  # integers where nothing is given
    deviations = found - (sums / sizes)[index]
    return Groups(sums, sizes, float((deviations**2).sum()))


def numbered(clusters: Sequence[str]) -> NDArray[np.intp]:
    """The number of each value's cluster: its place among the sorted names, from 0."""
    number = {name: i for i, name in enumerate(sorted(set(clusters)))}
    return np.array([number[name] for name in clusters], dtype=np.intp)


def finite(values: Sequence[float], clusters: Sequence[str]) -> Floats:
    """The values as an array; ValueError for lengths that differ and for nan or inf."""
    if len(values) != len(clusters):
        raise ValueError(
            f"each value needs its cluster, found {len(values)} values and {len(clusters)} clusters"
        )
    found = np.array(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("values are finite numbers, found nan or inf")
    return found


def t_quantile(p: float, freedom: int) -> float:
    """The p-quantile (0.5 < p < 1) of Student's t with at least 1 degree of freedom.

    ValueError for p outside (0.5, 1) and less than 1 degree of freedom.
    """
    if not 0.5 < p < 1 or freedom < 1:
        raise ValueError(f"expected 0.5 < p < 1 and freedom >= 1, found p {p}, freedom {freedom}")
    from scipy.special import stdtrit

    return float(stdtrit(freedom, p))


def t_critical(freedom: int) -> float:
    """How many standard errors an interval of Student's t goes to either side."""
    return t_quantile((1 + LEVEL) / 2, freedom)


def two_sided_p(t: float, freedom: float) -> float:
    """The probability of a value at least as far from 0 as t, on either side; 0-1.

    `freedom` need not be whole. ValueError for freedom <= 0 and for nan.
    """
    if not freedom > 0 or math.isnan(t):
        raise ValueError(f"expected freedom > 0 and a number t, found {freedom} and {t}")
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(freedom, -abs(t))))


def left_out_interval(
    whole: float, left_out: Sequence[float | None]
) -> tuple[tuple[float, float] | None, str]:
    """The limits of `whole`, or None and why there are none.

    `left_out` is what it is without each of G clusters, None where it is not defined. The limits
    are `whole` +- t(G - 1) * sqrt((G - 1) / G * sum of (left out - their mean)^2).
    """
    groups = len(left_out)
    if groups < 2:
        return None, "1 cluster"
    defined = [one for one in left_out if one is not None]
    if len(defined) < groups:
        return None, "undefined without one of the clusters"
    found = np.array(defined)
    error = math.sqrt((groups - 1) / groups * float(((found - found.mean()) ** 2).sum()))
    half = t_critical(groups - 1) * error
    if 2 * half < _NO_WIDTH:
        return None, NO_VARIATION
    return (whole - half, whole + half), ""


def counted_by_cluster(
    row: Counts, cluster: Counts, rows: int, clusters: int, width: int
) -> Iterator[Counts]:
    """How often each row stands in each cluster, some clusters (columns) at a time.

    `row` and `cluster` say where each item stands. `width` numbers go with each cluster in the
    caller's work space.
    """
    most = max(1, _CELLS_AT_ONCE // max(width, 1))
    for first in range(0, clusters, most):
        wide = min(most, clusters - first)
        here = (cluster >= first) & (cluster < first + wide)
        cells = row[here] * wide + cluster[here] - first
        yield np.bincount(cells, minlength=rows * wide).reshape(-1, wide)


def bca_limits(residuals: Floats, sizes: Floats, *, seed: int, resamples: int) -> Floats:
    """BCa limits, relative to the mean, of several measures on one set of resampled clusters.

    `residuals` has a row per cluster and a column per measure: the cluster's sum of deviations
    from the measure's mean (a column adds up to 0). `sizes` is how many values each sum holds, all
    at least 1, at least 2 rows. A column of zeros has no interval and must not be passed.
    Returns a row per measure: low and high. The same arguments give the same limits.
    """
    drawn = _drawn(len(sizes), seed, resamples)
    make = _looked_up if residuals.shape[1] == 1 else _counted
    means = np.concatenate([make(cells, residuals, sizes) for cells in drawn])
    means.sort(axis=0)
    bias = _bias(means, np.abs(residuals / sizes).max(axis=0))
    shift = bias + _normal_quantile([[(1 - LEVEL) / 2], [(1 + LEVEL) / 2]])
    # At most 1/6 in size, so that the denominator stays positive for any shift below 6.
    acceleration = _acceleration(residuals, sizes)
    quantiles = _normal_cdf(bias + shift / (1 - acceleration * shift))
    return np.stack([_at(column, q) for column, q in zip(means.T, quantiles.T, strict=True)])


def _drawn(clusters: int, seed: int, resamples: int) -> Iterator[Cells]:
    """Which clusters each resample draws, a row per resample, block by block."""
    random = np.random.default_rng(seed)
    rows = max(1, _DRAWS_AT_ONCE // clusters)
    for start in range(0, resamples, rows):
        height = min(rows, resamples - start)
        yield random.integers(0, clusters, size=(height, clusters), dtype=np.uint32)


def _counted(cells: Cells, residuals: Floats, sizes: Floats) -> Floats:
    """The mean of each resample (row) and measure: counts of each cluster, shared by measures."""
    height, clusters = cells.shape
    flat = cells + np.arange(height)[:, None] * clusters
    counts = np.bincount(flat.ravel(), minlength=height * clusters)
    often = counts.reshape(height, clusters).astype(np.float64)
    return np.asarray((often @ residuals) / (often @ sizes))


def _looked_up(cells: Cells, residuals: Floats, sizes: Floats) -> Floats:
    """The same for a single measure, in half the time: nothing is counted."""
    both = (residuals[:, 0] + 1j * sizes[:, 0]).take(cells).sum(axis=1)
    return np.asarray(both.real / both.imag)[:, None]


def _bias(means: Floats, spread: Floats) -> Floats:
    """The normal quantile of the share of resampled means below the mean; ties count half.

    Coarse data (a success rate) ties often, and rounding must not decide on which side a tie
    falls. The share stays clear of 0 and 1: even with a single outlier among the clusters, about
    a quarter of the resamples draw it twice or more, and a third not at all.
    """
    tie = 1e-9 * spread
    share = ((means < -tie).mean(axis=0) + (means <= tie).mean(axis=0)) / 2
    return np.asarray(_normal_quantile(share))


def _acceleration(residuals: Floats, sizes: Floats) -> Floats:
    """How fast the standard error changes with the mean: the skewness of the jackknife over 6."""
    left_out = -residuals / (sizes.sum(axis=0) - sizes)
    pull = left_out.mean(axis=0) - left_out
    return np.asarray((pull**3).sum(axis=0) / (6 * (pull**2).sum(axis=0) ** 1.5))


def _at(ordered: Floats, quantiles: Floats) -> Floats:
    """Quantiles of ordered numbers, interpolated linearly."""
    place = quantiles * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    return np.asarray(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
