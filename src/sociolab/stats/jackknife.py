"""Limits of an estimate from what it is without each cluster in turn (Efron and Tibshirani 1993,
chapter 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sociolab.stats.student import t_quantile


def left_out_limits(whole: float, left_out: Sequence[float], level: float) -> tuple[float, float]:
    """Limits of `whole`, given what it is without each of G clusters (at least 2).

    `whole` +- t(G - 1) * sqrt((G - 1) / G * sum of (left out - their mean)^2).
    """
    groups = len(left_out)
    found = np.array(left_out)
    error = math.sqrt((groups - 1) / groups * float(((found - found.mean()) ** 2).sum()))
    half = t_quantile((1 + level) / 2, groups - 1) * error
    return whole - half, whole + half
