"""Figures of an analysis as text: differences, intervals, p-values, names of measures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from sociolab.core.score import Measure
from sociolab.report.words import minus

NOTHING = "\N{EN DASH}"


class Interval(Protocol):
    """Anything that has two ends, or none."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""


def figure(value: float | None, measure: Measure) -> str:
    """A value or difference: two decimals, three of measures no wider than 1; a dash for none."""
    if value is None:
        return NOTHING
    decimals = 3 if measure.high - measure.low <= 1 else 2
    return minus(f"{value:z.{decimals}f}")


def span(found: Interval, measure: Measure) -> str:
    """An interval as "[-0.12, 0.30]"; empty where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f"[{figure(found.low, measure)}, {figure(found.high, measure)}]"


def p_text(p: float | None) -> str:
    """A p-value: three decimals, or that it is below .001; a dash for none."""
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def in_words(cell: str) -> str:
    """What a cell of a table says, as a sentence says it: "62%" there is "62 %" here."""
    return cell.replace("%", " %")


def title_of(measure: Measure) -> str:
    """What a measure is called."""
    return measure.title or measure.name.replace("_", " ")


def titles(measures: Iterable[Measure]) -> str:
    """What measures are called, as a list in a sentence: "SOC, SEC and GOAL"."""
    return listed([title_of(measure) for measure in measures])


def listed(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"; empty for nothing."""
    *some, last = [*names] or [""]
    return f"{', '.join(some)} and {last}" if some else last


def rounded(document: Any) -> Any:
    """A JSON document with numbers of eight significant digits: the last digits of a sum differ
    from one machine to another."""
    if isinstance(document, dict):
        return {key: rounded(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [rounded(value) for value in document]
    return float(f"{document:.8g}") + 0.0 if isinstance(document, float) else document
