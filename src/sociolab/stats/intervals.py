"""A mean with its 95 % interval, clustered by what the values have in common.

Plays of one scenario are more alike than plays of two, so scenarios (or sessions, or tasks), not
plays, are the independent units. The estimand is the mean over all values: each play counts the
same. It is the sum of all values over their number, hence a ratio of two sums over clusters, and a
cluster with more values weighs more; with equal clusters it is the mean of the cluster means.

The interval is Student's t on the error of that mean, widened on the side of the longer tail. With
w_g = n_g / N the weight of cluster g, e_g its mean less the mean, and c_g = w_g^2 / (1 - w_g):

    error^2 = sum of c_g e_g^2
    freedom = 1 / (sum of w_g^2 + (sum of c_g)^2 - sum of c_g^2)

This is CR2 with Satterthwaite's degrees of freedom (Bell and McCaffrey, Survey Methodology 28,
2002, 169-181; Imbens and Kolesar, Rev. Econ. Stat. 98, 2016, 701-712), unbiased and of the right
spread where plays are independent, and nearly so where they are not. A few large clusters among
small ones count as few. With G equal clusters it is the error of a regression on a constant that is
robust to clusters (Liang and Zeger 1986), with G - 1 degrees of freedom. Scores near the top of
their scale are skewed: the mean of a few clusters misses their rare low ones, and t then lies too
high. Johnson (J. Am. Stat. Assoc. 73, 1978, 536-544) corrects that by a shift of

    error * skewness / (6 * sqrt(G)) * (1 + 2 t^2)

towards the longer tail, with the skewness of the clusters' sums of (value - mean), adjusted for
small samples. Shifting both ends takes away as much coverage as it adds where the skewness is
estimated from 10 clusters, so that only the end towards the longer tail moves, by `WIDENING` times
the shift. Below `SKEW_FROM` clusters the skewness says little, and there is no shift.

On a scale (`on_scale`) more is known. Student's interval is cut at its ends: the true mean lies
between them, so that this takes away nothing that could be true. Where every value lies at one end
or the other (success, a rule broken) the mean is a rate p, and has a rate's interval: Clopper and
Pearson's for the effective number of plays p (1 - p) / error^2, adjusted for the degrees of freedom
and at most the number of plays (Korn and Graubard, Survey Methodology 24, 1998, 193-201).

Where most clusters crowd at one end of the scale, scatter says little of what is rare: were all at
the top there would be none, and one score less would then seem to tell more than none did. There
the interval is that of Gaffke (Communications in Statistics 34, 2005, 2097-2113; Learned-Miller and
Thomas, arXiv 1905.06208): the mean of the clusters and of a pseudo-cluster at the end that the
limit looks to, weighted at random by the Dirichlet distribution, has 2.5 % of its distribution
beyond the limit. All clusters weigh 1 (the Bayesian bootstrap: Rubin, Annals of Statistics 9, 1981,
130-134), times their size. The pseudo-cluster weighs 1 on a scale from 0 to 1, where clusters may
all be 0 or 1 (of single plays it is Clopper and Pearson's interval, of clusters that are all alike
the "rule of three", Hanley and Lippman-Hand, JAMA 249, 1983, 1743-1745), and on other scales
`PSEUDO`: the least that by simulation keeps both ends at 2.5 % for rare costs. A worse score never
moves a limit of it up.

How far clusters crowd at an end is the share of those that lie at it, where those near it count,
too: at a distance d by 1 - d / (half the mean distance of all), and from there on by 0. From
`CROWDED` on the interval is Gaffke's, up to `SPREAD` Student's or a rate's, and between them its
limits move from one to the other in proportion. So limits are continuous in the scores: no score,
however little it changes, makes an interval jump. That worse scores never move a limit up, wherever
clusters lie, cannot be had with the width of Student's t in the middle of a scale and coverage at
its ends (decisions/analysis.md).

benchmarks/coverage.py holds it against other intervals by simulation, on the shapes that `WIDENING`
was found on and on others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Floats: TypeAlias = NDArray[np.float64]
Counts: TypeAlias = NDArray[np.intp]

LEVEL = 0.95
"""How often an interval holds what it is of: the same for all of them."""

Method: TypeAlias = Literal["t", "rate", "end", "crossed", "model", "bootstrap", "none"]
"""Student's t; Korn and Graubard's; of clusters that crowd at one end of a scale; of
people's scores, t clustered by rater too (`stats.crossed_raters`), or t in a model with raters
(`stats.adjusted_means`); over dialogues (`stats.beside`); no interval."""

NO_VARIATION = "no variation between clusters"
ALL_AT_ONE_END = "all clusters lie at one end of the scale"
TRUNCATED_NOTE = "cut at the end of the scale"


def sure_from(looks: int = 1) -> int:
    """Clusters that all come out alike from which this is no accident: were either side of it as
    likely, all would lie on one with less than the chance that one end of an interval may miss."""
    return math.ceil(math.log2(2 * looks / (1 - LEVEL)))


SKEW_FROM = 8
"""With fewer clusters than this their skewness says little."""

WIDENING = 1.1
"""How far the end towards the longer tail moves, in Johnson's shifts: found by simulation."""

