"""Limits of an estimate from what it is without each cluster in turn (Efron and Tibshirani 1993,
chapter 11)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.student import t_critical

Counts: TypeAlias = NDArray[np.intp]

_BLOCK = 1 << 17
"""Rows times clusters that are left out at once, so that the work space stays small."""

_ROUNDING = 1e-9
"""An interval this short is the rounding of one of width 0."""


def left_out_interval(
    whole: float, left_out: Sequence[float | None]
) -> tuple[tuple[float, float] | None, str]:
    """The limits of `whole`, or None and why there are none.

    `left_out` is what it is without each of G clusters, None where it is not defined. The limits
    are `whole` +- t(G - 1) * sqrt((G - 1) / G * sum of (left out - their mean)^2).
    """
    groups = len(left_out)
    if groups < 2:
        return None, "1 cluster"
    defined = [one for one in left_out if one is not None]
    if len(defined) < groups:
        return None, "undefined without one of the clusters"
    found = np.array(defined)
    error = math.sqrt((groups - 1) / groups * float(((found - found.mean()) ** 2).sum()))
    half = t_critical(groups - 1) * error
    if 2 * half < _ROUNDING:
        return None, "no variation between clusters"
    return (whole - half, whole + half), ""


def counted_by_cluster(
    row: Counts, cluster: Counts, rows: int, clusters: int, width: int
) -> Iterator[Counts]:
    """How often each row stands in each cluster, some clusters (columns) at a time.

    `row` and `cluster` say where each item stands. `width` numbers go with each cluster in the
    caller's work space.
    """
    most = max(1, _BLOCK // max(width, 1))
    for first in range(0, clusters, most):
        wide = min(most, clusters - first)
        here = (cluster >= first) & (cluster < first + wide)
        cells = row[here] * wide + cluster[here] - first
        yield np.bincount(cells, minlength=rows * wide).reshape(-1, wide)
