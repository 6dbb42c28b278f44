"""Agreement of raters of the same items: shares, kappa (beyond chance) and alpha.

Shares (`pair_columns`). Agreement is measured per item: of all pairs of its ratings, the share that
agree. The mean over items counts each item the same, whatever the number of its raters: Fleiss
(1971) for equal numbers, and its usual generalisation (Gwet, Handbook of Inter-Rater Reliability)
for unequal ones. Items with fewer than two ratings have no pair; they are left out and counted.

Randolph's kappa (2005) takes as chance that each of k categories is as likely: kappa = (A - 1/k) /
(1 - 1/k), with A the agreement in bins. It is a straight line in A, so its interval is that of A
on another scale, and no second figure is free: SOTOPIA's kappa of 0.503 with five bins (appendix D)
means A = 0.602, and its "pairwise agreement" of 0.8485 must be some looser agreement, which the
paper does not define. So three are given here, each by its name: exact, near and binned.

Krippendorff's alpha allows any number of raters, who need not all rate each item. alpha = 1 - D_o /
D_e, with D_o the mean squared distance between two ratings of one item and D_e that between any two
ratings (Krippendorff, Content Analysis, 4th edition, section 12.3; each item's pairs weigh 1 / (its
ratings - 1)). The distance is that of the metric: nominal 0 or 1; interval a - b; ordinal the
number of ratings between the two values, half of those at each end included, which is the
difference of their mean ranks. So interval and ordinal alpha are

    1 - (sum over items of m * s^2 / n) / S^2

with m ratings and the sample variance s^2 in an item, n ratings and their variance S^2 in all (of
ranks, for ordinal); no matrix of coincidences is needed. Do not pool dimensions of unlike ranges:
alpha would count their difference as agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import (
    Counts,
    Estimate,
    Floats,
    counted_by_cluster,
    left_out_interval,
    number_clusters,
)

_ROUNDING = 1e-9
"""Of distances, and of places in widths of a bin: 0.7 / 0.1 < 7."""

NEAR = 1.0
"""Ratings this many points apart, or fewer, agree nearly."""

AlphaMetric: TypeAlias = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A row per item: its ratings in ascending order, then nan up to the longest row.

    `missing` counts what each item's raters owe (None).
    """

    values: Floats
    missing: NDArray[np.intp]

    @property
    def sizes(self) -> NDArray[np.intp]:
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    def select(self, chosen: NDArray[np.bool_]) -> RatingTable:
        return RatingTable(self.values[chosen], self.missing[chosen])

    def means(self) -> Floats:
        """The mean of each item's ratings; nan where there is none."""
        sizes = self.sizes
        sums = np.where(np.isnan(self.values), 0, self.values).sum(axis=1)
        return np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan)

    def squares(self) -> Floats:
        """The sum of squared deviations of each item's ratings from their mean."""
        return np.asarray(np.nansum((self.values - self.means()[:, None]) ** 2, axis=1))

    def pair_shares(self, within: float = 0) -> Floats:
        """Of all pairs of an item's ratings, the share at most `within` apart; nan without one."""
        alike = np.zeros(len(self.values))
        for i, j in combinations(range(self.values.shape[1]), 2):
            alike += np.abs(self.values[:, i] - self.values[:, j]) <= within + _ROUNDING
        sizes = self.sizes
        pairs = sizes * (sizes - 1) // 2
        return np.where(pairs > 0, alike / np.maximum(pairs, 1), np.nan)


def rating_table(items: Sequence[Sequence[float | None]]) -> RatingTable:
    """Ratings as an array, a row for each item, short rows padded with nan; None is a missing
    rating.

    ValueError for a rating that is not finite.

    >>> from sociolab.stats import rating_table
    >>> rating_table([[7, 8, None], [5]]).values
    array([[ 7.,  8.],
           [ 5., nan]])
    """
    ratings = [sorted(value for value in item if value is not None) for item in items]
    longest = max(map(len, ratings), default=0)
    padded = [row + [np.nan] * (longest - len(row)) for row in ratings]
    values = np.array(padded, dtype=np.float64).reshape(len(ratings), longest)
    sizes = np.array([len(row) for row in ratings], dtype=np.intp)
    if int(np.isfinite(values).sum()) != int(sizes.sum()):
        raise ValueError("ratings are finite numbers, or None where missing; found nan/inf")
    missing = np.array([len(item) for item in items], dtype=np.intp) - sizes
    return RatingTable(values, missing)


