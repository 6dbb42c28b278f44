"""Paired comparison of two agents on each metric: difference, tests, effect sizes, power.

Values are matched by key (`match_pairs`), and whole clusters are the units throughout. Holm's
correction is over all metrics that can be tested. Where no cluster differs, every flip gives the
same sum, so that p is 1 whatever there is to find: a test that cannot reject can raise no false
alarm, and to correct the others for it would only hide differences (Tarone, Biometrics 46, 1990,
515-522).

What a design could show, and what would settle a difference (`stats.power`), is told for the level
.05 / m over the m metrics tested: Holm's correction asks that of the smallest p, and accepts it of
any other, whatever the other metrics come to. One that is tested before the others has .05 to
itself, and they share .05 if it is significant.

p is by flipping the signs of whole clusters (`sign_flip`). If the two agents were the same,
swapping their names in all plays of a cluster would change nothing but the sign of the cluster's
summed difference. The cluster is the unit that is exchanged, because plays within it are not
independent. The statistic is the size of the sum of all differences, hence of their mean; p is the
share of the ways to flip that reach the observed one, which itself counts, and so do ties
(two-sided). Source: Fisher, The Design of Experiments (1935), section 21. All ways are counted: one
by one up to `MOST_ENUMERATED` clusters that differ, and by Fourier transform (Pagano and Tritchler,
J. Am. Stat. Assoc. 78, 1983, 435-440) above. Sums that share a unit, as those of whole scores or
their means do, are counted as they are; others are first rounded to 2^16 steps over 24 standard
deviations. The rounded sums flip as the sums do, so that such a test is as valid, and p differs by
at most 2 % up to 10,000 clusters. It is ours since `scipy.stats.permutation_test` draws flips at
random above a few clusters, and has no place for the rounding of sums of differences, by which
clusters that cancel on paper do not.

Both standardised differences of `EffectSize` describe single pairs: their standard deviations are
taken over pairs, whatever cluster they are in, with n - 1. They carry no interval; the plain
difference does. Averages over the plays of a scenario scatter less than plays do, so a d of such
averages, which other reports give, is larger than these.

Student's paired t-test (`paired_t`), as SOTOPIA compares GPT-4 with people (arXiv 2310.11667,
section 7, Table 3), takes plays as independent, which plays of one scenario are not: p comes out
too small where they are alike. It stands beside so that it can be held against published tests.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import itemgetter
from statistics import fmean, variance
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import (
    Estimate,
    Floats,
    finite,
    group_by_cluster,
    means,
    number_clusters,
    t_quantile,
    two_sided_p,
)
from sociolab.stats.power import ALPHA, Design, Needed, describe_design, needed_sample

_Test = TypeVar("_Test", bound=Hashable)

_ROUNDING = 1e-11
"""A difference this small, relative to the values, is rounding."""

MOST_ENUMERATED = 16
"""With so many clusters that differ at all, each of the 2^15 distinct flips is tried."""

_GRID = 1 << 16
"""With more, the most values that a flipped sum is told apart by."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric: a minus b over matched pairs.

    `only_a` and `only_b` count the rows of each side that found no match. The two means are over
    the pairs, so that their difference is `difference.value`; None without pairs. `p` is by
    flipping whole clusters, `holm_p` the same corrected for all metrics that could be tested; None
    for one that could not. `design` says which true difference these pairs could have shown,
    `settles` what it would take to show one as large as that observed. `t_test` is the paired one
    that takes plays as independent.
    """

    only_a: int
    only_b: int
    mean_a: float | None
    mean_b: float | None
    difference: Estimate
    permutation: SignFlip
    holm_p: float | None
    effect: EffectSize
    design: Design
    settles: Needed
    t_test: TTest

    @property
    def pairs(self) -> int:
        return self.difference.n

    @property
    def clusters(self) -> int:
        return self.difference.clusters

    @property
    def at_most(self) -> float | None:
        """How far apart the two are at most: the smallest margin d at which two one-sided t-tests
        at 5 % reject both -d and d (TOST; Lakens, Soc. Psychol. Personal. Sci. 8, 2017, 355-362).
        None without an error."""
        difference = self.difference
        if difference.value is None or difference.error is None or difference.freedom is None:
            return None
        return abs(difference.value) + t_quantile(0.95, difference.freedom) * difference.error

    @property
    def p(self) -> float | None:
        return self.permutation.p


def compare(
    metrics: Mapping[str, tuple[Sequence[KeyedValue], Sequence[KeyedValue]]],
    looks: int = 1,
    first: str | None = None,
) -> dict[str, Comparison]:
    """Compare agent a with agent b on each metric, given the rows of both; rows are paired by key.

    The difference is a - b, with a 95 % interval clustered by `cluster`; p is by sign flips of
    whole clusters (`sign_flip`), and `holm_p` is corrected over the metrics, of which one may be
    tested `first` (`holm`), and for the number of `looks` at the same comparison. A metric without
    pairs has None figures, and notes. Keys and clusters mean the same in all metrics; the order of
    rows does not matter.

    ValueError as in `match_pairs`, for a key in different clusters in two metrics, and for values
    that are not finite.

    >>> from sociolab.stats import KeyedValue, compare
    >>> def rows(*values):
    ...     return [KeyedValue((task, "ann"), task, value) for task, value in zip("tuvwxy", values)]
    >>> a, b = rows(8, 6, 7, 9, 7, 8), rows(5, 5, 6, 6, 5, 6)
    >>> goal = compare({"goal": (a, b)})["goal"]
    >>> goal.pairs, goal.clusters, goal.difference.value, goal.permutation.p
    (6, 6, 2.0, 0.03125)
    """
    pairs = {name: match_pairs(a, b) for name, (a, b) in metrics.items()}
    keys = {name: _keys(a, b) for name, (a, b) in metrics.items()}
    gaps = {name: _gaps(matched) for name, matched in pairs.items()}
    home = _locate_keys(keys, pairs)
    by_key = {name: dict(zip(keys[name], gaps[name], strict=True)) for name in pairs}
    columns = {name: [column.get(key) for key in home] for name, column in by_key.items()}
    clusters = list(home.values())
    differences = means(columns, clusters)
    flipped = sign_flip(columns, clusters)
    ps = {name: test.testable for name, test in flipped.items()}
    corrected, levels = holm(ps, looks, first), holm_levels(ps, looks, first)
    return {
        name: _comparison(
            matched,
            gaps[name],
            differences[name],
            flipped[name],
            corrected[name],
            levels[name],
        )
        for name, matched in pairs.items()
    }


def _comparison(
    pairs: MatchedValues,
    gaps: list[float],
    difference: Estimate,
    flipped: SignFlip,
    holm_p: float | None,
    alpha: float,
) -> Comparison:
    return Comparison(
        only_a=pairs.only_a,
        only_b=pairs.only_b,
        mean_a=_mean(pairs.a),
        mean_b=_mean(pairs.b),
        difference=difference,
        permutation=flipped,
        holm_p=holm_p,
        effect=effect_size(pairs.a, pairs.b, pairs.clusters),
        design=describe_design(gaps, pairs.clusters, alpha),
        settles=needed_sample(gaps, pairs.clusters, difference.value or 0.0, alpha),
        t_test=paired_t(pairs.a, pairs.b),
    )


def _keys(a: Sequence[KeyedValue], b: Sequence[KeyedValue]) -> list[Hashable]:
    """The keys of the pairs, in the order of `match_pairs`: that of the first side."""
    keys_b = {row.key for row in b}
    return [row.key for row in a if row.key in keys_b]


def _gaps(pairs: MatchedValues) -> list[float]:
    """a - b; sides that are equal but for rounding do not differ."""
    return [
        0.0 if abs(x - y) <= _ROUNDING * max(abs(x), abs(y)) else x - y
        for x, y in zip(pairs.a, pairs.b, strict=True)
    ]


def _locate_keys(
    keys: Mapping[str, Sequence[Hashable]], pairs: Mapping[str, MatchedValues]
) -> dict[Hashable, str]:
    """The cluster of each key of any metric; ValueError for a key in two."""
    home: dict[Hashable, str] = {}
    for name, matched in pairs.items():
        for key, cluster in zip(keys[name], matched.clusters, strict=True):
            if home.setdefault(key, cluster) != cluster:
                raise ValueError(
                    f"{name}: a key belongs to one cluster in all metrics, "
                    f"found {key!r} in {home[key]!r} and {cluster!r}"
                )
    return home


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


class KeyedValue(NamedTuple):
    """One value: the key that it shares with its counterpart (task, seat, repeat), its cluster."""

    key: Hashable
    cluster: str
    value: float


@dataclass(frozen=True, slots=True)
class MatchedValues:
    """Matched values, position by position, and how many rows of each side found no match."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    clusters: tuple[str, ...]
    only_a: int
    only_b: int


