"""The p-value of a paired difference by flipping the signs of whole clusters.

If the two agents were the same, swapping their names in all plays of a cluster would change
nothing but the sign of the cluster's summed difference. The cluster is the unit that is
exchanged, because plays within it are not independent. The statistic is the size of the sum of
all differences, hence of their mean; p is the share of the ways to flip that reach the observed
one, which itself counts, and so do ties (two-sided).

Source: Fisher, The Design of Experiments (1935), section 21; for random flips Phipson and Smyth
(2010), p = (b + 1) / (m + 1), which is never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.by_cluster import finite, numbered
from sociolab.stats.resample import Floats

EXACT_UP_TO = 16
"""With so many clusters that differ at all, each of the 2^15 distinct flips is tried."""

_ROUNDING = 1e-11
_BLOCK = 1 << 18  # signs made at once: 2 MB of floats


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p in (0, 1], or None where there are no pairs.

    `clusters` counts those with pairs; `differing` those whose differences do not cancel to 0.
    `smallest` is the least p that `differing` clusters allow, 2^(1 - differing), or that the
    number of random flips does. `note` says where that exceeds .05: then no data of this kind
    could have come out significant, and a large p says nothing.
    """

    p: float | None
    clusters: int
    differing: int
    smallest: float | None
    exact: bool
    note: str = ""


def sign_flip(
    columns: Mapping[str, Sequence[float | None]],
    clusters: Sequence[str],
    *,
    seed: int = 0,
    flips: int = 10_000,
) -> dict[str, SignFlip]:
    """The p of each column of paired differences; `clusters[i]` holds position i of each.

    None marks a pair that the column does not have. Exact up to 16 clusters that differ; above,
    `flips` random ones (at least 100), which all columns share. A column's p does not depend on
    the other columns, nor on the order of the rows. ValueError for fewer flips, lengths that
    differ and values that are not finite.
    """
    if flips < 100:
        raise ValueError(f"a p-value needs at least 100 flips, found {flips}")
    index = numbered(clusters)
    groups = len(set(clusters))
    sums: dict[str, Floats] = {}
    present: dict[str, int] = {}
    for name, column in columns.items():
        gaps = finite([0.0 if gap is None else gap for gap in column], clusters)
        given = np.array([gap is not None for gap in column], dtype=bool)
        present[name] = len(np.unique(index[given]))
        sums[name] = _sums(gaps, index, groups)
    large = [name for name in columns if np.count_nonzero(sums[name]) > EXACT_UP_TO]
    drawn = _random_shares([sums[name] for name in large], seed, flips)
    shares = dict(zip(large, drawn, strict=True))
    return {name: _finding(present[name], sums[name], shares.get(name), flips) for name in columns}


def _sums(gaps: Floats, index: NDArray[np.intp], n: int) -> Floats:
    """Each cluster's summed difference; one that cancels but for rounding is 0."""
    added = np.bincount(index, weights=gaps, minlength=n).astype(np.float64)
    largest = np.abs(gaps).max(initial=0.0)
    return np.where(np.abs(added) <= _ROUNDING * largest, 0.0, added)


def _finding(clusters: int, sums: Floats, share: float | None, flips: int) -> SignFlip:
    if not clusters:
        return SignFlip(None, 0, 0, None, False, "no values")
    differing = int(np.count_nonzero(sums))
    exact = share is None
    p = _exact_share(sums[sums != 0]) if share is None else share
    smallest = 2.0 ** (1 - max(differing, 1)) if exact else 1 / (flips + 1)
    note = ""
    if smallest > 0.05:
        note = f"{differing} of {clusters} clusters differ: p cannot be less than {smallest:.4g}"
    return SignFlip(p, clusters, differing, smallest, exact, note)


def _exact_share(sums: Floats) -> float:
    """The share of all ways to flip that reach the sum; by symmetry the first need not flip."""
    if not len(sums):
        return 1.0
    ways = np.arange(1 << (len(sums) - 1))[:, None]
    signs = 1.0 - 2.0 * ((ways >> np.arange(len(sums) - 1)) & 1)
    totals = np.abs(sums[0] + signs @ sums[1:])
    return float((totals >= _reached(sums)).mean())


def _random_shares(columns: Sequence[Floats], seed: int, flips: int) -> list[float]:
    """(reached + 1) / (flips + 1) of each column of sums."""
    if not columns:
        return []
    sums = np.stack(columns, axis=1)
    least = np.array([_reached(column) for column in columns])
    reached = np.zeros(len(columns))
    for signs in _signs(len(sums), seed, flips):
        reached += (np.abs(signs @ sums) >= least).sum(axis=0)
    return [float(p) for p in (reached + 1) / (flips + 1)]


def _reached(sums: Floats) -> float:
    """What a flipped sum must be in size to count as reaching this one: a tie does."""
    return float(abs(sums.sum()) - 1e-9 * np.abs(sums).max())


def _signs(clusters: int, seed: int, flips: int) -> Iterator[Floats]:
    """Random signs, a row per flip, block by block; a bit each."""
    random = np.random.default_rng(seed)
    width = (clusters + 7) // 8
    rows = max(1, _BLOCK // clusters)
    for start in range(0, flips, rows):
        height = min(rows, flips - start)
        drawn = random.integers(0, 256, size=(height, width), dtype=np.uint8)
        yield 1.0 - 2.0 * np.unpackbits(drawn, axis=1, count=clusters).astype(np.float64)
