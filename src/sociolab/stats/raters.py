"""How severe raters are, how one follows another, and how well any judge could follow them.

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

from sociolab.stats.agreement import ItemRating, JudgeAndPeople, homes_of, sheets_of
from sociolab.stats.correlation import Correlation
from sociolab.stats.crossed import LEAST_RATERS, RatedPlay, crossed_estimate
from sociolab.stats.inter_rater import Bins
from sociolab.stats.intervals import Floats, t_critical


@dataclass(frozen=True, slots=True)
class Severity:
    """A rater in a dimension: the mean of the ratings, and how far they lie from the mean of the
    others of the same items on average; None where nobody else rated them."""

    rater: str
    dimension: str
    ratings: int
    mean: float
    deviation: float | None
    shared: int


@dataclass(frozen=True, slots=True)
class Ceiling:
    """In a dimension: r of two raters, and the most that r of a judge with the people's mean can be
    expected to be; None where there is no such r."""

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
    people, judges = sheets_of(rows, bins), sheets_of(judge_rows, bins)
    homes = homes_of((*rows, *judge_rows))
    made = []
    for cell in cells:
        scores = judges.get(cell.dimension, {})
        plays, beside = list[RatedPlay](), list[float]()
        for item, every in sorted(people.get(cell.dimension, {}).items()):
            score = scores.get(item, {}).get(cell.judge)
            given = tuple((who, value) for who, value in every.items() if value is not None)
            if score is not None and given and cell.group in (None, homes[item][1]):
                plays.append(RatedPlay(homes[item][0], given))
                beside.append(score)
        if not plays:
            made.append(cell)
            continue
        gaps = [
            one._replace(given=tuple((who, score - value) for who, value in one.given))
            for one, score in zip(plays, beside, strict=True)
        ]
        linear, ranked = _left_out(plays, beside)
        made.append(
            replace(
                cell,
                pearson=_wider(cell.pearson, linear),
                spearman=_wider(cell.spearman, ranked),
                spread=replace(cell.spread, bias=crossed_estimate(gaps)),
            )
        )
    return tuple(made)


def _left_out(
    plays: Sequence[RatedPlay], beside: Sequence[float]
) -> tuple[list[float | None], list[float | None]]:
    """r and rho of scores with the mean of the raters, without each of these in turn."""
    from scipy.stats import rankdata

    items = np.array([i for i, one in enumerate(plays) for _ in one.given])
    names = np.array([name for one in plays for name, _ in one.given])
    values = np.array([value for one in plays for _, value in one.given])
    scores = np.array(beside)
    linear, ranked = list[float | None](), list[float | None]()
    for name in np.unique(names):
        kept = names != name
        counts = np.bincount(items[kept], minlength=len(plays))
        sums = np.bincount(items[kept], weights=values[kept], minlength=len(plays))
        there = counts > 0
        means = sums[there] / counts[there]
        linear.append(_pearson(scores[there], means))
        ranked.append(_pearson(rankdata(scores[there]), rankdata(means)))
    return linear, ranked


def _wider(found: Correlation, left_out: Sequence[float | None]) -> Correlation:
    """The correlation with the error over raters, by the jackknife of Fisher's z, added to that
    over clusters; ratings of one rater in one cluster count in both, which makes it rather long."""
    raters, known = len(left_out), (found.value, found.low, found.high, *left_out)
    zs = [math.atanh(r) for r in known if r is not None and abs(r) < 1]
    if raters < LEAST_RATERS or found.low is None:
        return found
    if len(zs) < len(known):
        return replace(found, low=None, high=None, note="undefined without one of the raters")
    middle, low, high, *rest = zs
    over_clusters = (high - low) / 2 / t_critical(found.clusters - 1)
    over_raters = (raters - 1) / raters * sum((z - fmean(rest)) ** 2 for z in rest)
    freedom = min(found.clusters, raters) - 1
    half = t_critical(freedom) * math.sqrt(over_clusters**2 + over_raters)
    return replace(found, low=math.tanh(middle - half), high=math.tanh(middle + half))


def severities(rows: Sequence[ItemRating]) -> tuple[Severity, ...]:
    """Each rater in each dimension, in the order of names."""
    mine: dict[tuple[str, str], list[tuple[float, float | None]]] = defaultdict(list)
    for (dimension, _), given in _items(rows).items():
        for rater, value in given.items():
            others = [other for name, other in given.items() if name != rater]
            mine[rater, dimension].append((value, fmean(others) if others else None))
    found = []
    for (rater, dimension), pairs in sorted(mine.items()):
        away = [value - others for value, others in pairs if others is not None]
        values = [value for value, _ in pairs]
        mean = fmean(values)
        deviation = fmean(away) if away else None
        found.append(Severity(rater, dimension, len(values), mean, deviation, len(away)))
    return tuple(found)


def ceilings(rows: Sequence[ItemRating]) -> tuple[Ceiling, ...]:
    """Each dimension, in the order of appearance."""
    items = _items(rows)
    found = []
    for dimension in dict.fromkeys(row.dimension for row in rows):
        several = [g for (name, _), g in items.items() if name == dimension and len(g) > 1]
        pairs = [two for given in several for two in permutations(given.values(), 2)]
        pair, most = _pearson(*np.array(pairs, dtype=np.float64).reshape(-1, 2).T), None
        if pair is not None and pair > 0:
            raters = harmonic_mean([len(given) for given in several])
            most = math.sqrt(raters * pair / (1 + (raters - 1) * pair))
        found.append(Ceiling(dimension, len(several), pair, most))
    return tuple(found)


def _items(rows: Sequence[ItemRating]) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.value is not None:
            found[row.dimension, row.item][row.rater] = row.value
    return found


def _pearson(one: Floats, two: Floats) -> float | None:
    if len(one) < 3 or np.ptp(one) <= 1e-12 or np.ptp(two) <= 1e-12:
        return None
    return float(np.corrcoef(one, two)[0, 1])
