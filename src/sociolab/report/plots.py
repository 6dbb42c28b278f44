"""The charts of a run: which measures are drawn, for whom, and what is only named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from sociolab.report.charts import Dot, dot_plot
from sociolab.report.distributions import histograms
from sociolab.report.result import ScoreDistribution
from sociolab.report.schema import MeasureEntry, RunResult, ScoreEntry
from sociolab.report.score_tables import judges_of
from sociolab.report.words import minus


@dataclass(frozen=True, slots=True)
class Plots:
    """Charts of one judge's measures, side by side: a title and a chart each.

    `even` are those that are not drawn, as there is nothing to see: all values are equal.
    """

    judge: str
    charts: tuple[tuple[str, Markup], ...]
    even: tuple[str, ...] = ()


def charts_of(place: int, result: RunResult) -> tuple[Plots, ...]:
    """For each judge, a chart of each measure with a range: agents, or an only agent's types.

    Where each would have one dot only, one chart for each scale, with the measures for rows.
    """
    found = []
    for number_, judge in enumerate(judges_of(result)):
        drawn: list[tuple[MeasureEntry, list[Dot]]] = []
        even = []
        for measure in result.declared.ordered(result.measures, lambda one: one.measure):
            dots = _dots(result, judge, measure.measure)
            values = {dot.value for dot in dots} - {None}
            if measure.high is None or not values:
                continue
            if len(values) == 1 and len(dots) > 1:
                even.append(f"{measure.title} {minus(f'{values.pop():z.2f}')}")
            else:
                drawn.append((measure, dots))
        titled = [(measure.title, measure, dots) for measure, dots in drawn]
        if all(len(dots) == 1 for _, dots in drawn):
            titled = _by_scale(drawn)
        charts = tuple(
            (title, dot_plot(f"c{place}-{number_}-{i}", f"{title} by {judge}", dots, *_ends(scale)))
            for i, (title, scale, dots) in enumerate(titled)
        )
        if charts:
            found.append(Plots(judge, charts, tuple(even)))
    return tuple(found)


def _by_scale(
    drawn: Sequence[tuple[MeasureEntry, list[Dot]]],
) -> list[tuple[str, MeasureEntry, list[Dot]]]:
    """Measures of one dot each, together where they share a scale: rows are named by measures."""
    scales: dict[tuple[float, float], list[tuple[MeasureEntry, Dot]]] = {}
    for measure, dots in drawn:
        scales.setdefault(_ends(measure), []).append((measure, dots[0]))
    return [
        (
            f"{minus(f'{low:.3g}')} to {minus(f'{high:.3g}')}",
            some[0][0],
            [replace(dot, label=measure.title) for measure, dot in some],
        )
        for (low, high), some in scales.items()
    ]


def _ends(measure: MeasureEntry) -> tuple[float, float]:
    return measure.low, measure.low + 1 if measure.high is None else measure.high


def _dots(result: RunResult, judge: str, measure: str) -> list[Dot]:
    """A dot for each agent; for an only agent one for each type, and for all where it has several.

    A measure that one type only tells of has the same value for "all types": it gets one dot,
    named by the type.
    """
    mine = [e for e in result.scores if e.judge == judge and e.measure == measure and e.agent]
    whole = [entry for entry in mine if not entry.by]
    types = [e for e in mine if set(e.by) == {"type"} and (e.n or e.failures)]
    if len(result.agents) != 1 or not types:
        return [_dot(entry.agent or "", entry) for entry in whole]
    if len(types) == 1:
        return [_dot(types[0].by["type"], types[0])]
    return [_dot(entry.by.get("type", "all types"), entry) for entry in (*whole, *types)]


def _dot(label: str, entry: ScoreEntry) -> Dot:
    return Dot(label, entry.value, entry.low, entry.high)


def spreads_of(
    place: int, result: RunResult, spreads: Sequence[ScoreDistribution]
) -> tuple[Plots, ...]:
    """For each judge, histograms of each measure that was given more than one value."""
    found = []
    for number_, judge in enumerate(judges_of(result)):
        charts: list[tuple[str, Markup]] = []
        even = []
        for measure in result.declared.ordered(result.measures, lambda one: one.measure):
            mine = [s for s in spreads if (s.judge, s.measure) == (judge, measure.measure)]
            values = {value for spread in mine for value in spread.values}
            if len(values) == 1:
                even.append(f"{measure.title} {minus(f'{values.pop():z.2f}')}")
            elif values:
                key = f"s{place}-{number_}-{len(charts)}"
                title = f"Spread of {measure.title} by {judge}"
                charts.append((measure.title, histograms(key, title, mine, measure)))
        if charts:
            found.append(Plots(judge, tuple(charts), tuple(even)))
    return tuple(found)