def match_pairs(rows_a: Sequence[KeyedValue], rows_b: Sequence[KeyedValue]) -> MatchedValues:
    """Pair the rows of two sides that have the same key, in the order of the first side.

    `only_a` and `only_b` count the rows without a counterpart; leave out a row that was never
    scored. ValueError where a key occurs twice on one side (a key without the repeat would lose
    rows silently), and where the two rows of a pair are in different clusters.

    >>> from sociolab.stats import KeyedValue, match_pairs
    >>> a = [KeyedValue("task-1", "s", 8), KeyedValue("task-2", "s", 6)]
    >>> b = [KeyedValue("task-2", "s", 5), KeyedValue("task-3", "s", 9)]
    >>> matched = match_pairs(a, b)
    >>> matched.a, matched.b, matched.only_a, matched.only_b
    ((6,), (5,), 1, 1)
    """
    by_key_a, by_key_b = _by_key(rows_a), _by_key(rows_b)
    matched = [(row, by_key_b[key]) for key, row in by_key_a.items() if key in by_key_b]
    for row_a, row_b in matched:
        if row_a.cluster != row_b.cluster:
            raise ValueError(
                f"both rows of {row_a.key!r} belong to one cluster, "
                f"found {row_a.cluster!r} and {row_b.cluster!r}"
            )
    return MatchedValues(
        a=tuple(row.value for row, _ in matched),
        b=tuple(row.value for _, row in matched),
        clusters=tuple(row.cluster for row, _ in matched),
        only_a=len(by_key_a) - len(matched),
        only_b=len(by_key_b) - len(matched),
    )


