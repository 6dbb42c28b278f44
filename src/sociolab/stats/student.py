"""Student's t distribution, without scipy: importing it takes longer than a report."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95
"""How often an interval holds what it is of: the same for all of them."""

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


def reach(freedom: int) -> float:
    """How many standard errors an interval of Student's t goes to either side."""
    return t_quantile((1 + LEVEL) / 2, freedom)


def two_sided_p(t: float, freedom: float) -> float:
    """The probability of a value at least as far from 0 as t, on either side; 0-1.

    With x = freedom / (freedom + t^2) it is the regularised incomplete beta function
    I_x(freedom / 2, 1 / 2) (Abramowitz and Stegun, 26.7.1), so that small tails keep their
    digits. `freedom` need not be whole. ValueError for freedom <= 0 and for nan.
    """
    if not freedom > 0 or math.isnan(t):
        raise ValueError(f"expected freedom > 0 and a number t, found {freedom} and {t}")
    half, share = freedom / 2, t * t / (freedom + t * t)
    if t * t > 3:  # beyond the middle of the beta distribution: the fraction converges fast here
        return _beta_tail(half, 0.5, freedom / (freedom + t * t))
    return 1 - _beta_tail(0.5, half, share)


def _beta_tail(a: float, b: float, x: float) -> float:
    """I_x(a, b) for x below about (a + 1) / (a + b + 2), by its continued fraction.

    Lentz's method (Press et al., Numerical Recipes, section 6.4).
    """
    if x <= 0:
        return 0.0
    d = 1 / (1 - (a + b) * x / (a + 1))
    c, found, step, m = 1.0, d, 0.0, 0
    while abs(step - 1) > _CLOSE * 8:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / (1 + even * d), 1 + even / c
        found *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / (1 + odd * d), 1 + odd / c
        step = d * c
        found *= step
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(front + a * math.log(x) + b * math.log1p(-x)) * found / a


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
