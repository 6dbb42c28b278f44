"""Charts for pages as Vega-Lite specifications, each with a title and a description in words.

A specification holds data and shapes; the page that draws it (`static/charts.js`) adds colours and
fonts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from sociolab.report.result import ScoreDistribution
from sociolab.report.run_facts import partner_last
from sociolab.report.schema import MeasureEntry, RunResult, ScoreEntry
from sociolab.report.score_tables import judges_of, measures_of
from sociolab.report.section import Chart, Spec
from sociolab.report.words import minus

WIDTH = 210
"""Width in pixels of the drawing area, between the labels and the texts to the right."""
STEP = 26
"""Height in pixels of a row with a dot or a bar."""
_BAR = 44
"""Height in pixels of a row with a histogram."""
_BINS = 10
_MOST_WHOLE = 21
"""Maximum number of whole numbers that have a bin each; a wider scale has `_BINS` bins."""
LABEL = (
    "length(datum.label) > 20 ? slice(datum.label, 0, 9) + '\u2026' + slice(datum.label, -10) : "
    "datum.label"
)
"""An expression for labels: long ones are cut in the middle, as names of models differ at the ends.
"""


@dataclass(frozen=True, slots=True)
class ChartGroup:
    """The charts of one judge's metrics; `even` names the metrics that have none, since all their
    values are equal."""

    judge: str
    charts: tuple[Chart, ...]
    even: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval, each None if missing."""

    label: str
    value: float | None
    low: float | None
    high: float | None

    def describe(self, without: str) -> str:
        """The dot in words; `without` stands for a missing value."""
        if self.value is None:
            return f"{self.label}: {without}"
        if self.low is None or self.high is None:
            return f"{self.label}: {_figure(self.value)}, no interval"
        span = f"{_figure(self.low)} to {_figure(self.high)}"
        return f"{self.label}: {_figure(self.value)}, 95 % interval {span}"


@dataclass(frozen=True, slots=True)
class Bars:
    """A row of bars, each with its lower end, upper end and height; a mark below the bars, and
    texts to their right."""

    label: str
    bins: Sequence[tuple[float, float, int]]
    mark: float | None
    beside: str
    missing: str = ""


# ------------------------------------------------------------------ the charts of a run


def mean_charts(result: RunResult) -> tuple[ChartGroup, ...]:
    """For each judge, a chart of each metric with a range: a dot for each agent, or for each type
    of task if there is one agent.

    If every chart would have a single dot, there is one chart for each scale, with a row for each
    metric.
    """
    groups = []
    for judge in judges_of(result):
        drawn: list[tuple[MeasureEntry, list[Dot]]] = []
        even = []
        for measure in measures_of(result, result.scores):
            dots = _dots(result, judge, measure.measure)
            values = {dot.value for dot in dots if dot.value is not None}
            if measure.high is None or not values:
                continue
            if len(values) == 1 and len(dots) > 1:
                even.append(f"{measure.title} {_figure(values.pop())}")
            else:
                drawn.append((measure, dots))
        titled = [(measure.title, measure, dots) for measure, dots in drawn]
        if all(len(dots) == 1 for _, dots in drawn):
            titled = _by_scale(drawn)
        if titled:
            charts = tuple(dot_chart(title, dots, *_ends(scale)) for title, scale, dots in titled)
            groups.append(ChartGroup(judge, charts, tuple(even)))
    return tuple(groups)


def distribution_charts(
    result: RunResult, distributions: Sequence[ScoreDistribution]
) -> tuple[ChartGroup, ...]:
    """For each judge, histograms of each metric that has more than one value."""
    groups = []
    order = _places(result)
    distributions = sorted(distributions, key=lambda distribution: order[distribution.agent])
    for judge in judges_of(result):
        charts, even = [], []
        for measure in measures_of(result, result.scores):
            rows = [s for s in distributions if (s.judge, s.measure) == (judge, measure.measure)]
            values = {value for some in rows for value in some.values}
            if len(values) == 1:
                even.append(f"{measure.title} {_figure(values.pop())}")
            elif values:
                charts.append(histograms(measure.title, rows, measure))
        if charts:
            groups.append(ChartGroup(judge, tuple(charts), tuple(even)))
    return tuple(groups)