def _by_key(rows: Sequence[KeyedValue]) -> dict[Hashable, KeyedValue]:
    by_key: dict[Hashable, KeyedValue] = {}
    for row in rows:
        if row.key in by_key:
            raise ValueError(f"each key occurs once on each side, found {row.key!r} twice")
        by_key[row.key] = row
    return by_key


@dataclass(frozen=True, slots=True)
class EffectSize:
    """The plain difference, two standardised ones, and in how many clusters a is better.

    `difference` is the mean of a - b over pairs. `d_z` divides it by the standard deviation of
    the differences (how reliably a pair shows it). `d_av` divides it by the root of the mean of
    the two sides' variances (how large it is beside the scatter of scores; Cumming,
    Understanding the New Statistics, 2012, chapter 11; others divide by the mean of the two
    standard deviations, which is nearly the same). None without pairs, with 1 pair, or where the
    divisor is 0. `better`, `equal` and `worse` count clusters by the sign of their mean
    difference; higher is taken as better.
    """

    difference: float | None
    d_z: float | None
    d_av: float | None
    better: int
    equal: int
    worse: int

    @property
    def superiority(self) -> float | None:
        """The share of clusters where a is better, equal ones half; 0-1, None without clusters."""
        clusters = self.better + self.equal + self.worse
        return (self.better + self.equal / 2) / clusters if clusters else None


def effect_size(a: Sequence[float], b: Sequence[float], clusters: Sequence[str]) -> EffectSize:
    """The size of a difference over pairs: `a[i]` and `b[i]` are a pair, in `clusters[i]`.

    In the units of the metric, and standardised (d_z, d_av; None without variation); `better`,
    `equal` and `worse` count clusters. ValueError for lengths that differ and values that are not
    finite.

    >>> from sociolab.stats import effect_size
    >>> effect = effect_size([8, 6, 7, 5], [5, 5, 6, 6], ["t", "u", "v", "w"])
    >>> effect.difference, effect.better, effect.worse, effect.superiority
    (1.0, 3, 1, 0.75)
    """
    values_a, values_b = finite(a, clusters), finite(b, clusters)
    if not len(values_a):
        return EffectSize(None, None, None, 0, 0, 0)
    gaps = values_a - values_b
    rounding = _ROUNDING * float(np.abs([values_a, values_b]).max())
    difference = math.fsum(gaps) / len(gaps)
    average = math.sqrt((_variance(values_a) + _variance(values_b)) / 2)
    means = group_by_cluster(gaps.tolist(), clusters).means
    return EffectSize(
        difference=difference,
        d_z=_ratio(difference, math.sqrt(_variance(gaps)), rounding),
        d_av=_ratio(difference, average, rounding),
        better=int((means > rounding).sum()),
        equal=int((np.abs(means) <= rounding).sum()),
        worse=int((means < -rounding).sum()),
    )


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else 0.0


