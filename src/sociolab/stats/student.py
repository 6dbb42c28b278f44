"""Student's t distribution, from `scipy.special`, which is imported when a figure is wanted."""

from __future__ import annotations

import math

LEVEL = 0.95
"""How often an interval holds what it is of: the same for all of them."""


def t_quantile(p: float, freedom: int) -> float:
    """The p-quantile (0.5 < p < 1) of Student's t with at least 1 degree of freedom.

    ValueError for p outside (0.5, 1) and less than 1 degree of freedom.
    """
    if not 0.5 < p < 1 or freedom < 1:
        raise ValueError(f"expected 0.5 < p < 1 and freedom >= 1, found p {p}, freedom {freedom}")
    from scipy.special import stdtrit

    return float(stdtrit(freedom, p))


def t_critical(freedom: int) -> float:
    """How many standard errors an interval of Student's t goes to either side."""
    return t_quantile((1 + LEVEL) / 2, freedom)


def two_sided_p(t: float, freedom: float) -> float:
    """The probability of a value at least as far from 0 as t, on either side; 0-1.

    `freedom` need not be whole. ValueError for freedom <= 0 and for nan.
    """
    if not freedom > 0 or math.isnan(t):
        raise ValueError(f"expected freedom > 0 and a number t, found {freedom} and {t}")
    from scipy.special import stdtr

    return min(1.0, 2 * float(stdtr(freedom, -abs(t))))
