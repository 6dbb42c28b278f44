"""The ratings of many items as one array, for measures that are computed over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.resample import Floats

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A row per item: its ratings in ascending order, then nan up to the longest row.

    `missing` counts what each item's raters owe (None).
    """

    values: Floats
    missing: NDArray[np.intp]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many ratings each item has."""
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    def of(self, chosen: NDArray[np.bool_]) -> RatingTable:
        """The chosen rows."""
        return RatingTable(self.values[chosen], self.missing[chosen])

    def means(self) -> Floats:
        """The mean of each item's ratings; nan where there is none."""
        sizes = self.sizes
        sums = np.where(np.isnan(self.values), 0, self.values).sum(axis=1)
        return np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan)

    def squares(self) -> Floats:
        """The sum of squared deviations of each item's ratings from their mean."""
        return np.asarray(np.nansum((self.values - self.means()[:, None]) ** 2, axis=1))

    def pair_shares(self, within: float = 0) -> Floats:
        """Of all pairs of an item's ratings, the share at most `within` apart; nan without one."""
        alike = np.zeros(len(self.values))
        for i, j in combinations(range(self.values.shape[1]), 2):
            alike += np.abs(self.values[:, i] - self.values[:, j]) <= within + _ROUNDING
        sizes = self.sizes
        pairs = sizes * (sizes - 1) // 2
        return np.where(pairs > 0, alike / np.maximum(pairs, 1), np.nan)


def rating_table(items: Sequence[Sequence[float | None]]) -> RatingTable:
    """The ratings of these items, None where missing; ValueError for one that is not finite."""
    given = [sorted(value for value in item if value is not None) for item in items]
    longest = max(map(len, given), default=0)
    padded = [row + [np.nan] * (longest - len(row)) for row in given]
    values = np.array(padded, dtype=np.float64).reshape(len(given), longest)
    sizes = np.array([len(row) for row in given], dtype=np.intp)
    if int(np.isfinite(values).sum()) != int(sizes.sum()):
        raise ValueError("ratings are finite numbers, or None where missing; found nan/inf")
    missing = np.array([len(item) for item in items], dtype=np.intp) - sizes
    return RatingTable(values, missing)


def stacked(tables: Sequence[RatingTable]) -> RatingTable:
    """The rows of several tables below each other."""
    longest = max((table.values.shape[1] for table in tables), default=0)
    wide = [
        np.pad(t.values, ((0, 0), (0, longest - t.values.shape[1])), constant_values=np.nan)
        for t in tables
    ]
    return RatingTable(np.concatenate(wide), np.concatenate([table.missing for table in tables]))


def present(values: Floats) -> list[float | None]:
    """A column with None for nan, as `intervals.means` takes it."""
    return [None if value != value else value for value in values.tolist()]
