"""How severe raters are, how one follows another, and how well any judge could follow them.

A judge's r with the people's mean cannot be expected to exceed the square root of that mean's
reliability, however good it is: r of two raters, stepped up by Spearman and Brown's formula to as
many raters as an item has (Spearman, British Journal of Psychology 3, 1910). Pairs are of different
raters of one item, each in both orders, as nobody is the first of the two.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import fmean, harmonic_mean

import numpy as np

from sociolab.stats.agreement import ItemRating


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
    """In a dimension: r of two raters, r of one with the mean of the others, and the most that r of
    a judge with the people's mean can be expected to be. None where there is no such r."""

    dimension: str
    items: int
    pair: float | None
    against_others: float | None
    ceiling: float | None


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
        beside = [
            (value, fmean(other for name, other in given.items() if name != rater))
            for given in several
            for rater, value in given.items()
        ]
        pair, most = _pearson(pairs), None
        if pair is not None and pair > 0:
            raters = harmonic_mean([len(given) for given in several])
            most = math.sqrt(raters * pair / (1 + (raters - 1) * pair))
        found.append(Ceiling(dimension, len(several), pair, _pearson(beside), most))
    return tuple(found)


def _items(rows: Sequence[ItemRating]) -> dict[tuple[str, str], dict[str, float]]:
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row.value is not None:
            found[row.dimension, row.item][row.rater] = row.value
    return found


def _pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 3:
        return None
    one, two = np.array(pairs).T
    if np.ptp(one) <= 1e-12 or np.ptp(two) <= 1e-12:
        return None
    return float(np.corrcoef(one, two)[0, 1])
