"""A result as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sociolab.core.errors import ConfigError
from sociolab.core.ports import Line
from sociolab.report.charts import Dot, dot_plot, shade
from sociolab.report.facts import account, date, setting
from sociolab.report.grids import (
    Grid,
    agent_grids,
    judges_of,
    other_grids,
    pair_grids,
    play_grid,
    type_grids,
)
from sociolab.report.layout import layout_of
from sociolab.report.legible import legible
from sociolab.report.prose import cautions, command, summary
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.shown import Shown
from sociolab.report.words import interval, minus, number, warnings


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as a page shows it: its result, and some whole episodes."""

    result: RunResult
    episodes: Sequence[Shown] = ()


def write_html(path: Path, runs: Sequence[ShownRun]) -> None:
    """Write a page of these runs, all or nothing: readers find the old file or the whole new one.

    ConfigError if it cannot be written there.
    """
    text = page(runs)
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.write_text(text, encoding="utf-8", newline="\n")
        made.replace(path)
    except OSError as error:
        raise ConfigError(
            f"the report cannot be written to {path} ({error.strerror}); name a file in a folder "
            "that exists"
        ) from error
    finally:
        made.unlink(missing_ok=True)


def page(runs: Sequence[ShownRun]) -> str:
    """The page as text: for each run tables with intervals, charts, episodes, how to repeat it."""
    environment = Environment(
        loader=PackageLoader("sociolab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["line"] = lambda item: isinstance(item, Line)
    environment.filters["private"] = private_part
    one = environment.get_template("run.html")
    bodies = [
        (run.result.world, Markup(one.render(_content(i, run)))) for i, run in enumerate(runs)
    ]
    first = runs[0].result
    title = f"{first.run}: {first.world}" if len(runs) == 1 else ", ".join(w for w, _ in bodies)
    return legible(environment.get_template("page.html").render(title=title, runs=bodies))


def _content(place: int, run: ShownRun) -> dict[str, Any]:
    result = run.result

    def figure(entry: ScoreEntry) -> str:
        assert entry.value is not None
        return minus(number(entry.value, result.measure(entry.measure)))

    def span(entry: ScoreEntry) -> str:
        return minus(interval(result, entry))

    return {
        "result": result,
        "date": date(result),
        "warnings": warnings(result),
        "summary": summary(result),
        "cautions": cautions(result),
        "setting": setting(result),
        "account": account(result),
        "agent_grids": agent_grids(result) + other_grids(result),
        "charts": _charts(place, result),
        "pair_grids": [(grid, _range(grid)) for grid in pair_grids(result, details=False)],
        "type_grids": type_grids(result),
        "play_grid": play_grid(result),
        "episodes": run.episodes,
        "command": command(result),
        "settings": json.dumps(result.settings, indent=2, ensure_ascii=False),
        "show": {"figure": figure, "span": span, "shade": shade},
    }


def _charts(
    place: int, result: RunResult
) -> tuple[tuple[str, tuple[tuple[str, Markup], ...]], ...]:
    """For each judge, a chart of each measure with a range: agents, or an only agent's types."""
    found = []
    for number_, judge in enumerate(judges_of(result)):
        charts: list[tuple[str, Markup]] = []
        for measure in layout_of(result.world).ordered(result.measures):
            dots = _dots(result, judge, measure.measure)
            if measure.high is None or not any(dot.value is not None for dot in dots):
                continue
            key = f"c{place}-{number_}-{len(charts)}"
            title = f"{measure.title} by {judge}"
            charts.append((measure.title, dot_plot(key, title, dots, measure.low, measure.high)))
        if charts:
            found.append((judge, tuple(charts)))
    return tuple(found)


def _dots(result: RunResult, judge: str, measure: str) -> list[Dot]:
    mine = [e for e in result.scores if e.judge == judge and e.measure == measure and e.agent]
    alone = len(result.agents) == 1 and any("type" in entry.by for entry in mine)
    return [
        Dot(
            (entry.by.get("type", "all types") if alone else entry.agent) or "",
            entry.value,
            entry.low,
            entry.high,
        )
        for entry in mine
        if not entry.by or (alone and set(entry.by) == {"type"})
    ]


def _range(grid: Grid) -> tuple[float, float]:
    """The lowest and the highest value of a matrix: what its colours span."""
    values = [entry.value for entry in grid.entries if entry.value is not None]
    return min(values, default=0.0), max(values, default=0.0)


def private_part(text: str) -> tuple[str, str]:
    """A paragraph of the scene in two: what may lie open, and from its secret or goal on."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith(("Private:", "Secret:", "Goal:")):
            return "\n".join(lines[:i]), "\n".join(lines[i:])
    return text, ""
