"""Figures for a paper as PDF, SVG or PNG, legible at column width, in print and without colour.
Pages have their own charts (`report.charts`); both are Vega-Lite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from sociolab.core.errors import ConfigError, missing_extra
from sociolab.core.metrics import format_range
from sociolab.core.score import leading_judge
from sociolab.core.user_files import atomic_file
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.score_tables import Grid, main_measure, measures_of, pair_grids
from sociolab.report.section import Spec
from sociolab.report.words import headed, metric_of, minus, number

WIDTH, NARROW = 150, 105
"""Width of the drawing area in points, without and with figures to its right; with labels, both fit
a column of 3.3 inches."""
_ROW, _AGENT = 15, 9
"""Height in points of a row with one value, and of each agent in a row with several."""
_PPI = 300
_INK, _PAPER = "#1a1a1a", "white"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#1a1a1a")
"""A palette for colour-blind readers, too (Okabe and Ito 2008)."""
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
_CONFIG: Spec = {
    "background": _PAPER,
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 8, "titleFontSize": 8, "titleFontWeight": "normal", "labelColor": _INK,
        "titleColor": _INK, "domainColor": "#888888", "tickColor": "#888888", "tickSize": 3,
        "gridColor": {"condition": {"test": "datum.value === 0", "value": "#777777"},
                      "value": "#e6e6e6"}, "titlePadding": 3,
        # By default, Vega moves ticks and grid to whole pixels, off the data by up to half a point.
        "tickRound": False, "translate": 0,
    },
    "axisLeft": {"labelOffset": 0.5},
    "legend": {
        "orient": "top", "title": None, "labelFontSize": 8, "symbolSize": 40, "labelLimit": 220,
        "labelColor": _INK, "offset": 4, "padding": 0,
    },
    "text": {"fontSize": 7.5, "color": _INK},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval in a row; `series` decides on colour and shape, and `beside` is
    printed to the right."""

    row: str
    series: str
    value: float
    low: float | None
    high: float | None
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows over a common axis with this title and these ends."""

    axis: str
    low: float
    high: float
    points: tuple[Point, ...]


def interval_figure(
    panels: Sequence[Panel], series: Sequence[str], *, filled: bool = False
) -> Spec:
    """A figure of stacked panels. Several series of a row are drawn below each other; with
    `filled`, each row has one point, which is hollow if it is of the second series."""
    parts = [_panel(panel, series, filled=filled) for panel in panels if panel.points]
    return {"vconcat": parts, "bounds": "flush", "spacing": 34, "config": _CONFIG}


def _panel(panel: Panel, series: Sequence[str], *, filled: bool) -> Spec:
    rows = list(dict.fromkeys(point.row for point in panel.points))
    several = len(series) > 1 and not filled
    width = NARROW if any(point.beside for point in panel.points) else WIDTH
    x = {
        "type": "quantitative",
        "title": panel.axis,
        "scale": {"domain": [panel.low, panel.high], "nice": False, "zero": False},
        "axis": {"tickCount": 5, "grid": True, "labelFlush": False},
    }
    y: Spec = {
        "field": "row",
        "type": "nominal",
        "title": None,
        "sort": None,
        "scale": {"domain": rows, "padding": 0.3 if several else 0.1},
        "axis": {"labelLimit": 110, "ticks": False, "domain": False, "grid": False},
    }
    offset = {"yOffset": {"field": "series", "scale": {"domain": list(series)}}} if several else {}
    colours = [_COLOURS[i % len(_COLOURS)] for i in range(len(series))]
    shapes = [_SHAPES[i % len(_SHAPES)] for i in range(len(series))]
    legend: Spec | None = {"columns": 2} if len(series) > 1 else None
    by = {"field": "series", "type": "nominal", "legend": legend}
    if filled:
        dots: Spec = {
            "fill": {**by, "scale": {"domain": list(series), "range": [_INK, _PAPER]}},
            "stroke": {"value": _INK},
        }
        line: Spec = {"value": _INK}
    else:
        line = {**by, "scale": {"domain": list(series), "range": colours}}
        dots = {
            "fill": line,
            "stroke": line,
            "shape": {**by, "scale": {"domain": list(series), "range": shapes}},
        }
    values = [
        {
            "row": point.row, "series": point.series, "value": point.value, "low": point.low,
            "high": point.high, "beside": point.beside,
        }
        for point in panel.points
    ]  # fmt: skip
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 1.2, "clip": True},
            "encoding": {
                "x": {"field": "low", **x},
                "x2": {"field": "high"},
                "color": line,
                **offset,
            },
        },
        {
            "mark": {"type": "point", "size": 34, "opacity": 1, "strokeWidth": 1},
            "encoding": {"x": {"field": "value", **x}, **dots, **offset},
        },
        {
            "mark": {"type": "text", "align": "left"},
            "encoding": {"text": {"field": "beside"}, "x": {"value": width + 6}},
        },
    ]
    height = len(rows) * (_AGENT * len(series) + 6 if several else _ROW)
    return {
        "data": {"values": values},
        "width": width,
        "height": height,
        "encoding": {"y": y},
        "layer": layers,
    }


# ------------------------------------------------------------------ figures of a run


def mean_figure(result: RunResult) -> Spec | None:
    """Means with 95 % intervals: a row for each metric of the main judge, with all agents; metrics
    with the same range share an axis. None if no metric with a range has a value."""
    judge = _main_judge(result)
    scored = {entry.agent for entry in result.scores if entry.judge == judge}
    agents = [agent for agent in result.agents if agent in scored]
    entries = [e for e in result.scores if e.judge == judge and e.agent in agents and not e.by]
    ranges: dict[tuple[float, float, str], list[Point]] = {}
    for measure in measures_of(result, entries):
        if measure.high is None:
            continue
        unit = metric_of(result, measure).unit
        points = ranges.setdefault((measure.low, measure.high, unit), [])
        points += [
            Point(headed(result, measure), str(e.agent), e.value, e.low, e.high)
            for agent in agents
            for e in entries
            if e.measure == measure.measure and e.agent == agent and e.value is not None
        ]
    panels = [
        Panel(
            f"mean, {format_range(low, high)}{f' ({unit})' if unit else ''}",
            low,
            high,
            tuple(points),
        )
        for (low, high, unit), points in ranges.items()
        if points
    ]
    return interval_figure(panels, agents) if panels else None


def _main_judge(result: RunResult) -> str:
    scored = {entry.judge for entry in result.scores if entry.agent and entry.n}
    judges = {judge.judge: judge.id for judge in result.judges if judge.judge in scored}
    return leading_judge(judges) or ""


def heat_figure(result: RunResult) -> Spec | None:
    """The agent-partner matrix of the main judge's main metric; None if the run has none."""
    judge = _main_judge(result)
    entries = [e for e in result.scores if e.judge == judge and set(e.by) == {"partner"}]
    for grid in pair_grids(result, details=False):
        if any(e.judge == judge for e in grid.entries):
            (measure,) = main_measure(result, entries)
            unit = metric_of(result, measure).unit
            title = f"{headed(result, measure)}, {format_range(measure.low, measure.high)}"
            return _heat(grid, f"{title} ({unit})" if unit else title, result)
    return None


