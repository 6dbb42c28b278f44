"""How severe raters are, how they correlate with each other, and the ceiling of a judge's r.

A judge's r with the people's mean cannot be expected to exceed the square root of that mean's
reliability, however good it is: r of two raters, stepped up by Spearman and Brown's formula to as
many raters as an item has (Spearman, British Journal of Psychology 3, 1910). Pairs are of different
raters of one item, each in both orders, as nobody is the first of the two.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from statistics import fmean, harmonic_mean

import numpy as np

from sociolab.stats.agreement import ItemRating, JudgeAndPeople, build_sheets, locate_items
from sociolab.stats.correlation import Correlation
from sociolab.stats.crossed_raters import LEAST_RATERS, RatedPlay, crossed_estimate
from sociolab.stats.inter_rater import Bins
from sociolab.stats.intervals import Floats, t_critical


@dataclass(frozen=True, slots=True)
class Severity:
    """A rater in a dimension: the mean rating, and the mean deviation from the others' mean.

    The deviation is over the `shared` items that others rated, too; None where there are none.
    """

    rater: str
    dimension: str
    ratings: int
    mean: float
    deviation: float | None
    shared: int


@dataclass(frozen=True, slots=True)
class Ceiling:
    """In a dimension: r of two raters (`pair`), and the expected maximum of a judge's r.

    Over `items` with several ratings. Both None where r is not defined; no `ceiling` for r <= 0.
    """

    dimension: str
    items: int
    pair: float | None
    ceiling: float | None


def for_other_raters(
    cells: Sequence[JudgeAndPeople],
    rows: Sequence[ItemRating],
    judge_rows: Sequence[ItemRating],
    bins: Mapping[str, Bins],
) -> tuple[JudgeAndPeople, ...]:
    """Judges beside people with intervals of bias and correlations that hold for other raters too;
    where fewer than `LEAST_RATERS` rated, they hold for these."""
    people, judges = build_sheets(rows, bins), build_sheets(judge_rows, bins)
    homes = locate_items((*rows, *judge_rows))
    widened = []
    for cell in cells:
        scores = judges.get(cell.dimension, {})
        plays, beside = list[RatedPlay](), list[float]()
        for item, every in sorted(people.get(cell.dimension, {}).items()):
            score = scores.get(item, {}).get(cell.judge)
            ratings = tuple((who, value) for who, value in every.items() if value is not None)
            if score is not None and ratings and cell.group in (None, homes[item][1]):
                plays.append(RatedPlay(homes[item][0], ratings))
                beside.append(score)
        if not plays:
            widened.append(cell)
            continue
        gaps = [
            play._replace(ratings=tuple((who, score - value) for who, value in play.ratings))
            for play, score in zip(plays, beside, strict=True)
        ]
        linear, ranked = _left_out(plays, beside)
        widened.append(
            replace(
                cell,
                pearson=_wider(cell.pearson, linear),
                spearman=_wider(cell.spearman, ranked),
                spread=replace(cell.spread, bias=crossed_estimate(gaps)),
            )
        )
    return tuple(widened)


def _left_out(
    plays: Sequence[RatedPlay], beside: Sequence[float]
) -> tuple[list[float | None], list[float | None]]:
    """r and rho of scores with the mean of the raters, without each of these in turn."""
    from scipy.stats import rankdata

    items = np.array([i for i, play in enumerate(plays) for _ in play.ratings])
    names = np.array([name for play in plays for name, _ in play.ratings])
    values = np.array([value for play in plays for _, value in play.ratings])
    scores = np.array(beside)
    linear, ranked = list[float | None](), list[float | None]()
    for name in np.unique(names):
        mask = names != name
        counts = np.bincount(items[mask], minlength=len(plays))
        sums = np.bincount(items[mask], weights=values[mask], minlength=len(plays))
        rated = counts > 0
        means = sums[rated] / counts[rated]
        linear.append(_pearson(scores[rated], means))
        ranked.append(_pearson(rankdata(scores[rated]), rankdata(means)))
    return linear, ranked


def _wider(correlation: Correlation, left_out: Sequence[float | None]) -> Correlation:
    """The correlation with the error over raters, by the jackknife of Fisher's z, added to that
    over clusters; ratings of one rater in one cluster count in both, which makes it rather long."""
    raters = len(left_out)
    values = (correlation.value, correlation.low, correlation.high, *left_out)
    zs = [math.atanh(r) for r in values if r is not None and abs(r) < 1]
    if raters < LEAST_RATERS or correlation.low is None:
        return correlation
    if len(zs) < len(values):
        return replace(correlation, low=None, high=None, note="undefined without one of the raters")
    middle, low, high, *rest = zs
    over_clusters = (high - low) / 2 / t_critical(correlation.clusters - 1)
    over_raters = (raters - 1) / raters * sum((z - fmean(rest)) ** 2 for z in rest)
    freedom = min(correlation.clusters, raters) - 1
    half = t_critical(freedom) * math.sqrt(over_clusters**2 + over_raters)
    return replace(correlation, low=math.tanh(middle - half), high=math.tanh(middle + half))


def severities(rows: Sequence[ItemRating]) -> tuple[Severity, ...]:
    """How severe each rater is in each dimension, by rater, then dimension."""
    by_rater: dict[tuple[str, str], list[tuple[float, float | None]]] = defaultdict(list)
    for (dimension, _), ratings in _items(rows).items():
        for rater, value in ratings.items():
            rest = [other for name, other in ratings.items() if name != rater]
            by_rater[rater, dimension].append((value, fmean(rest) if rest else None))
    results = []
    for (rater, dimension), pairs in sorted(by_rater.items()):
        away = [value - mean_of_rest for value, mean_of_rest in pairs if mean_of_rest is not None]
        values = [value for value, _ in pairs]
        mean = fmean(values)
        deviation = fmean(away) if away else None
        results.append(Severity(rater, dimension, len(values), mean, deviation, len(away)))
    return tuple(results)


def ceilings(rows: Sequence[ItemRating]) -> tuple[Ceiling, ...]:
    """The ceiling of each dimension, in their order of appearance; missing ratings are ignored."""
    items = _items(rows)
    results = []
    for dimension in dict.fromkeys(row.dimension for row in rows):
        several = [g for (name, _), g in items.items() if name == dimension and len(g) > 1]
        pairs = [two for ratings in several for two in permutations(ratings.values(), 2)]
        pair, most = _pearson(*np.array(pairs, dtype=np.float64).reshape(-1, 2).T), None
        if pair is not None and pair > 0:
            raters = harmonic_mean([len(ratings) for ratings in several])
            most = math.sqrt(raters * pair / (1 + (raters - 1) * pair))
        results.append(Ceiling(dimension, len(several), pair, most))
    return tuple(results)


def _items(rows: Sequence[ItemRating]) -> dict[tuple[str, str], dict[str, float]]:
    items: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.value is not None:
            items[row.dimension, row.item][row.rater] = row.value
    return items


def _pearson(x: Floats, y: Floats) -> float | None:
    if len(x) < 3 or np.ptp(x) <= 1e-12 or np.ptp(y) <= 1e-12:
        return None
    return float(np.corrcoef(x, y)[0, 1])
