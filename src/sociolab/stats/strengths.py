"""Maximum-likelihood strengths of the Bradley-Terry model, for many win matrices at once.

A win matrix has the weight of wins of the row's model over the column's, a tie counting half on
both sides, and zeros on its diagonal. Source: Hunter (2004), "MM algorithms for generalized
Bradley-Terry models", Annals of Statistics 32; the maximum is the same, Newton's steps are fewer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 500
_CONVERGED = 1e-9
"""The largest step of any strength at which the maximum is reached; convergence is quadratic."""

_LONGEST = 1.0
"""Longer steps are shortened to this. A guard: Newton's may overshoot far from a maximum."""

_BLOCK = 1 << 17
"""Cells of the matrices worked on at once: a megabyte, and several times that as work space."""


def strengths(wins: Floats) -> Floats:
    """Strengths (log odds, mean 0), a row for each of the win matrices stacked on the first axis.

    ValueError where a matrix has no finite maximum: its models must be `joined`, all with all.
    """
    rows = max(1, _BLOCK // wins[0].size)
    blocks = [_newton(wins[start : start + rows]) for start in range(0, len(wins), rows)]
    return np.concatenate(blocks)


def probabilities(strength: Floats) -> Floats:
    """The probability of the row's model to beat the column's."""
    gaps = strength[..., :, None] - strength[..., None, :]
    return np.asarray(1 / (1 + np.exp(-gaps)))


def _newton(wins: Floats) -> Floats:
    size = wins.shape[-1]
    met = wins + wins.swapaxes(1, 2)
    found = np.zeros(wins.shape[:2])
    for _ in range(_STEPS):
        chance = probabilities(found)
        slope = (wins - met * chance).sum(axis=2)
        bend = met * chance * (1 - chance)
        total = bend.sum(axis=2)
        # The likelihood is flat where all strengths rise together; the mean of `total` holds that
        # direction, in which the slope is 0, without touching any other.
        hold = total.mean(axis=1)[:, None, None] / size
        step = np.linalg.solve(total[:, :, None] * np.eye(size) - bend + hold, slope[:, :, None])
        longest = np.abs(step).max(axis=(1, 2))
        found += step[:, :, 0] * (_LONGEST / np.maximum(longest, _LONGEST))[:, None]
        if longest.max() < _CONVERGED:
            return found
    raise ValueError(f"no maximum of the likelihood within {_STEPS} steps: models are not joined")


def joined(wins: Floats) -> NDArray[np.bool_]:
    """Which models reach each other over wins in both directions, for a stack of win matrices."""
    size = wins.shape[-1]
    reach = ((wins > 0) | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(max(1, (size - 1).bit_length())):
        reach = (reach @ reach > 0).astype(np.float32)
    return (reach > 0) & (reach.swapaxes(1, 2) > 0)