def _by_scale(
    drawn: Sequence[tuple[MeasureEntry, list[Dot]]],
) -> list[tuple[str, MeasureEntry, list[Dot]]]:
    """Metrics with one dot each, grouped by scale; the rows are named after the metrics."""
    scales: dict[tuple[float, float], list[tuple[MeasureEntry, Dot]]] = {}
    for measure, dots in drawn:
        scales.setdefault(_ends(measure), []).append((measure, dots[0]))
    return [
        (
            f"{_short(low)} to {_short(high)}",
            some[0][0],
            [replace(dot, label=measure.title) for measure, dot in some],
        )
        for (low, high), some in scales.items()
    ]


def _ends(measure: MeasureEntry) -> tuple[float, float]:
    return measure.low, measure.low + 1 if measure.high is None else measure.high


def _dots(result: RunResult, judge: str, measure: str) -> list[Dot]:
    """A dot for each agent; for a single agent, one for each type of task, and one for all types if
    there are several. A metric of a single type has one dot, named after the type."""
    entries = [e for e in result.scores if e.judge == judge and e.measure == measure and e.agent]
    order = _places(result)
    overall = sorted((e for e in entries if not e.by), key=lambda entry: order[entry.agent or ""])
    types = [e for e in entries if set(e.by) == {"type"} and (e.n or e.failures)]
    if len(result.agents) != 1 or not types:
        return [_dot(entry.agent or "", entry) for entry in overall]
    if len(types) == 1:
        return [_dot(types[0].by["type"], types[0])]
    return [_dot(entry.by.get("type", "all types"), entry) for entry in (*overall, *types)]


def _places(result: RunResult) -> Counter[str]:
    """The position of each agent, the partner last; 0 for labels that are no agents."""
    return Counter({agent: place for place, agent in enumerate(partner_last(result))})


def _dot(label: str, entry: ScoreEntry) -> Dot:
    return Dot(label, entry.value, entry.low, entry.high)


# ------------------------------------------------------------------ kinds of charts


def dot_chart(title: str, dots: Sequence[Dot], low: float, high: float) -> Chart:
    """A row for each value on an axis from `low` to `high`, with its interval as a line, clipped at
    the ends of the axis."""
    rows = [
        {
            "who": dot.label,
            "value": dot.value,
            "low": dot.low,
            "high": dot.high,
            "beside": "not scored" if dot.value is None else _figure(dot.value),
        }
        for dot in dots
    ]
    spec = {
        "data": {"values": rows},
        "width": WIDTH,
        "height": {"step": STEP},
        "encoding": {"y": labels("who", [dot.label for dot in dots])},
        "layer": interval_layers("value", low, high),
    }
    return Chart(title, "; ".join(dot.describe("not scored") for dot in dots), spec)


def histograms(
    title: str, distributions: Sequence[ScoreDistribution], measure: MeasureEntry
) -> Chart:
    """A histogram of scores for each agent, over a common axis, with a triangle at the median.

    A scale of a few whole numbers has a bin for each, any other ten; a scale without an upper end
    is drawn up to the highest value.
    """
    edges = bin_edges(measure.low, _axis_end(distributions, measure), integers=measure.whole)
    rows = [
        Bars(
            distribution.agent,
            tuple(zip(edges, edges[1:], counts(distribution.values, edges), strict=False)),
            median(distribution.values) if distribution.points else None,
            f"n {len(distribution.points):,}",
            f"{distribution.missing:,} failed" if distribution.missing else "",
        )
        for distribution in distributions
    ]
    words = "; ".join(map(describe_spread, distributions))
    return bar_chart(title, words, rows, (edges[0], edges[-1]))