PSEUDO, PSEUDO_FROM = 0.4, 5
"""What the pseudo-cluster at the other end of a scale weighs, in clusters, and from how many on: it
weighs 1 among fewer."""

SPREAD, CROWDED = 1 / 3, 0.5
"""The share of clusters at or near one end of a scale (module docstring) up to which Student's
interval stands, and from which on Gaffke's."""

_STEP = 0.1
_SPAN = np.exp(np.arange(-30, 30, _STEP))
"""Where the transform of a weighted sum is evaluated: it is smooth in their logarithm."""

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
    the data cannot give: 90 scenarios without a broken rule do not show that rules never break
    (`on_scale` tells what they do show). A note beside an interval says that it was cut, or rests
    on clusters that are all alike. `error` is the standard error of the mean and `freedom` its
    degrees of freedom, None without scatter; `two` are the two numbers that all values are, if two;
    `by_cluster` are the clusters' sums and numbers of values, of a plain mean.
    """

    value: float | None
    n: int
    clusters: int
    low: float | None
    high: float | None
    method: Method
    level: float = LEVEL
    note: str = ""
    error: float | None = field(default=None, compare=False)
    freedom: float | None = field(default=None, compare=False)
    two: tuple[float, float] | None = field(default=None, compare=False)
    by_cluster: tuple[Floats, Floats] | None = field(default=None, compare=False, repr=False)

    @property
    def units(self) -> int:
        """The number of independent units: the clusters, or fewer in subclasses."""
        return self.clusters


def mean(values: Sequence[float | None], clusters: Sequence[str]) -> Estimate:
    """The mean of all values with its 95 % interval, clustered; `clusters[i]` is that of
    `values[i]`.

    Each value counts the same. The interval is Student's t with a cluster-robust error (CR2, Bell
    and McCaffrey 2002), widened on the side of the longer tail; see the module. None marks a
    missing value, which counts neither in `n` nor in `clusters`. Without values the mean is None;
    with one cluster, or without variation between clusters, there is no interval, and `note` says
    why. ValueError for lengths that differ and a value that is not finite.

    >>> from sociolab.stats import mean
    >>> scores = mean([4, 6, None, 8, 5], ["a", "a", "b", "b", "c"])
    >>> scores.value, scores.n, scores.clusters, scores.method
    (5.75, 4, 3, 't')
    >>> round(scores.low, 2), round(scores.high, 2)
    (1.6, 9.9)
    >>> mean([5, 5], ["a", "a"]).note
    '1 cluster'
    """
    return means({"values": values}, clusters)["values"]


def means(
    columns: Mapping[str, Sequence[float | None]], clusters: Sequence[str]
) -> dict[str, Estimate]:
    """`mean` of each column, for several metrics of the same episodes."""
    index = number_clusters(clusters)
    return {name: _estimate(_sums(name, values, index)) for name, values in columns.items()}


@dataclass(frozen=True, slots=True)
class _Sums:
    """A column added up by cluster: its mean, and each cluster's deviations from it."""

    mean: float | None
    residuals: Floats
    sizes: Floats
    problem: str
    two: tuple[float, float] | None = None

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
    valued = np.array([value for value in values if value is not None], dtype=np.float64)
    if not np.isfinite(valued).all():
        raise ValueError(f"{name}: values are finite numbers, or None where missing; found nan/inf")
    if not len(valued):
        return _Sums(None, valued, valued, "no values")
    where = index[present]
    counts = np.bincount(where)
    centre = math.fsum(valued) / len(valued)
    added = np.bincount(where, weights=valued - centre)
    residuals = np.asarray(added[counts > 0], dtype=np.float64)
    sizes = np.asarray(counts[counts > 0], dtype=np.float64)
    ends = float(valued.min()), float(valued.max())
    two = ends if np.isin(valued, ends).all() else None
    return _Sums(centre, residuals, sizes, _problem(valued, residuals, sizes), two)


