"""The BCa bootstrap of a mean whose values come in clusters: clusters are drawn, not values.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.3, with the
cluster as the unit of resampling and of the jackknife.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.student import LEVEL

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = NDArray[np.uint32]

_below = np.vectorize(NormalDist().cdf, otypes=[np.float64])
_quantile = np.vectorize(NormalDist().inv_cdf, otypes=[np.float64])

# Draws made at once. A block and its work space stay near 2 MB, inside the
# processor's cache; the numbers drawn depend on it, so changing it changes every interval a little.
_BLOCK = 1 << 16


def bca_limits(residuals: Floats, sizes: Floats, *, seed: int, resamples: int) -> Floats:
    """BCa limits, relative to the mean, of several measures on one set of resampled clusters.

    `residuals` has a row per cluster and a column per measure: the cluster's sum of deviations
    from the measure's mean (a column adds up to 0). `sizes` is how many values each sum holds, all
    at least 1, at least 2 rows. A column of zeros has no interval and must not be passed.
    Returns a row per measure: low and high. The same arguments give the same limits.
    """
    drawn = _drawn(len(sizes), seed, resamples)
    make = _looked_up if residuals.shape[1] == 1 else _counted
    means = np.concatenate([make(cells, residuals, sizes) for cells in drawn])
    means.sort(axis=0)
    bias = _bias(means, np.abs(residuals / sizes).max(axis=0))
    shift = bias + _quantile([[(1 - LEVEL) / 2], [(1 + LEVEL) / 2]])
    # At most 1/6 in size, so that the denominator stays positive for any shift below 6.
    acceleration = _acceleration(residuals, sizes)
    quantiles = _below(bias + shift / (1 - acceleration * shift))
    return np.stack([_at(column, q) for column, q in zip(means.T, quantiles.T, strict=True)])


def _drawn(clusters: int, seed: int, resamples: int) -> Iterator[Cells]:
    """Which clusters each resample draws, a row per resample, block by block."""
    random = np.random.default_rng(seed)
    rows = max(1, _BLOCK // clusters)
    for start in range(0, resamples, rows):
        height = min(rows, resamples - start)
        yield random.integers(0, clusters, size=(height, clusters), dtype=np.uint32)


def _counted(cells: Cells, residuals: Floats, sizes: Floats) -> Floats:
    """The mean of each resample (row) and measure: counts of each cluster, shared by measures."""
    height, clusters = cells.shape
    flat = cells + np.arange(height)[:, None] * clusters
    counts = np.bincount(flat.ravel(), minlength=height * clusters)
    often = counts.reshape(height, clusters).astype(np.float64)
    return np.asarray((often @ residuals) / (often @ sizes))


def _looked_up(cells: Cells, residuals: Floats, sizes: Floats) -> Floats:
    """The same for a single measure, in half the time: nothing is counted."""
    both = (residuals[:, 0] + 1j * sizes[:, 0]).take(cells).sum(axis=1)
    return np.asarray(both.real / both.imag)[:, None]


def _bias(means: Floats, spread: Floats) -> Floats:
    """The normal quantile of the share of resampled means below the mean; ties count half.

    Coarse data (a success rate) ties often, and rounding must not decide on which side a tie
    falls. The share stays clear of 0 and 1: even with a single outlier among the clusters, about
    a quarter of the resamples draw it twice or more, and a third not at all.
    """
    tie = 1e-9 * spread
    share = ((means < -tie).mean(axis=0) + (means <= tie).mean(axis=0)) / 2
    return np.asarray(_quantile(share))


def _acceleration(residuals: Floats, sizes: Floats) -> Floats:
    """How fast the standard error changes with the mean: the skewness of the jackknife over 6."""
    left_out = -residuals / (sizes.sum(axis=0) - sizes)
    pull = left_out.mean(axis=0) - left_out
    return np.asarray((pull**3).sum(axis=0) / (6 * (pull**2).sum(axis=0) ** 1.5))


def _at(ordered: Floats, quantiles: Floats) -> Floats:
    """Quantiles of ordered numbers, interpolated linearly."""
    place = quantiles * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    return np.asarray(ordered[below] + (place - below) * (ordered[above] - ordered[below]))
