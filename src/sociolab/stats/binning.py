"""Equal bins of a score's range, so that raters who are near each other count as agreeing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sociolab.stats.resample import Floats

_ROUNDING = 1e-9
"""How far below an edge, in widths of a bin, a value still counts as on it (.7 / .1 < 7)."""


@dataclass(frozen=True, slots=True)
class Bins:
    """A range from `low` to `high` in `count` bins of equal width, numbered from 0 upwards.

    SOTOPIA (appendix D) takes five for each dimension and does not say on which side an edge
    lies. Here it belongs to the bin above it, and the top edge to the last bin (as in numpy's
    histogram). So the whole scores 0-10 fall 2, 2, 2, 2 and 3 to a bin; in a dimension of -10-0,
    where nearly all scores are 0, the bin of three is the crowded one. ValueError for an empty
    range and for fewer than 2 bins, where all raters would always agree.
    """

    low: float
    high: float
    count: int = 5

    def __post_init__(self) -> None:
        if not self.low < self.high or self.count < 2:
            raise ValueError(
                f"expected a range with low < high and at least 2 bins, "
                f"found {self.low} to {self.high} and {self.count}"
            )

    @property
    def edges(self) -> tuple[float, ...]:
        """All `count` + 1 edges, from `low` to `high`."""
        width = self.high - self.low
        inner = (self.low + width * number / self.count for number in range(1, self.count))
        return (self.low, *inner, self.high)

    def of(self, value: float) -> int:
        """The number of the bin that holds this value; ValueError for one outside the range."""
        if not self.low <= value <= self.high:
            raise ValueError(f"expected a value from {self.low} to {self.high}, found {value}")
        widths = (value - self.low) / (self.high - self.low) * self.count
        return min(int(widths + _ROUNDING), self.count - 1)


def numbers(values: Floats, bins: Bins | Sequence[Bins]) -> Floats:
    """`Bins.of` of each value, in one set of bins or, row by row, in the bins of that row.

    nan stays nan; ranges are not checked.
    """
    each = (bins,) if isinstance(bins, Bins) else bins
    low, high, count = (
        np.array([[getattr(one, name)] for one in each], dtype=np.float64).reshape(-1, 1)
        for name in ("low", "high", "count")
    )
    widths = (values - low) / (high - low) * count
    return np.asarray(np.minimum(np.floor(widths + _ROUNDING), count - 1))
