"""How large a paired difference is, beside whether there is one.

Both standardised differences describe single pairs: their standard deviations are taken over
pairs, whatever cluster they are in, with n - 1. They carry no interval; the plain difference does
(`stats.intervals`). Averages over the plays of a scenario scatter less than plays do, so a d of
such averages, which other reports give, is larger than these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sociolab.stats.by_cluster import finite, grouped
from sociolab.stats.resample import Floats


@dataclass(frozen=True, slots=True)
class Effect:
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


def effect(a: Sequence[float], b: Sequence[float], clusters: Sequence[str]) -> Effect:
    """The effect of matched pairs: position i is one pair, in `clusters[i]`.

    ValueError for lengths that differ and values that are not finite.
    """
    left, right = finite(a, clusters), finite(b, clusters)
    if not len(left):
        return Effect(None, None, None, 0, 0, 0)
    gaps = left - right
    rounding = 1e-11 * float(np.abs([left, right]).max())
    difference = math.fsum(gaps) / len(gaps)
    average = math.sqrt((_variance(left) + _variance(right)) / 2)
    means = grouped(gaps.tolist(), clusters).means
    return Effect(
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