def stack_tables(tables: Sequence[RatingTable]) -> RatingTable:
    """Concatenate the rows of several tables; short rows are padded with nan."""
    longest = max((table.values.shape[1] for table in tables), default=0)
    wide = [
        np.pad(t.values, ((0, 0), (0, longest - t.values.shape[1])), constant_values=np.nan)
        for t in tables
    ]
    return RatingTable(np.concatenate(wide), np.concatenate([table.missing for table in tables]))


def nan_to_none(values: Floats) -> list[float | None]:
    """A column with None for nan, as `intervals.means` takes it."""
    return [None if value != value else value for value in values.tolist()]


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement of raters over some items; each share from 0 to 1, `n` counts items compared.

    `exact`: same value. `near`: at most one point apart. `binned`: same bin. `kappa`: Randolph's,
    of `binned`, from -1/(k - 1) to 1. `pairs`: pairs of ratings compared. `left_out`: items with
    fewer than two ratings. `missing`: ratings that are None.
    """

    exact: Estimate
    near: Estimate
    binned: Estimate
    kappa: Estimate
    pairs: int
    left_out: int
    missing: int


def pair_columns(table: RatingTable, bins: Bins | Sequence[Bins]) -> dict[str, Floats]:
    """Per item, its shares of pairs that agree: exact, near and binned; nan without a pair."""
    return {
        "exact": table.pair_shares(),
        "near": table.pair_shares(NEAR),
        "binned": replace(table, values=bin_numbers(table.values, bins)).pair_shares(),
    }


def summarize_agreement(
    mean_of: Mapping[str, Estimate], table: RatingTable, categories: int
) -> RaterAgreement:
    """The agreement on these items; `mean_of` holds the means of their `pair_columns`."""
    sizes, binned = table.sizes, mean_of["binned"]
    value, low, high = (
        None if end is None else free_marginal_kappa(end, categories)
        for end in (binned.value, binned.low, binned.high)
    )
    return RaterAgreement(
        exact=mean_of["exact"],
        near=mean_of["near"],
        binned=binned,
        kappa=replace(binned, value=value, low=low, high=high),
        pairs=int((sizes * (sizes - 1) // 2).sum()),
        left_out=int((sizes < 2).sum()),
        missing=int(table.missing.sum()),
    )


def free_marginal_kappa(share: float, categories: int) -> float:
    """Randolph's kappa of a share of agreeing pairs, if each of the `categories` (2 or more) is
    equally likely by chance: 1 is full agreement, 0 chance, and below 0 less than chance.

    >>> from sociolab.stats import free_marginal_kappa
    >>> round(free_marginal_kappa(0.8, 5), 2), free_marginal_kappa(0.2, 5)
    (0.75, 0.0)
    """
    if categories < 2:
        raise ValueError(f"kappa needs at least 2 categories, found {categories}")
    return (share - 1 / categories) / (1 - 1 / categories)


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance gives, below 0 is disagreement.

    `items` counts items with two ratings or more, `ratings` their ratings, `left_out` the other
    items, `missing` ratings that are None. `value` is None with no such item and where all ratings
    are equal (nothing shows that the raters could tell anything apart); `low` and `high` are None
    where there is no interval; `note` says why.
    """

    value: float | None
    items: int
    ratings: int
    clusters: int
    left_out: int
    missing: int
    low: float | None
    high: float | None
    level: float = 0.95
    note: str = ""


def alphas(
    table: RatingTable, clusters: Counts, metrics: Sequence[AlphaMetric]
) -> tuple[Alpha, ...]:
    """Krippendorff's alpha by each metric ("nominal", "ordinal", "interval"); see `Alpha`.

    `clusters` has the number of each item's cluster (`number_clusters`). The 95 % interval leaves
    out one cluster at a time, and is truncated at 1. alpha is None if no item has two ratings, or
    all ratings are equal. Source: Krippendorff, Content Analysis, 4th edition, section 12.3.

    >>> from sociolab.stats import alphas, number_clusters, rating_table
    >>> table = rating_table([[7, 8], [5, 5], [9, 8], [2, 3], [6, 6]])
    >>> (alpha,) = alphas(table, number_clusters(["a", "b", "c", "d", "e"]), ["interval"])
    >>> round(alpha.value, 2), alpha.items, alpha.ratings
    (0.94, 5, 10)
    """
    rated = table.sizes > 1
    kinds = _kinds(table.select(rated).values)
    names, cluster = np.unique(clusters[rated], return_inverse=True)
    out = [_without(kinds, cluster.ravel(), len(names), metric) for metric in metrics]
    return tuple(_record(table, rated, len(names), value, left_out) for value, left_out in out)