def _problem(values: Floats, residuals: Floats, sizes: Floats) -> str:
    """Why there can be no interval; "" where there can."""
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
    if value is None:
        return Estimate(value, n, clusters, None, None, "none", note=column.problem)
    sums = column.residuals + value * column.sizes, column.sizes
    if column.problem:
        return Estimate(
            value, n, clusters, None, None, "none", note=column.problem, by_cluster=sums
        )
    error, freedom = mean_error(column.residuals, column.sizes)
    low, high = (value + end for end in skewed_limits(column.residuals, error, freedom))
    return Estimate(
        value, n, clusters, low, high, "t",
        error=error, freedom=freedom, two=column.two, by_cluster=sums,
    )  # fmt: skip


def mean_error(residuals: Floats, sizes: Floats) -> tuple[float, float]:
    """The standard error of a mean, and its degrees of freedom (module docstring), from each
    cluster's sum of (value - mean) and number of values."""
    weights = sizes / sizes.sum()
    c = weights**2 / (1 - weights)
    error = math.sqrt(float(c @ (residuals / sizes) ** 2))
    return error, max(1.0, 1 / float((weights**2).sum() + c.sum() ** 2 - (c**2).sum()))


def on_scale(
    estimate: Estimate, low: float, high: float, tail: float = (1 - LEVEL) / 2
) -> Estimate:
    """The same estimate, given that all values lie between `low` and `high`; each end of its
    interval misses the mean with a chance of `tail`.

    If the clusters crowd at one end, the interval reaches as far as they leave open. Otherwise, if
    all values are at the ends, it is a rate, and gets a rate's interval (Korn and Graubard 1998);
    else the interval is truncated at the ends, and `note` says so, as it does where all clusters
    are at one end. Between crowded and not, the limits lie between the two.

    >>> from sociolab.stats import mean, on_scale
    >>> kept = mean([1, 1, 1, 1], ["a", "b", "c", "d"])  # all secrets kept, in 4 scenarios
    >>> kept.low, round(on_scale(kept, 0, 1).low, 2)
    (None, 0.4)
    """
    if estimate.by_cluster is None:
        limits = _limits_at_end(estimate, low, high, tail)
        if limits is None:
            return _within(estimate, low, high, tail)
        return replace(estimate, low=limits[0], high=limits[1], method="end", note=ALL_AT_ONE_END)
    sums, sizes = estimate.by_cluster
    means = sums / sizes
    usual = _within(_at_level(estimate, tail), low, high, tail)
    crowded = max(_crowding(means - low, high - low), _crowding(high - means, high - low))
    if crowded <= SPREAD or len(sizes) < 2:
        return usual
    is_share, few = high == 1 and low in (0, -1), len(sizes) < PSEUDO_FROM
    weight = 1.0 if is_share or few else PSEUDO
    below = max(low, _lower_limit(means, sizes, low, weight, tail))
    above = min(high, -_lower_limit(-means, sizes, -high, weight, tail))
    if crowded < CROWDED and usual.low is not None and usual.high is not None:
        part = (crowded - SPREAD) / (CROWDED - SPREAD)
        below = usual.low + part * (below - usual.low)
        above = usual.high + part * (above - usual.high)
    note = ALL_AT_ONE_END if estimate.value in (low, high) else ""
    return replace(estimate, low=below, high=above, method="end", note=note)