def bar_chart(
    title: str, text: str, rows: Sequence[Bars], ends: tuple[float, float], *, zero: bool = False
) -> Chart:
    """Rows of bars over a common axis; heights are scaled row by row. `zero` draws a line at 0."""
    x: Spec = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": list(ends), "nice": False},
        "axis": {"offset": 8, "grid": False},
    }
    if zero:
        x["axis"] |= {"values": [math.ceil(ends[0]), 0, math.floor(ends[1])]}
    heights = {"type": "quantitative", "title": None, "axis": {"tickCount": 2, "format": "d"}}
    mark = {"type": "point", "shape": "triangle-up", "filled": True, "size": 36, "style": "strong"}
    beside = {"type": "text", "align": "left"}
    right = {"value": WIDTH + 6}
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.from)"}],
            "mark": {"type": "bar", "binSpacing": 1},
            "encoding": {
                "x": {"field": "from", **x, "bin": {"binned": True}},
                "x2": {"field": "to"},
                "y": {"field": "plays", **heights},
            },
        },
        {
            "transform": [{"filter": "isValid(datum.mark)"}],
            "mark": mark,
            "encoding": {"x": {"field": "mark", **x}, "y": {"value": _BAR + 4}},
        },
        {
            "transform": [{"filter": "isValid(datum.beside)"}],
            "mark": beside,
            "encoding": {"text": {"field": "beside"}, "x": right, "y": {"value": 12}},
        },
        {
            "transform": [{"filter": "isValid(datum.missing)"}],
            "mark": {**beside, "style": "bad"},
            "encoding": {"text": {"field": "missing"}, "x": right, "y": {"value": 27}},
        },
    ]
    if zero:
        layers.append(
            {"mark": {"type": "rule", "style": "faint"}, "encoding": {"x": {"datum": 0, **x}}}
        )
    values: list[Spec] = []
    for row in rows:
        for start, end, plays in row.bins:
            values.append({"who": row.label, "from": start, "to": end, "plays": plays})
        texts = {"missing": row.missing} if row.missing else {}
        values.append({"who": row.label, "mark": row.mark, "beside": row.beside, **texts})
    spec = {
        "data": {"values": values},
        "facet": {
            "row": {
                "field": "who",
                "title": None,
                "sort": [row.label for row in rows],
                "header": {
                    "labelAngle": 0,
                    "labelAlign": "left",
                    "labelLimit": 160,
                    "labelExpr": LABEL,
                },
            }
        },
        "spacing": 12,
        "spec": {"width": WIDTH, "height": _BAR, "layer": layers},
        "resolve": {"scale": {"y": "independent"}},
    }
    return Chart(title, text, spec)


def line_chart(title: str, dots: Sequence[Dot], low: float, high: float) -> Chart:
    """The values from left to right, joined by a line, with their intervals as vertical lines.

    The axis reaches as far as the intervals do, but not past `low` and `high`. A dot without a
    value is left out of the line.
    """
    ends = [end for dot in dots for end in (dot.low, dot.value, dot.high) if end is not None]
    ticks = list(_ticks(min(ends, default=low), max(ends, default=high), low, high))
    width = 2 * WIDTH
    y = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [ticks[0], ticks[-1]], "nice": False},
        "axis": {"values": ticks},
    }
    names = [dot.label for dot in dots]
    x = labels("who", names) | {
        "axis": {"labelAngle": 0, "labelLimit": max(24, width // max(1, len(names)))}
    }
    rows = [
        {"who": dot.label, "value": dot.value, "low": dot.low, "high": dot.high} for dot in dots
    ]
    spec = {
        "data": {"values": rows},
        "width": width,
        "height": 150,
        "encoding": {"x": x},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": "line",
                "encoding": {"y": {"field": "value", **y}},
            },
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
                "encoding": {"y": {"field": "low", **y}, "y2": {"field": "high"}},
            },
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"y": {"field": "value", **y}},
            },
        ],
    }
    return Chart(title, "; ".join(dot.describe("no value") for dot in dots), spec)