def _heat(grid: Grid, title: str, result: RunResult) -> Spec:
    def text(entry: ScoreEntry) -> str:
        assert entry.value is not None
        return minus(number(entry.value, result.measure(entry.measure)))

    cells = [
        {"agent": row.label, "partner": partner, "value": cell.value, "text": text(cell)}
        for row in grid.rows
        for partner, cell in zip(grid.columns, row.cells, strict=True)
        if cell is not None and cell.value is not None
    ]
    values = [float(str(cell["value"])) for cell in cells]
    dark = min(values) + 0.6 * (max(values) - min(values))
    axis = {"labelLimit": 110, "ticks": False, "domain": False, "grid": False}
    names = [row.label for row in grid.rows]
    turned = max(map(len, grid.columns)) > 7
    x = {"field": "partner", "type": "nominal", "sort": list(grid.columns), "title": "partner",
         "axis": {**axis, "orient": "top", "labelAngle": -40 if turned else 0}}  # fmt: skip
    y = {"field": "agent", "type": "nominal", "sort": names, "title": "agent", "axis": axis}
    side = max(30, min(60, WIDTH // max(1, len(grid.columns))))
    legend = {"orient": "bottom", "title": title, "titleFontSize": 8, "titleFontWeight": "normal",
              "titleLimit": 240, "gradientLength": WIDTH, "gradientThickness": 8,
              "tickCount": 3}  # fmt: skip
    colour = {"field": "value", "type": "quantitative", "legend": legend,
              "scale": {"scheme": "blues", "zero": False, "nice": False}}  # fmt: skip
    ink = {"condition": {"test": f"datum.value > {dark!r}", "value": _PAPER}, "value": _INK}
    return {
        "data": {"values": cells},
        "width": {"step": side},
        "height": {"step": 24},
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": "rect", "encoding": {"color": colour}},
            {"mark": "text", "encoding": {"text": {"field": "text"}, "color": ink}},
        ],
        "config": _CONFIG,
    }


# ------------------------------------------------------------------ files


def write_figure(path: Path, spec: Spec, notes: Sequence[str] = ()) -> None:
    """Write a figure with notes below it to a .pdf, .svg or .png file, all or nothing.

    ConfigError for another suffix, where the extra `figures` is missing, and where the file cannot
    be written.
    """
    lines = [line for note in notes for line in wrap(note, 60)]
    below = {"text": lines, "orient": "bottom", "fontSize": 7.5, "fontWeight": "normal"}
    image = drawing(path)({**spec, "title": below} if lines else spec)
    try:
        with atomic_file(path) as file:
            file.write_bytes(image)
    except OSError as error:
        raise ConfigError(
            f"the figure cannot be written to {path} ({error.strerror}); name a file in a folder "
            "that exists"
        ) from error


def drawing(path: Path) -> Callable[[Spec], bytes]:
    """The function that renders figures for this suffix; ConfigError as in `write_figure`."""
    if path.suffix.lower() not in (".pdf", ".svg", ".png"):
        raise ConfigError(f"--figure: expected a file .pdf, .svg or .png, found {path}")
    try:
        import vl_convert
    except ImportError as error:
        raise missing_extra("figures need", "figures", "vl-convert-python") from error
    writers: Mapping[str, Callable[..., Any]] = {
        ".pdf": vl_convert.vegalite_to_pdf,
        ".svg": lambda spec: vl_convert.vegalite_to_svg(spec).encode("utf-8"),
        ".png": lambda spec: vl_convert.vegalite_to_png(spec, ppi=_PPI),
    }
    return writers[path.suffix.lower()]
