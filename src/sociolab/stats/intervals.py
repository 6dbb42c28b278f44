"""A mean with its 95 % interval, clustered by what the values have in common.

Plays of one scenario are more alike than plays of two, so scenarios (or sessions, or tasks), not
plays, are the independent units. The estimand is the mean over all values: each play counts the
same. It is the sum of all values over their number, hence a ratio of two sums over clusters, and a
cluster with more values weighs more; with equal clusters it is the mean of the cluster means.

The interval is Student's t with G - 1 degrees of freedom on the linearised standard error of that
ratio, widened on the side of the longer tail. With d_g = the sum in cluster g of (value - mean),
over N values:

    se = sqrt(G / (G - 1) * sum of d_g^2) / N

the cluster-robust error of a regression on a constant (Liang and Zeger 1986). Scores near the top
of their scale are skewed: the mean of a few clusters misses their rare low ones, and t then lies
too high. Johnson (J. Am. Stat. Assoc. 73, 1978, 536-544) corrects that by a shift of

    se * skewness / (6 * sqrt(G)) * (1 + 2 t^2)

towards the longer tail, with the skewness of the d_g (adjusted for small samples). Shifting both
ends takes away as much coverage as it adds where the skewness is estimated from 10 clusters, so
that only the end towards the longer tail moves, by `WIDENING` times the shift. Below `SKEW_FROM`
clusters the skewness says little, and there is no shift. Held against t, Johnson's own
interval, Hall's transformation, Wilson's with a design effect and the BCa bootstrap by simulation
(benchmarks/coverage.py): from 10 clusters up it alone holds the mean in 93 of 100 studies or more
without being 1.3 times as wide as one that knows the distribution. The interval may reach past the
ends of a bounded scale (`on_scale` cuts it there).

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
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.intp]

LEVEL = 0.95
"""How often an interval holds what it is of: the same for all of them."""

NO_VARIATION = "no variation between clusters"
CUT = "cut at the end of the scale"

SKEW_FROM = 8
"""With fewer clusters than this their skewness says little."""

WIDENING = 1.1
"""How far the end towards the longer tail moves, in Johnson's shifts: found by simulation."""

_CELLS_AT_ONCE = 1 << 17
"""Rows times clusters that are left out at once, so that the work space stays small."""

_NO_WIDTH = 1e-9
"""An interval this short is the rounding of one of width 0."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, how much it rests on, and its interval where one can be computed.

    `value` is None where nothing was scored. `low` and `high` are both None, `method` is "none"
    and `note` says why where there is no interval: no values, 1 cluster, or no variation between
    clusters. In the last case the formulas give a width of 0, which would claim certainty that
    the data cannot give: 90 scenarios without a broken rule do not show that rules never break.
    (`bound` tells what they do show.) A note beside an interval says that it was cut. Method
    "crossed" is that of people's scores (`stats.crossed`).
    """

    value: float | None
    n: int
    clusters: int
    low: float | None
    high: float | None
    method: Literal["t", "crossed", "none"]
    level: float = LEVEL
    note: str = ""

    @property
    def freedom(self) -> int:
        """The degrees of freedom of its interval."""
        return self.clusters - 1


def mean(values: Sequence[float | None], clusters: Sequence[str]) -> Estimate:
    """The mean over all values with its clustered interval; `clusters[i]` holds `values[i]`.

    None marks a missing value: it counts neither in `n` nor in `clusters`. The order of the values
    does not matter. ValueError for lengths that differ and a value that is not finite.
    """
    return means({"values": values}, clusters)["values"]


def means(
    columns: Mapping[str, Sequence[float | None]], clusters: Sequence[str]
) -> dict[str, Estimate]:
    """What `mean` says of each column, for many measures of the same plays."""
    index = numbered(clusters)
    return {name: _estimate(_sums(name, values, index)) for name, values in columns.items()}


@dataclass(frozen=True, slots=True)
class _Sums:
    """A column added up by cluster: its mean, and each cluster's deviations from it."""

    mean: float | None
    residuals: Floats
    sizes: Floats
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
        return _Sums(None, given, given, "no values")
    where = index[present]
    counts = np.bincount(where)
    centre = math.fsum(given) / len(given)
    added = np.bincount(where, weights=given - centre)
    residuals = np.asarray(added[counts > 0], dtype=np.float64)
    sizes = np.asarray(counts[counts > 0], dtype=np.float64)
    return _Sums(centre, residuals, sizes, _problem(given, residuals, sizes))


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


def skewed_limits(residuals: Floats, error: float, freedom: float) -> tuple[float, float]:
    """Limits relative to an estimate to which each cluster adds a residual: Student's t on its
    error, the end towards the longer tail of the residuals moved out (module docstring)."""
    groups, edge = len(residuals), t_critical(freedom)
    half = edge * error
    if groups < SKEW_FROM:
        return -half, half
    skew = float((residuals**3).mean() / (residuals**2).mean() ** 1.5)
    skew *= math.sqrt(groups * (groups - 1)) / (groups - 2)
    shift = WIDENING * error * skew / (6 * math.sqrt(groups)) * (1 + 2 * edge**2)
    return min(0.0, shift) - half, max(0.0, shift) + half


def _estimate(column: _Sums) -> Estimate:
    value, n, clusters = column.mean, column.n, column.clusters
    if value is None or column.problem:
        return Estimate(value, n, clusters, None, None, "none", note=column.problem)
    squares = float((column.residuals**2).sum())
    error = math.sqrt(clusters / (clusters - 1) * squares) / n
    below, above = skewed_limits(column.residuals, error, clusters - 1)
    return Estimate(value, n, clusters, value + below, value + above, "t")


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


def t_quantile(p: float, freedom: float) -> float:
    """The p-quantile (0.5 < p < 1) of Student's t with at least 1 degree of freedom.

    ValueError for p outside (0.5, 1) and less than 1 degree of freedom.
    """
    if not 0.5 < p < 1 or freedom < 1:
        raise ValueError(f"expected 0.5 < p < 1 and freedom >= 1, found p {p}, freedom {freedom}")
    from scipy.special import stdtrit

    return float(stdtrit(freedom, p))


def t_critical(freedom: float) -> float:
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
