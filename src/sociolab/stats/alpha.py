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

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.correlation import left_out_limits
from sociolab.stats.resample import Floats

Metric: TypeAlias = Literal["nominal", "ordinal", "interval"]
_Places: TypeAlias = NDArray[np.intp]

_ROUNDING = 1e-9


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


def krippendorff_alpha(
    items: Sequence[Sequence[float | None]],
    clusters: Sequence[str],
    metric: Metric,
    *,
    level: float = 0.95,
) -> Alpha:
    """Alpha of the ratings of each item, by this metric; `clusters[i]` holds `items[i]`.

    The interval leaves out one cluster at a time, as that of a correlation does (see there), on
    alpha itself, and is cut off at 1. ValueError for lengths that differ, a rating that is not
    finite, a level outside (0, 1).
    """
    if len(items) != len(clusters):
        raise ValueError(
            f"each item needs its cluster, found {len(items)} items and {len(clusters)} clusters"
        )
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, found {level}")
    given = [tuple(sorted(value for value in item if value is not None)) for item in items]
    if not all(math.isfinite(value) for item in given for value in item):
        raise ValueError("ratings are finite numbers, or None where missing; found nan/inf")
    # Items with the same ratings are counted, not kept apart: little is left to add up, and in an
    # order that does not depend on that of the items.
    rated = [(c, item) for c, item in zip(clusters, given, strict=True) if len(item) > 1]
    table = _table(sorted({item for _, item in rated}))
    number = {item: i for i, item in enumerate(table.items)}
    found: dict[str, Counter[int]] = {}
    for cluster, item in rated:
        found.setdefault(cluster, Counter())[number[item]] += 1
    each = [np.array([found[name][i] for i in range(len(number))]) for name in sorted(found)]
    times = sum(each, np.zeros(len(number), dtype=np.intp))
    value = _alpha(table, times, metric)
    left_out = [_alpha(table, times - own, metric) for own in each]
    ends, note = _interval(value, left_out, level) if rated else (None, "no values")
    return Alpha(
        value=value,
        items=len(rated),
        ratings=sum(len(item) for _, item in rated),
        clusters=len(found),
        left_out=len(items) - len(rated),
        missing=sum(map(len, items)) - sum(map(len, given)),
        low=ends and ends[0],
        high=ends and ends[1],
        level=level,
        note=note,
    )


def _interval(
    value: float | None, left_out: Sequence[float | None], level: float
) -> tuple[tuple[float, float] | None, str]:
    """The limits, or None and why there are none; `left_out` is alpha without each cluster."""
    if value is None:
        return None, "no variation"
    if len(left_out) < 2:
        return None, "1 cluster"
    defined = [without for without in left_out if without is not None]
    if len(defined) < len(left_out):
        return None, "undefined without one of the clusters"
    low, high = left_out_limits(value, defined, level)
    if high - low < _ROUNDING:
        return None, "no variation between clusters"
    return (low, min(high, 1.0)), ""


@dataclass(frozen=True, slots=True)
class _Table:
    """Different items with two ratings or more; their ratings in a row, `place` tells whose.

    `values` are the different ratings in order, `codes` where each rating stands among them.
    """

    items: Sequence[tuple[float, ...]]
    sizes: Floats
    place: _Places
    values: Floats
    codes: _Places


def _table(items: Sequence[tuple[float, ...]]) -> _Table:
    sizes = np.array([len(item) for item in items], dtype=np.intp)
    ratings = np.array([value for item in items for value in item], dtype=np.float64)
    values, codes = np.unique(ratings, return_inverse=True)
    place = np.repeat(np.arange(len(items)), sizes)
    return _Table(items, sizes.astype(np.float64), place, values, codes)


def _alpha(table: _Table, times: _Places, metric: Metric) -> float | None:
    """Alpha of these items, each occurring so many times; None where ratings do not vary."""
    counts = np.bincount(table.codes, weights=times[table.place], minlength=len(table.values))
    n = float(counts.sum())
    if (counts > 0).sum() < 2:
        return None
    if metric == "nominal":
        within = _unlike(table)
        overall = n - float((counts**2).sum()) / n
    else:
        scale = table.values if metric == "interval" else np.cumsum(counts) - counts / 2
        scale = scale - counts @ scale / n
        within = _squares(scale[table.codes], table)
        overall = float(counts @ scale**2)
    observed = float(times @ (within * table.sizes / (table.sizes - 1))) / n
    return 1 - observed / (overall / (n - 1))


def _squares(ratings: Floats, table: _Table) -> Floats:
    """Per item, the sum of squared deviations of its ratings from their mean."""
    means = np.bincount(table.place, weights=ratings) / table.sizes
    squares = np.bincount(table.place, weights=(ratings - means[table.place]) ** 2)
    return squares.astype(np.float64)  # integers where there are no items


def _unlike(table: _Table) -> Floats:
    """The same for names: half the ordered pairs of unequal ratings, over their number."""
    cells = table.place * len(table.values) + table.codes
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    alike = np.bincount(table.place[first], weights=counts.astype(np.float64) ** 2)
    return np.asarray(table.sizes - alike / table.sizes)
