"""A curve over runs in words, tables and line charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.curves import Curve, Point
from sociolab.analysis.figures import figure, p_text, span, title_of
from sociolab.core.score import Measure
from sociolab.report.charts import Dot, line_chart
from sociolab.report.section import Figure, Section, TextTable
from sociolab.report.words import plural
from sociolab.stats.power import ALPHA


def curve_section(found: Curve, judged: str, cautions: Sequence[str]) -> Section:
    """The section; `judged` says what to think of the judge's figures."""
    told = [name for name, points in found.points.items() if any(p.mean.n for p in points)]
    runs = ", ".join(point.side.run for point in next(iter(found.points.values())))
    return Section(
        f"Curve over runs: {runs}",
        (_shared(found), judged, *_findings(found, told)),
        tuple(cautions),
        tuple(_table(found, name) for name in told),
        tuple(_figure(found, name) for name in told),
    )


def _shared(found: Curve) -> str:
    left = (
        f"; {plural(found.left, 'task')} that only some played are left out" if found.left else ""
    )
    clusters = max(p.mean.clusters for points in found.points.values() for p in points)
    unit = found.declared.cluster
    partner = "partner" if found.compared[0].by == "partner" else "role of the partner"
    return (
        f"{plural(len(found.tasks), 'task')} that all runs played{left}. Intervals and p take each "
        f"{unit} as one observation: {clusters:,} of them. What a run has over the first is taken "
        f"over plays of the same task, seat, {partner} and repeat, and its p corrected (Holm) for "
        "all measures and runs."
    )


def _findings(found: Curve, names: Sequence[str]) -> Iterator[str]:
    shown = False
    for name in names:
        measure, (first, *later) = found.measures[name], found.points[name]
        for point in later:
            if point.holm_p is not None and point.holm_p < ALPHA and point.against is not None:
                shown = True
                yield _moved(point, first, measure)
    if not shown:
        yield (
            "No run is shown to differ from the first in any measure. Not shown is not equal: any "
            "true difference inside an interval fits these plays."
        )


def _moved(point: Point, first: Point, measure: Measure) -> str:
    assert point.against is not None
    gap = point.against.difference
    value = gap.value or 0.0
    ends = span(gap, measure) or f"none, {gap.note}"
    return (
        f"{title_of(measure)} is {'higher' if value > 0 else 'lower'} in {point.side.run} than in "
        f"{first.side.run} by {figure(abs(value), measure)} (95 % interval of the difference: "
        f"{ends}; p after Holm's correction {p_text(point.holm_p)})."
    )


def _table(found: Curve, name: str) -> TextTable:
    measure, points = found.measures[name], found.points[name]
    missing = any(point.missing for point in points)
    heads = ("run", "mean", "95 % interval", "n", *(("missing",) if missing else ()))
    gaps = ("minus the first", "95 % interval", "Holm p")
    rows = tuple(
        (
            _called(point, points),
            figure(point.mean.value, measure),
            span(point.mean, measure),
            f"{point.mean.n:,}",
            *((f"{point.missing:,}" if point.missing else "",) if missing else ()),
            *_against(point, measure),
        )
        for point in points
    )
    return TextTable(
        f"{title_of(measure)} · judge: {found.judge} ({found.judge_id.method})",
        (*heads, *gaps),
        rows,
        tuple(_notes(points)),
    )


def _called(point: Point, points: Sequence[Point]) -> str:
    """A run; with its agent, where runs have different ones."""
    several = len({one.side.agent for one in points}) > 1
    return f"{point.side.run} ({point.side.agent})" if several else point.side.run


def _against(point: Point, measure: Measure) -> tuple[str, str, str]:
    if point.against is None:
        return "", "", ""
    gap = point.against.difference
    return figure(gap.value, measure), span(gap, measure), p_text(point.holm_p)


def _notes(points: Sequence[Point]) -> Iterator[str]:
    whys = [point.mean.note for point in points if point.mean.low is None]
    whys += [
        p.against.difference.note for p in points if p.against and p.against.difference.low is None
    ]
    for why in dict.fromkeys(filter(None, whys)):
        yield f"no interval: {why}"


def _figure(found: Curve, name: str) -> Figure:
    measure = found.measures[name]
    dots = [
        Dot(point.side.run, point.mean.value, point.mean.low, point.mean.high)
        for point in found.points[name]
    ]
    title = title_of(measure)
    low, high = figure(measure.low, measure), figure(measure.high, measure)
    caption = (
        f"{title}: means with 95 % intervals, judged by {found.judge}; as much of the scale from "
        f"{low} to {high} as they need."
    )
    return Figure(caption, line_chart(title, dots, measure.low, measure.high))
