"""The charts of a run as vega-lite specifications: means with intervals, and how values spread."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from markupsafe import Markup

from sociolab.report.distributions import bin_edges, counts, told
from sociolab.report.result import ScoreDistribution
from sociolab.report.schema import MeasureEntry, RunResult, ScoreEntry
from sociolab.report.score_tables import judges_of
from sociolab.report.words import minus, sanitize

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_WIDTH, _STEP = 210, 26
_LABEL = (
    "length(datum.label) > 20 ? slice(datum.label, 0, 9) + '\u2026' + slice(datum.label, -10) : "
    "datum.label"
)
"""A label beside a chart; of one that is too long its two ends, as names of models differ there."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its title, the same in words for those who do not see it, and what vega-lite draws.

    `spec` holds numbers and labels only; `number` counts the charts of a page from 0.
    """

    number: int
    title: str
    told: str
    spec: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of one judge's measures; `even` names those of which all values are equal."""

    judge: str
    charts: tuple[Chart, ...]
    even: tuple[str, ...] = ()


def mean_charts(result: RunResult, first: int = 0) -> tuple[Charts, ...]:
    """For each judge, a chart of each measure with a range: agents, or an only agent's types.

    `first` is the number of the first chart.
    """
    numbers = count(first)
    found = []
    for judge in judges_of(result):
        charts, even = [], []
        for measure in result.declared.ordered(result.measures, lambda one: one.measure):
            dots = _dots(result, judge, measure.measure)
            values = {entry.value for _, entry in dots} - {None}
            if measure.high is None or not values:
                continue
            if len(dots) > 1 and len(values) == 1:
                even.append(f"{measure.title} {minus(f'{values.pop():z.2f}')}")
            else:
                charts.append(_mean_chart(next(numbers), measure, judge, dots))
        if charts:
            found.append(Charts(judge, tuple(charts), tuple(even)))
    return tuple(found)


def spread_charts(
    result: RunResult, spreads: Sequence[ScoreDistribution], first: int = 0
) -> tuple[Charts, ...]:
    """For each judge, histograms of each measure that was given more than one value."""
    numbers = count(first)
    found = []
    for judge in judges_of(result):
        charts, even = [], []
        for measure in result.declared.ordered(result.measures, lambda one: one.measure):
            mine = [s for s in spreads if (s.judge, s.measure) == (judge, measure.measure)]
            values = {value for spread in mine for value in spread.values}
            if len(values) == 1:
                even.append(f"{measure.title} {minus(f'{values.pop():z.2f}')}")
            elif values:
                charts.append(_spread_chart(next(numbers), measure, judge, mine, max(values)))
        if charts:
            found.append(Charts(judge, tuple(charts), tuple(even)))
    return tuple(found)


def _dots(result: RunResult, judge: str, measure: str) -> list[tuple[str, ScoreEntry]]:
    """A label and an entry for each agent; for an only agent, for each type and all together."""
    mine = [e for e in result.scores if e.judge == judge and e.measure == measure and e.agent]
    whole = [entry for entry in mine if not entry.by]
    types = [e for e in mine if set(e.by) == {"type"} and (e.n or e.failures)]
    if len(result.agents) != 1 or not types:
        return [(entry.agent or "", entry) for entry in whole]
    if len(types) == 1:
        return [(types[0].by["type"], types[0])]
    return [(entry.by.get("type", "all types"), entry) for entry in (*whole, *types)]


def _mean_chart(
    number: int, measure: MeasureEntry, judge: str, dots: Sequence[tuple[str, ScoreEntry]]
) -> Chart:
    assert measure.high is not None
    rows = [
        {"who": label, "value": entry.value, "low": entry.low, "high": entry.high, "n": entry.n}
        for label, entry in dots
        if entry.value is not None
    ]
    x = {"type": "quantitative", "scale": {"domain": [measure.low, measure.high]}, "title": None}
    y = _rows([label for label, _ in dots])
    spec = {
        **_frame(rows),
        "height": {"step": _STEP},
        "encoding": {"y": y},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "clip": True},
                "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"x": {"field": "value", **x}},
            },
        ],
    }
    words = "; ".join(_told(label, entry) for label, entry in dots)
    return Chart(number, measure.title, f"{measure.title} by {judge}: {words}", spec)


def _told(label: str, entry: ScoreEntry) -> str:
    if entry.value is None:
        return f"{label} not scored"
    if entry.low is None or entry.high is None:
        return minus(f"{label} {entry.value:z.2f}, no interval, n {entry.n:,}")
    return minus(f"{label} {entry.value:z.2f} [{entry.low:z.2f}, {entry.high:z.2f}], n {entry.n:,}")


def _spread_chart(
    number: int,
    measure: MeasureEntry,
    judge: str,
    spreads: Sequence[ScoreDistribution],
    highest: float,
) -> Chart:
    top = measure.high if measure.high is not None else max(highest, measure.low + 1)
    edges = bin_edges(measure.low, top, whole=measure.whole)
    rows = [
        {"who": spread.agent, "from": edges[i], "to": edges[i + 1], "plays": plays}
        for spread in spreads
        for i, plays in enumerate(counts(spread.values, edges))
    ]
    x = {
        "type": "quantitative",
        "scale": {"domain": [edges[0], edges[-1]], "nice": False},
        "title": None,
    }
    shares = {"type": "quantitative", "title": None, "axis": {"tickCount": 2, "format": "d"}}
    spec = {
        **_frame(rows),
        "height": 44,
        "spacing": 8,
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": {"field": "from", **x, "bin": {"binned": True}},
            "x2": {"field": "to"},
            "y": {"field": "plays", **shares},
            "row": {
                "field": "who",
                "title": None,
                "sort": [spread.agent for spread in spreads],
                "header": {
                    "labelAngle": 0,
                    "labelAlign": "left",
                    "labelLimit": 160,
                    "labelExpr": _LABEL,
                },
            },
        },
        "resolve": {"scale": {"y": "independent"}},
    }
    words = "; ".join(told(spread) for spread in spreads)
    return Chart(number, measure.title, f"Spread of {measure.title} by {judge}: {words}", spec)


def _frame(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"$schema": _SCHEMA, "width": _WIDTH, "data": {"values": list(rows)}}


def _rows(labels: Sequence[str]) -> dict[str, Any]:
    """The axis of labels, in their own order."""
    return {
        "field": "who",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": list(dict.fromkeys(labels))},
        "axis": {"labelLimit": 160, "labelExpr": _LABEL},
    }


def chart_data(groups: Iterable[Charts]) -> Markup:
    """The specifications of all charts of a page, in the order of their places in it."""
    specs = [chart.spec for group in groups for chart in group.charts]
    text = sanitize(json.dumps(specs, ensure_ascii=True))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
