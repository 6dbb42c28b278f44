"""Format the figures of an analysis: differences, intervals, p-values, titles of metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from sociolab.core.metrics import Declared
from sociolab.core.score import Measure
from sociolab.report.words import interval_line, join_names, legend, minus, percent as percent_of

if TYPE_CHECKING:
    from sociolab.stats.correlation import Correlation
    from sociolab.stats.intervals import Estimate

NOTHING = "\N{EN DASH}"


class Interval(Protocol):
    """Anything with a lower and an upper end; both are None where there is no interval."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def figure(value: float | None, measure: Measure) -> str:
    """A value or difference with two decimals, or three if the metric's range is 1 or less; a dash
    for None."""
    if value is None:
        return NOTHING
    decimals = 3 if measure.high - measure.low <= 1 else 2
    return minus(f"{value:z.{decimals}f}")


def span(interval: Interval, measure: Measure) -> str:
    """An interval such as "[-0.12, 0.30]"; "" if there is none."""
    if interval.low is None or interval.high is None:
        return ""
    return f"[{figure(interval.low, measure)}, {figure(interval.high, measure)}]"


def p_text(p: float | None) -> str:
    """A p-value with three decimals, or "<0.001"; a dash for None."""
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def title_of(measure: Measure) -> str:
    return measure.title or measure.name.replace("_", " ")


def headed(measure: Measure, declared: Declared) -> str:
    """The title of a metric in a table, with a mark where lower is better."""
    return title_of(measure) + declared.metric(measure.name).mark


def explained(measures: Iterable[Measure], declared: Declared) -> tuple[dict[str, str], str]:
    """The meaning of metrics by heading, and a legend that spells out abbreviations and says which
    end is better."""
    rows = [(m, declared.metric(m.name)) for m in measures]
    tips = {headed(m, declared): metric.describe(m.low, m.high) for m, metric in rows}
    spelt = legend(((title_of(m), m.low, m.high, metric) for m, metric in rows), better=True)
    return tips, spelt


def titles(measures: Iterable[Measure]) -> str:
    """The titles of metrics as a list in a sentence, such as "SOC, SEC and GOAL"."""
    return join_names([title_of(measure) for measure in measures])


def rounded(document: Any) -> Any:
    """A JSON document with its numbers rounded to eight significant digits: further digits of a sum
    differ between machines."""
    if isinstance(document, dict):
        return {key: rounded(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [rounded(value) for value in document]
    return float(f"{document:.8g}") + 0.0 if isinstance(document, float) else document


def plain(value: float | None, *, percent: bool = False, sign: bool = False) -> str:
    """A value with two decimals, or as a whole percentage; a dash for None."""
    if value is None:
        return NOTHING
    if percent:
        return percent_of(value)
    text = f"{value:{'+' if sign else ''}.2f}"
    return "0.00" if text in ("-0.00", "+0.00") else minus(text)


def share(value: float | None) -> str:
    """A share from 0 to 1 as a whole percentage; a dash for None."""
    return plain(value, percent=True)


def ends(interval: Interval, *, percent: bool = False, sign: bool = False) -> str:
    """An interval such as "[0.12, 0.30]", with `percent` truncated to 0 and 1; a dash if there is
    none."""
    if interval.low is None or interval.high is None:
        return NOTHING
    low, high = interval.low, interval.high
    if percent:
        low, high = max(low, 0.0), min(high, 1.0)
    return "[{}, {}]".format(*(plain(end, percent=percent, sign=sign) for end in (low, high)))


def cell(estimate: Estimate | Correlation, *, percent: bool = False, sign: bool = False) -> str:
    """A value, followed by its interval if it has one."""
    text = plain(estimate.value, percent=percent, sign=sign)
    if estimate.low is None:
        return text
    return f"{text} {ends(estimate, percent=percent, sign=sign)}"


def interval_notes(estimates: Iterable[Estimate], cluster: str) -> tuple[str, ...]:
    """Notes for a table: how these intervals were computed, and why some are missing."""
    from sociolab.stats.intervals import TRUNCATED_NOTE  # imports numpy, which takes long

    valued = [estimate for estimate in estimates if estimate.value is not None]
    intervals = [(e.clusters, e.method) for e in valued if e.method != "none"]
    cut = any(estimate.note == TRUNCATED_NOTE for estimate in valued)
    rest = "; truncated at the ends of what the scale allows" if cut else ""
    notes = (interval_line(intervals, cluster) + rest,) if intervals else ()
    return (*notes, *missing_notes(e.note for e in valued if e.method == "none"))


def missing_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """A note on why intervals are missing; none if no interval is."""
    reasons = sorted({note for note in notes if note})
    return (f"where no interval is shown: {', '.join(reasons)}",) if reasons else ()
