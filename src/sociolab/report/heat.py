"""Heat maps: how strongly the cells of a matrix are coloured, and what the colours mean.

One hue from pale to strong, so that no pair of colours has to be told apart; the figures stand in
the cells.
"""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.report.grids import Grid
from sociolab.report.schema import RunResult
from sociolab.report.words import minus, number

PALEST, STRONGEST = 0.05, 0.55
"""Opacities; ink stays legible on the strongest (contrast above 5 in both colour schemes)."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A matrix and the values that its colours span: those of the table, not of the scale."""

    grid: Grid
    low: float
    high: float
    legend: tuple[str, str]

    def shade(self, value: float) -> float:
        """The opacity of a cell with this value."""
        return shade(value, self.low, self.high)


def heat_of(result: RunResult, grid: Grid) -> Heat:
    """The heat map of a matrix of one measure."""
    entries = [entry for entry in grid.entries if entry.value is not None]
    values = [entry.value for entry in entries if entry.value is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if not entries:
        return Heat(grid, low, high, ("", ""))
    measure = result.measure(entries[0].measure)
    return Heat(grid, low, high, (minus(number(low, measure)), minus(number(high, measure))))


def shade(value: float, low: float, high: float) -> float:
    """How strongly a cell is coloured, for a value among those from low to high."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(PALEST + (STRONGEST - PALEST) * share, 3)