def _at_level(estimate: Estimate, tail: float) -> Estimate:
    """A mean with Student's interval, each end of which misses it with a chance of `tail`."""
    if estimate.by_cluster is None or not estimate.error or estimate.freedom is None:
        return estimate
    value, (sums, sizes) = estimate.value or 0.0, estimate.by_cluster
    by = t_quantile(1 - tail, estimate.freedom) / t_critical(estimate.freedom)
    below, above = skewed_limits(sums - value * sizes, estimate.error, estimate.freedom)
    return replace(estimate, low=value + by * below, high=value + by * above)


def _crowding(distances: Floats, width: float) -> float:
    """The share of clusters at an end of a scale of this width, or near it, from their distances; 0
    where the scale has no such end."""
    centre = float(distances.mean())
    if not math.isfinite(width):
        return 0.0
    if centre <= 1e-9 * width:
        return 1.0
    return float(np.maximum(0.0, 1 - distances / (centre / 2)).mean())


def _within(estimate: Estimate, low: float, high: float, tail: float) -> Estimate:
    """A rate's interval, or Student's truncated at the ends of the scale."""
    value, least, most = estimate.value, estimate.low, estimate.high
    if value is None or least is None or most is None:
        return estimate
    if estimate.two == (low, high) and estimate.error and estimate.freedom:
        share, error = (value - low) / (high - low), estimate.error / (high - low)
        ends = _rate(share, estimate.n, error, estimate.freedom, tail)
        least, most = (low + (high - low) * end for end in ends)
        return replace(estimate, low=least, high=most, method="rate")
    if low <= least and most <= high:
        return estimate
    return replace(estimate, low=max(low, least), high=min(high, most), note=TRUNCATED_NOTE)


def _limits_at_end(
    estimate: Estimate, low: float, high: float, tail: float
) -> tuple[float, float] | None:
    """Limits of a mean of which no more is known than that all clusters, or raters, are alike at
    one end of the scale; else None."""
    if estimate.note not in (NO_VARIATION, ALL_AT_ONE_END) or estimate.value not in (low, high):
        return None
    reach = (high - low) * math.pow(tail, 1 / estimate.units)
    return (low + reach, high) if estimate.value == high else (low, high - reach)


def _lower_limit(means: Floats, sizes: Floats, end: float, weight: float, tail: float) -> float:
    """The point below which the mean of these clusters and of a pseudo-cluster of `weight` and mean
    size at the lower `end`, weighted by a Dirichlet distribution, lies with a chance of `tail`.

    The mean lies above m where the sum of (mean - m) * size, each times a gamma variable, is
    positive: the chance of that by Imhof (Biometrika 48, 1961, 419-426).
    """
    from scipy.optimize import brentq

    if means.max() <= end:
        return end
    kinds, counts = np.unique(np.stack([means, sizes]), axis=1, return_counts=True)
    places, many = np.append(kinds[0], end), np.append(kinds[1], sizes.mean())
    shapes = np.append(counts, weight)

    def chance_above(point: float) -> float:
        slopes = many * (places - point)
        centre, spread = float(shapes @ slopes), math.sqrt(float(shapes @ slopes**2))
        if abs(centre) > 12 * spread:  # where the integrand turns too fast, and chances are 0 or 1
            return float(centre > 0)
        angles = np.outer(slopes / np.abs(slopes).max(), _SPAN)
        turn, decay = shapes @ np.arctan(angles), shapes @ np.log1p(angles**2) / 2
        return 0.5 + _STEP / math.pi * float(np.sin(turn) @ np.exp(-decay))

    width = float(means.max()) - end
    below, above = end + 1e-9 * width, end + (1 - 1e-9) * width
    return float(brentq(lambda x: chance_above(x) - 1 + tail, below, above, xtol=1e-8 * width))