def _record(
    table: RatingTable,
    rated: NDArray[np.bool_],
    clusters: int,
    value: float | None,
    left_out: Sequence[float | None],
) -> Alpha:
    ends, note = _interval(value, left_out) if rated.any() else (None, "no values")
    return Alpha(
        value=value,
        items=int(rated.sum()),
        ratings=int(table.sizes[rated].sum()),
        clusters=clusters,
        left_out=int((~rated).sum()),
        missing=int(table.missing.sum()),
        low=ends and ends[0],
        high=ends and ends[1],
        note=note,
    )


def _interval(
    value: float | None, left_out: Sequence[float | None]
) -> tuple[tuple[float, float] | None, str]:
    """The limits, or None and why there are none; `left_out` is alpha without each cluster."""
    if value is None:
        return None, "no variation"
    ends, note = left_out_interval(value, left_out)
    return ends and (ends[0], min(ends[1], 1.0)), note


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Items with the same ratings are counted, not kept apart: little is left to add up.

    `kind` tells which each item is; `sizes` has a row per kind. The ratings of all kinds stand in
    a row: `starts` is where each kind begins, `codes` where each rating stands among the different
    `values`; `order` sorts the ratings by value, `firsts` is where each value begins.
    """

    kind: Counts
    place: Counts
    starts: Counts
    sizes: Floats
    values: Floats
    codes: Counts
    order: Counts
    firsts: Counts


def _kinds(ratings: Floats) -> _Kinds:
    padded = np.where(np.isnan(ratings), np.inf, ratings)  # nan is unequal to itself
    rows, kind = np.unique(padded, axis=0, return_inverse=True)
    rated = np.isfinite(rows)
    sizes = rated.sum(axis=1)
    values, codes = np.unique(rows[rated], return_inverse=True)
    codes = codes.ravel()
    order = np.argsort(codes, kind="stable")
    return _Kinds(
        kind.ravel(),
        np.repeat(np.arange(len(rows)), sizes),
        np.cumsum(sizes) - sizes,
        sizes[:, None].astype(np.float64),
        values[:, None],
        codes,
        order,
        np.flatnonzero(np.diff(codes[order], prepend=-1)),
    )


def _without(
    kinds: _Kinds, cluster: Counts, clusters: int, metric: AlphaMetric
) -> tuple[float | None, list[float | None]]:
    """Alpha of all items, and without each cluster in turn."""
    if not clusters:
        return None, []
    number = len(kinds.sizes)
    times = np.bincount(kinds.kind, minlength=number)[:, None]
    each = counted_by_cluster(kinds.kind, cluster, number, clusters, len(kinds.codes))
    left_out = [alpha for own in each for alpha in _alpha(kinds, times - own, metric)]
    return _alpha(kinds, times, metric)[0], left_out


def _alpha(kinds: _Kinds, times: Counts, metric: AlphaMetric) -> list[float | None]:
    """Alpha of kinds that occur so often, a column each; None where ratings do not vary."""
    counts = np.add.reduceat(times[kinds.place][kinds.order], kinds.firsts, axis=0)
    n = counts.sum(axis=0)
    varied = (counts > 0).sum(axis=0) > 1
    many = np.maximum(n, 2)
    if metric == "nominal":
        within = _unlike(kinds)
        overall = n - (counts.astype(np.float64) ** 2).sum(axis=0) / many
    else:
        scale = kinds.values if metric == "interval" else np.cumsum(counts, axis=0) - counts / 2
        scale = scale - (counts * scale).sum(axis=0) / many
        within = _squares(scale[kinds.codes], kinds)
        overall = (counts * scale**2).sum(axis=0)
    observed = (times * (within * kinds.sizes / (kinds.sizes - 1))).sum(axis=0) / many
    values = 1 - observed / np.where(varied, overall / (many - 1), 1.0)
    return [
        value if fine else None
        for value, fine in zip(values.tolist(), varied.tolist(), strict=True)
    ]


def _squares(ratings: Floats, kinds: _Kinds) -> Floats:
    """Per kind, the sum of squared deviations of its ratings from their mean."""
    means = np.add.reduceat(ratings, kinds.starts, axis=0) / kinds.sizes
    return np.asarray(np.add.reduceat((ratings - means[kinds.place]) ** 2, kinds.starts, axis=0))


def _unlike(kinds: _Kinds) -> Floats:
    """The same for nominal ratings: half the ordered unequal pairs, over the number of ratings."""
    cells = kinds.place * len(kinds.values) + kinds.codes
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    alike = np.bincount(kinds.place[first], weights=counts.astype(np.float64) ** 2)
    return np.asarray(kinds.sizes - alike[:, None] / kinds.sizes)


@dataclass(frozen=True, slots=True)
class Bins:
    """A range from `low` to `high` in `count` bins of equal width, numbered from 0 upwards.

    SOTOPIA (appendix D) takes five for each dimension and does not say on which side an edge
    lies. Here it belongs to the bin above it, and the top edge to the last bin (as in numpy's
    histogram). So the whole scores 0-10 fall 2, 2, 2, 2 and 3 to a bin; in a dimension of -10-0,
    where nearly all scores are 0, the bin of three is the crowded one. ValueError for an empty
    range and for fewer than 2 bins, where all raters would always agree.

    >>> from sociolab.stats import Bins
    >>> goal = Bins(0, 10)
    >>> goal.edges, [goal.number(score) for score in (0, 1.9, 2, 9, 10)]
    ((0, 2.0, 4.0, 6.0, 8.0, 10), [0, 0, 1, 4, 4])
    """

    low: float
    high: float
    count: int = 5

    def __post_init__(self) -> None:
        if not self.low < self.high or self.count < 2:
            raise ValueError(
                f"expected a range with low < high and at least 2 bins, "
                f"found {self.low} to {self.high} and {self.count}"
            )

    @property
    def edges(self) -> tuple[float, ...]:
        """All `count` + 1 edges, from `low` to `high`."""
        width = self.high - self.low
        inner = (self.low + width * number / self.count for number in range(1, self.count))
        return (self.low, *inner, self.high)

    def number(self, value: float) -> int:
        """The number of the bin that holds this value; ValueError for one outside the range."""
        if not self.low <= value <= self.high:
            raise ValueError(f"expected a value from {self.low} to {self.high}, found {value}")
        widths = (value - self.low) / (self.high - self.low) * self.count
        return min(int(widths + _ROUNDING), self.count - 1)


def bin_numbers(values: Floats, bins: Bins | Sequence[Bins]) -> Floats:
    """`Bins.number` of each value, in one set of bins or, row by row, in the bins of that row.

    nan stays nan; ranges are not checked.
    """
    each = (bins,) if isinstance(bins, Bins) else bins
    low, high, count = (
        np.array([[getattr(edges, name)] for edges in each], dtype=np.float64).reshape(-1, 1)
        for name in ("low", "high", "count")
    )
    widths = (values - low) / (high - low) * count
    return np.asarray(np.minimum(np.floor(widths + _ROUNDING), count - 1))


@dataclass(frozen=True, slots=True)
class YesNoAgreement:
    """How far two sides answer a yes/no question alike, over `pairs` of answers to the same.

    `first` and `second` are their shares of yes, `same` the share of pairs that agree. `value` is
    Cohen's kappa: 1 is full agreement, 0 what chance gives with these shares; None where both say
    the same of everything, or nothing is paired. `low` and `high` are its interval, see `Alpha`.
    """

    pairs: int
    clusters: int
    first: float | None
    second: float | None
    same: float | None
    value: float | None
    low: float | None
    high: float | None
    note: str = ""


def yes_no_agreement(
    answers: Sequence[tuple[bool, bool]], clusters: Sequence[str], *, interchangeable: bool = False
) -> YesNoAgreement:
    """The agreement of pairs of answers, each of a cluster.

    Where the sides are `interchangeable`, as people are, each pair counts in both orders: the
    shares of yes are then those of all together (Scott's pi).

    >>> from sociolab.stats import yes_no_agreement
    >>> pairs = [(True, True)] * 4 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 3
    >>> yes_no_agreement(pairs, [str(n) for n in range(10)]).value  # .7 observed, .5 by chance
    0.4
    """
    index = number_clusters(clusters)
    counts = np.zeros((len(set(clusters)), 2, 2))
    for cluster, (first, second) in zip(index.tolist(), answers, strict=True):
        counts[cluster, int(first), int(second)] += 1
    if interchangeable:
        counts = (counts + counts.transpose(0, 2, 1)) / 2
    table = counts.sum(axis=0)
    total, value = float(table.sum()), _cohen(table)
    ends, note = _interval(value, [_cohen(table - part) for part in counts])
    if not answers:
        return YesNoAgreement(0, 0, None, None, None, None, None, None, "no values")
    return YesNoAgreement(
        pairs=len(answers),
        clusters=len(counts),
        first=float(table[1].sum()) / total,
        second=float(table[:, 1].sum()) / total,
        same=float(np.trace(table)) / total,
        value=value,
        low=ends and ends[0],
        high=ends and ends[1],
        note=note,
    )


def _cohen(counts: Floats) -> float | None:
    """Kappa of a table of counts, the first side's answers in rows; None where not defined."""
    total = counts.sum()
    if not total:
        return None
    chance = float((counts.sum(axis=0) * counts.sum(axis=1)).sum() / total**2)
    same = float(np.trace(counts) / total)
    return None if chance == 1 else round((same - chance) / (1 - chance), 12)
