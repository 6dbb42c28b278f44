"""Figures of audits and panels in words: a value with its interval, and how intervals were made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sociolab.analysis.figures import NOTHING
from sociolab.core.metrics import Declared
from sociolab.core.score import Measure
from sociolab.report.words import minus
from sociolab.stats.intervals import CUT, Estimate

_METHODS: Mapping[str, str] = {"t": "Student's t", "bca": "BCa bootstrap"}


def plain(value: float | None, *, percent: bool = False, sign: bool = False) -> str:
    """A value with two decimals, or as a whole percentage; a dash for none."""
    if value is None:
        return NOTHING
    if percent:
        return f"{value:.0%}"
    shown = f"{value:{'+' if sign else ''}.2f}"
    return "0.00" if shown in ("-0.00", "+0.00") else minus(shown)


def cell(estimate: Estimate, *, percent: bool = False, sign: bool = False) -> str:
    """A value and, behind it, its interval where it has one; that of a share ends at 0 and 1."""
    shown = plain(estimate.value, percent=percent, sign=sign)
    if estimate.low is None or estimate.high is None:
        return shown
    low, high = estimate.low, estimate.high
    if percent:
        low, high = max(low, 0.0), min(high, 1.0)
    ends = [plain(end, percent=percent, sign=sign) for end in (low, high)]
    return f"{shown} [{ends[0]}, {ends[1]}]"


def titled(measure: Measure) -> str:
    """How a measure is called in tables."""
    return measure.title or measure.name


def main_measure(declared: Declared, measures: Collection[str]) -> str:
    """The measure that a world's agents are compared by, of these; "" where there are none."""
    return next((name for name in (*declared.main, *measures) if name in measures), "")


def table_notes(estimates: Iterable[Estimate], cluster: str) -> tuple[str, ...]:
    """How these intervals were made, and why some are not there."""
    found = [estimate for estimate in estimates if estimate.value is not None]
    methods = {estimate.method for estimate in found}
    notes = []
    if methods - {"none"}:
        counts = sorted({estimate.clusters for estimate in found if estimate.method != "none"})
        span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        how = " and ".join(_METHODS[method] for method in _METHODS if method in methods)
        cut = any(estimate.note == CUT for estimate in found)
        ends = "; one that would pass what the scale allows is cut there" if cut else ""
        notes.append(f"[95 % interval, clustered by {cluster} ({span}): {how}{ends}]")
    reasons = sorted({e.note for e in found if e.method == "none" and e.note})
    if reasons:
        notes.append(f"no interval where there is {' or '.join(reasons)}")
    return tuple(notes)


def condition_words(estimate: Estimate) -> str:
    """An effect with what its interval says of it."""
    shown = f"{cell(estimate, sign=True)} points"
    if estimate.value is None:
        return "nothing is known"
    if estimate.low is None or estimate.high is None:
        return f"{shown} (no interval: {estimate.note})"
    if estimate.low <= 0 <= estimate.high:
        return f"{shown}, which cannot be told from none"
    return shown