def _rate(share: float, n: int, error: float, freedom: float, tail: float) -> tuple[float, float]:
    """Korn and Graubard's limits of a share, neither 0 nor 1, of n plays."""
    from scipy.special import betaincinv

    effective = share * (1 - share) / error**2
    effective = min(n, effective * (t_critical(n - 1) / t_critical(freedom)) ** 2)
    hits, misses = share * effective, (1 - share) * effective
    return (
        float(betaincinv(hits, misses + 1, tail)),
        float(betaincinv(hits + 1, misses, 1 - tail)),
    )


def as_record(result: DataclassInstance) -> dict[str, Any]:
    """`dataclasses.asdict` of what holds estimates, without the sums that they are made of."""
    return asdict(result, dict_factory=lambda items: dict(i for i in items if i[0] != "by_cluster"))


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
        return self.sums / self.sizes


def group_by_cluster(values: Sequence[float], clusters: Sequence[str]) -> Groups:
    """The values by cluster; `clusters[i]` holds `values[i]`. ValueError as in `finite`."""
    array = finite(values, clusters)
    index = number_clusters(clusters)
    sizes = np.bincount(index).astype(np.float64)
    sums = np.bincount(index, weights=array).astype(np.float64)  # integers where nothing is given
    deviations = array - (sums / sizes)[index]
    return Groups(sums, sizes, float((deviations**2).sum()))


def number_clusters(clusters: Sequence[str]) -> NDArray[np.intp]:
    """The number of each value's cluster: its place among the sorted names, from 0."""
    number = {name: i for i, name in enumerate(sorted(set(clusters)))}
    return np.array([number[name] for name in clusters], dtype=np.intp)


def finite(values: Sequence[float], clusters: Sequence[str]) -> Floats:
    """The values as an array; ValueError for lengths that differ and for nan or inf."""
    if len(values) != len(clusters):
        raise ValueError(
            f"each value needs its cluster, found {len(values)} values and {len(clusters)} clusters"
        )
    array = np.array(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("values are finite numbers, found nan or inf")
    return array


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
    estimate: float, left_out: Sequence[float | None]
) -> tuple[tuple[float, float] | None, str]:
    """The limits of `estimate`, or None and why there are none.

    `left_out` is what it is without each of G clusters, None where it is not defined. The limits
    are `estimate` +- t(G - 1) * sqrt((G - 1) / G * sum of (left out - their mean)^2).
    """
    groups = len(left_out)
    if groups < 2:
        return None, "1 cluster"
    defined = [value for value in left_out if value is not None]
    if len(defined) < groups:
        return None, "undefined without one of the clusters"
    array = np.array(defined)
    error = math.sqrt((groups - 1) / groups * float(((array - array.mean()) ** 2).sum()))
    half = t_critical(groups - 1) * error
    if 2 * half < _NO_WIDTH:
        return None, NO_VARIATION
    return (estimate - half, estimate + half), ""


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
        inside = (cluster >= first) & (cluster < first + wide)
        cells = row[inside] * wide + cluster[inside] - first
        yield np.bincount(cells, minlength=rows * wide).reshape(-1, wide)
