"""Quantiles of Student's t distribution, without scipy: importing it takes longer than a report."""

from __future__ import annotations

import math
from statistics import NormalDist

_CLOSE = 1e-15
"""A step this small, relative to the quantile, is rounding."""


def t_quantile(p: float, freedom: int) -> float:
    """The p-quantile (0.5 < p < 1) of Student's t with at least 1 degree of freedom.

    Newton's method from the normal quantile, which lies below it: the distribution function is
    concave there, so that every step stays below the quantile and the next is never too long.
    ValueError for p outside (0.5, 1) and less than 1 degree of freedom.
    """
    if not 0.5 < p < 1 or freedom < 1:
        raise ValueError(f"expected 0.5 < p < 1 and freedom >= 1, found p {p}, freedom {freedom}")
    t = NormalDist().inv_cdf(p)
    while (step := (p - _below(t, freedom)) / _density(t, freedom)) > _CLOSE * t:
        t += step
    return t


def _below(t: float, freedom: int) -> float:
    """The probability of less than t >= 0: a finite sum (Abramowitz and Stegun, 26.7.3-4)."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.sin(angle) * (math.cos(angle) if odd else 1.0)
    inside = 0.0
    for k in range(2 + odd, freedom + 1, 2):
        inside += term
        term *= square * (k - 1) / k
    return 0.5 + ((angle + inside) / math.pi if odd else inside / 2)


def _density(t: float, freedom: int) -> float:
    half = freedom / 2
    scale = math.lgamma(half + 0.5) - math.lgamma(half) - 0.5 * math.log(freedom * math.pi)
    return math.exp(scale - (half + 0.5) * math.log1p(t * t / freedom))
