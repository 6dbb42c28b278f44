"""Krippendorff's alpha: agreement of any number of raters, who need not all rate each item.

alpha = 1 - D_o / D_e, with D_o the mean squared distance between two ratings of one item and D_e
that between any two ratings (Krippendorff, Content Analysis, 4th edition, section 12.3; each
item's pairs weigh 1 / (its ratings - 1)). The distance is that of the metric: nominal 0 or 1;
interval a - b; ordinal the number of ratings between the two values, half of those at each end
included, which is the difference of their mean ranks. So interval and ordinal alpha are

    1 - (sum over items of m * s^2 / n) / S^2

with m ratings and the sample variance s^2 in an item, n ratings and their variance S^2 in all (of
ranks, for ordinal); no matrix of coincidences is needed.

Do not pool dimensions of unlike ranges: alpha would count their difference as agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.jackknife import Counts, counted_by_cluster, left_out_interval
from sociolab.stats.rating_table import RatingTable
from sociolab.stats.resample import Floats

AlphaMetric: TypeAlias = Literal["nominal", "ordinal", "interval"]


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
    """Alpha of the ratings of each item by each of these metrics; items are in numbered clusters.

    The interval leaves out one cluster at a time, as that of a correlation does (see there), on
    alpha itself, and is cut off at 1.
    """
    rated = table.sizes > 1
    kinds = _kinds(table.of(rated).values)
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
    there = np.isfinite(rows)
    sizes = there.sum(axis=1)
    values, codes = np.unique(rows[there], return_inverse=True)
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
    left_out = [one for own in each for one in _alpha(kinds, times - own, metric)]
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
    found = 1 - observed / np.where(varied, overall / (many - 1), 1.0)
    return [
        value if fine else None for value, fine in zip(found.tolist(), varied.tolist(), strict=True)
    ]


def _squares(ratings: Floats, kinds: _Kinds) -> Floats:
    """Per kind, the sum of squared deviations of its ratings from their mean."""
    means = np.add.reduceat(ratings, kinds.starts, axis=0) / kinds.sizes
    return np.asarray(np.add.reduceat((ratings - means[kinds.place]) ** 2, kinds.starts, axis=0))


def _unlike(kinds: _Kinds) -> Floats:
    """The same for names: half the ordered pairs of unequal ratings, over their number."""
    cells = kinds.place * len(kinds.values) + kinds.codes
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    alike = np.bincount(kinds.place[first], weights=counts.astype(np.float64) ** 2)
    return np.asarray(kinds.sizes - alike[:, None] / kinds.sizes)