def _ratio(difference: float, deviation: float, rounding: float) -> float | None:
    return difference / deviation if deviation > rounding else None


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p in (0, 1], or None where there are no pairs.

    `clusters` counts those with pairs; `differing` those whose differences do not cancel to 0.
    `smallest` is the least p that `differing` clusters allow, 2^(1 - differing). `note` says where
    that exceeds 0.05: then no data of this kind could have come out significant, and a large p says
    nothing. `exact` is False for a p that is not by counting flips.
    """

    p: float | None
    clusters: int
    differing: int
    smallest: float | None
    exact: bool
    note: str = ""

    @property
    def testable(self) -> float | None:
        """p; None where no cluster differs, since no such test could reject."""
        return self.p if self.differing else None


def sign_flip(
    columns: Mapping[str, Sequence[float | None]],
    clusters: Sequence[str],
) -> dict[str, SignFlip]:
    """The two-sided p of each column of paired differences, by flipping the signs of whole
    clusters.

    `clusters[i]` is the cluster of position i in every column; None marks a pair that a column does
    not have. Every way to flip is counted. p is None without pairs, and 1 where no cluster differs.
    `smallest` is the least p that so few clusters allow. A column's p depends neither on other
    columns nor on the order of rows.

    ValueError for lengths that differ and values that are not finite. Source: Fisher, The Design of
    Experiments (1935), section 21.

    >>> from sociolab.stats import sign_flip
    >>> test = sign_flip({"goal": [3, 1, 1, 3, 2, 1]}, ["t", "u", "v", "w", "x", "y"])["goal"]
    >>> test.p, test.exact, test.clusters
    (0.03125, True, 6)
    """
    index = number_clusters(clusters)
    groups = len(set(clusters))
    sums: dict[str, Floats] = {}
    present: dict[str, int] = {}
    for name, column in columns.items():
        gaps = finite([0.0 if gap is None else gap for gap in column], clusters)
        mask = np.array([gap is not None for gap in column], dtype=bool)
        present[name] = len(np.unique(index[mask]))
        sums[name] = _sums(gaps, index, groups)
    return {name: _flip_result(present[name], sums[name]) for name in columns}


def _sums(gaps: Floats, index: NDArray[np.intp], n: int) -> Floats:
    """Each cluster's summed difference; 0 where it cancels but for rounding."""
    added = np.bincount(index, weights=gaps, minlength=n).astype(np.float64)
    largest = np.abs(gaps).max(initial=0.0)
    return np.where(np.abs(added) <= _ROUNDING * largest, 0.0, added)


def _flip_result(clusters: int, sums: Floats) -> SignFlip:
    if not clusters:
        return SignFlip(None, 0, 0, None, False, "no values")
    differing = int(np.count_nonzero(sums))
    share = _exact_share if differing <= MOST_ENUMERATED else _transformed_share
    p = share(sums[sums != 0])
    smallest = 2.0 ** (1 - max(differing, 1))
    note = ""
    if smallest > 0.05:
        note = f"{differing} of {clusters} clusters differ: p cannot be less than {smallest:.4g}"
    return SignFlip(p, clusters, differing, smallest, True, note)


def _exact_share(sums: Floats) -> float:
    """The share of all ways to flip that reach the sum; by symmetry the first need not flip."""
    if not len(sums):
        return 1.0
    ways = np.arange(1 << (len(sums) - 1))[:, None]
    signs = 1.0 - 2.0 * ((ways >> np.arange(len(sums) - 1)) & 1)
    totals = np.abs(sums[0] + signs @ sums[1:])
    return float((totals >= _reached(sums)).mean())