def interval_layers(value: str, low: float, high: float) -> list[Spec]:
    """Layers for dots (at the field named `value`), intervals (fields "low" and "high") and texts
    to the right (field "beside"), on an axis from `low` to `high`."""
    middle = 0.0 if low < 0 < high else (low + high) / 2
    slack = (high - low) * 1e-6
    x = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [low, high], "nice": False},
        "axis": {"values": [low, middle, high], "format": ".3~g"},
    }
    return [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55, "clip": True},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
        },
        {
            # A dot at the end of the axis is drawn whole, one past it is not; with slack.
            "transform": [
                {"filter": f"isValid(datum.{value})"},
                {"filter": {"field": value, "range": [low - slack, high + slack]}},
            ],
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"x": {"field": value, **x}},
        },
        {
            "mark": {"type": "text", "align": "left"},
            "encoding": {"text": {"field": "beside"}, "x": {"value": WIDTH + 6}},
        },
    ]


def labels(field: str, names: Sequence[str]) -> Spec:
    """An axis of names in the given order."""
    return {
        "field": field,
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": list(dict.fromkeys(names))},
        "axis": {"labelLimit": 160, "labelExpr": LABEL},
    }


def _ticks(least: float, most: float, low: float, high: float) -> Iterator[float]:
    """Two or more round numbers from below `least` to above `most`, within the scale's ends."""
    width = most - least or (high - low) / 4
    power = 10.0 ** math.floor(math.log10(width / 3))
    step = next(power * times for times in (1, 2, 5, 10) if power * times * 4 >= width)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    top = min(high, max(last, first + 1) * step)
    bottom = max(low, min(first * step, top - step))
    between = (i * step for i in range(first + 1, last))
    yield from (bottom, *(value for value in between if bottom < value < top), top)


# ------------------------------------------------------------------ distributions


def _axis_end(distributions: Sequence[ScoreDistribution], measure: MeasureEntry) -> float:
    if measure.high is not None and measure.high > measure.low:
        return measure.high
    highest = max((value for s in distributions for value in s.values), default=measure.low)
    return highest if highest > measure.low else measure.low + 1


def bin_edges(low: float, high: float, *, integers: bool) -> tuple[float, ...]:
    """The edges of the bins, ascending; with `integers`, each number is the middle of a bin, unless
    there are too many."""
    if integers and high - low < _MOST_WHOLE:
        return tuple(low - 0.5 + i for i in range(int(high - low) + 2))
    return tuple(low + (high - low) * i / _BINS for i in range(_BINS + 1))


def counts(values: Sequence[float], edges: Sequence[float]) -> tuple[int, ...]:
    """The number of values in each bin. A bin includes its lower edge, the last one also its upper;
    a value outside all bins counts in the nearest."""
    bins = [0] * (len(edges) - 1)
    width = (edges[-1] - edges[0]) / len(bins)
    for value, plays in Counter(values).items():
        # Rounding may put a value such as 0.3 just below the edge of its bin.
        place = math.floor((value - edges[0]) / width + 1e-9)
        bins[min(max(place, 0), len(bins) - 1)] += plays
    return tuple(bins)


def describe_spread(spread: ScoreDistribution) -> str:
    """A distribution in words: number of scores, range and median."""
    missing = f", {spread.missing:,} missing" if spread.missing else ""
    values = spread.values
    if not values:
        return f"{spread.agent}: no values{missing}"
    if min(values) == max(values):
        return f"{spread.agent}: {len(values):,} episodes, all {_short(values[0])}{missing}"
    return (
        f"{spread.agent}: {len(values):,} episodes, {_short(min(values))} to "
        f"{_short(max(values))}, median {_short(median(values))}{missing}"
    )


def _figure(value: float) -> str:
    return minus(f"{value:z.2f}")


def _short(value: float) -> str:
    return minus(f"{value:.3g}")