def _transformed_share(sums: Floats) -> float:
    """`_exact_share` of many clusters: the distribution of the flipped sum from its Fourier
    transform, which is the product of cos(angle * sum) over clusters."""
    largest = float(np.abs(sums).max())
    step = reduce(lambda a, b: _common_step(a, b, 1e-8 * largest), np.abs(sums).tolist())
    # On a grid of `_GRID` steps that spans 24 standard deviations nothing goes around it.
    step = max(step, 24 * float(np.sqrt(sums @ sums)) / _GRID)
    whole = np.rint(sums / step)
    points = int(min(_GRID, 2 * np.abs(whole).sum() + 2))
    angles = 2 * math.pi * np.arange(points // 2 + 1) / points
    transform = np.ones(len(angles))
    for value, times in zip(*np.unique(np.abs(whole), return_counts=True), strict=True):
        transform *= np.cos(value * angles) ** times
    reached = int(abs(whole.sum()))
    tail = float(np.fft.irfft(transform, points)[reached : points - reached + 1].sum())
    return min(1.0, max(tail, 2.0 ** (1 - len(sums))))


def _common_step(a: float, b: float, rounding: float) -> float:
    """The largest number of which both are multiples (Euclid), but for rounding."""
    while b > rounding:
        a, b = b, abs(math.remainder(a, b))
    return a


def _reached(sums: Floats) -> float:
    """What a flipped sum must be in size to count as reaching this one: a tie does."""
    return float(abs(sums.sum()) - 1e-9 * np.abs(sums).max())


def holm(
    ps: Mapping[_Test, float | None], looks: int = 1, first: _Test | None = None
) -> dict[_Test, float | None]:
    """Adjusted p-values; below 0.05 each is significant at a family-wise error rate of 5 %.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none falls below the one
    before, none exceeds 1. Valid however the tests depend on each other. A metric without a p
    (None) stays None and does not count in m. Where the same tests are made at several `looks` as
    data come in, p counts for each of them (Bonferroni). ValueError for a p outside [0, 1].
    Source: Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.

    `first` names a test that is made before the others: it is not corrected for them, and they, by
    Holm among themselves, can be significant only if it is (Westfall and Krishen, Journal of
    Statistical Planning and Inference 99, 2001, 25-40). A first test without a p decides nothing.

    >>> from sociolab.stats import holm
    >>> holm({"goal": 0.01, "secret": 0.04, "financial": None, "overall": 0.03})
    {'goal': 0.03, 'secret': 0.06, 'financial': None, 'overall': 0.06}
    >>> holm({"goal": 0.01, "secret": 0.04, "financial": None, "overall": 0.03}, first="overall")
    {'goal': 0.03, 'secret': 0.04, 'financial': None, 'overall': 0.03}
    """
    for name, p in ps.items():
        if p is not None and not 0 <= p <= 1:
            raise ValueError(f"{name}: a p-value lies between 0 and 1, found {p}")
    adjusted: dict[_Test, float] = {}
    floor = 0.0
    if first is not None and (leading := ps.get(first)) is not None:
        floor = adjusted[first] = min(1.0, leading * looks)
    rest = ((p, name) for name, p in ps.items() if p is not None and name != first)
    ordered = sorted(rest, key=itemgetter(0))
    for place, (p, name) in enumerate(ordered):
        floor = max(floor, min(1.0, (len(ordered) - place) * p * looks))
        adjusted[name] = floor
    return {name: adjusted.get(name) for name in ps}


def holm_levels(
    ps: Mapping[_Test, float | None], looks: int = 1, first: _Test | None = None
) -> dict[_Test, float]:
    """The p below which `holm` accepts each test whatever the others come to, the first apart."""
    rest = sum(p is not None and name != first for name, p in ps.items())
    return {name: ALPHA / looks / (1 if name == first else max(rest, 1)) for name in ps}


@dataclass(frozen=True, slots=True)
class TTest:
    """t, its degrees of freedom and the two-sided p; all None where `note` says why."""

    t: float | None
    freedom: float | None
    p: float | None
    note: str = ""


def paired_t(a: Sequence[float], b: Sequence[float]) -> TTest:
    """Student's paired t-test that the mean of a - b is 0, with n - 1 degrees of freedom.

    `a[i]` and `b[i]` are a pair. It takes pairs as independent, as SOTOPIA does (section 7, Table
    3); `sign_flip` does not. With fewer than 2 pairs, or equal differences, t and p are None, and
    `note` says why. ValueError for lengths that differ and values that are not finite.

    >>> from sociolab.stats import paired_t
    >>> test = paired_t([8, 6, 7, 9], [5, 5, 6, 6])
    >>> round(test.t, 2), test.freedom, round(test.p, 3)
    (3.46, 3.0, 0.041)
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need as many values on both sides, found {len(a)} and {len(b)}")
    if not all(math.isfinite(value) for value in (*a, *b)):
        raise ValueError("values are finite numbers, found nan or inf")
    if len(a) < 2:
        return TTest(None, None, None, "fewer than 2 pairs")
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    error = math.sqrt(variance(gaps) / len(gaps))
    if error <= _ROUNDING * max(abs(value) for value in (*a, *b)):
        return TTest(None, None, None, "no variation between pairs")
    t, freedom = fmean(gaps) / error, len(gaps) - 1
    return TTest(t, float(freedom), two_sided_p(t, freedom))
