"""Results, sections and episodes as HTML pages that need neither network nor other files.

A script in the page draws the charts; without scripts, their descriptions are shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sociolab.core.ports import Line
from sociolab.core.score import judge_title
from sociolab.report.charts import distribution_charts, mean_charts
from sociolab.report.export import write_report
from sociolab.report.result import ScoreDistribution
from sociolab.report.run_facts import (
    cautions,
    command,
    course,
    date,
    failed,
    first_pairs,
    identity,
    note_facts,
    setting_facts,
    summary,
    taken,
    warnings,
)
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.score_tables import (
    agent_grids,
    heat_of,
    other_grids,
    outcomes_sections,
    pair_grids,
    play_grid,
    transpose_wide,
    type_grids,
)
from sociolab.report.section import Section, Spec
from sociolab.report.transcript_views import (
    EpisodeSide,
    TranscriptView,
    leading,
    list_episodes,
    private_part,
    titled,
)
from sociolab.report.verdict import run_verdict
from sociolab.report.words import (
    coverage_columns,
    covered,
    failed_turns,
    failed_unit,
    interval,
    minus,
    number,
    sanitize,
    size,
    tips,
)

STATIC = Path(__file__).parent / "static"
"""The scripts that draw charts; the web app serves them, too."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as a page shows it: its result, some episodes, score distributions, further sections,
    and the comparison of its two agents if it has two."""

    result: RunResult
    episodes: Sequence[TranscriptView] = ()
    spreads: Sequence[ScoreDistribution] = ()
    sections: Sequence[Section] = ()
    compared: Section | None = None


def write_html(path: Path, runs: Sequence[ShownRun], sections: Sequence[Section] = ()) -> None:
    """Write a page of these runs, all or nothing; ConfigError where the file cannot be written."""
    write_report(path, render_page(runs, sections))


def render_page(
    runs: Sequence[ShownRun], sections: Sequence[Section] = (), home: str = "", scripts: str = ""
) -> str:
    """The HTML of a page: first `sections` about all runs; then, for each run, its scores in tables
    and charts, episodes, and how to reproduce it.

    For a page of a site, `home` is the relative address of the site's first page, and `scripts`
    that of a file with `chart_scripts`; any other page contains the scripts.
    """
    environment = pages()
    run_template = environment.get_template("run.html")
    bodies = []
    for i, run in enumerate(runs, 1):
        variables = content(i, run)
        bodies.append((run.result, variables["contents"], Markup(run_template.render(variables))))
    first = runs[0].result
    title = f"{first.run}: {first.world}" if len(runs) == 1 else f"{len(runs)} runs"
    template = environment.get_template("page.html")
    text = template.render(title=title, runs=bodies, sections=sections, home=home)
    return _with_scripts(sanitize(text), scripts)


def section_page(title: str, sections: Sequence[Section]) -> str:
    """The HTML of a page with nothing but sections."""
    template = pages().get_template("page.html")
    text = template.render(title=title, runs=(), sections=sections, home="")
    return _with_scripts(sanitize(text), "")


def run_fragment(result: RunResult) -> str:
    """A run as HTML for a notebook: what was played, and the scores."""
    return _fragment("run", content(1, ShownRun(result)))


def sections_fragment(sections: Sequence[Section]) -> str:
    """Sections as HTML for a notebook, without their charts."""
    return _fragment("sections", tuple(replace(section, figures=()) for section in sections))


def transcript_fragment(view: TranscriptView) -> str:
    """An episode as HTML for a notebook."""
    return _fragment("transcript", view)


def _fragment(macro: str, shown: object) -> str:
    """HTML with its style, which takes colours and font of the page that it is put in, be it light
    or dark, and changes nothing else there."""
    module: Any = pages().get_template("notebook.html").module
    return sanitize(str(module.fragment(macro, shown)))


@cache
def chart_scripts() -> str:
    """The scripts that draw charts: Vega-Lite with its licence, and sociolab's own."""
    names = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js", "charts.js")
    licence = (STATIC / "LICENSES.txt").read_text("utf-8")
    return "\n".join([f"/*\n{licence}*/", *((STATIC / name).read_text("utf-8") for name in names)])


def _with_scripts(page: str, address: str) -> str:
    """The page with the scripts, or a link to them, at its end if it has charts."""
    if "data-chart" not in page:
        return page
    script = f'<script src="{address}">' if address else f"<script>\n{chart_scripts()}"
    start, body, end = page.rpartition("</body>")
    return f"{start}{script}</script>\n{body}{end}"


def pages() -> Environment:
    """The environment of the templates, in which an undefined variable is an error, and all text is
    escaped."""
    environment = Environment(
        loader=PackageLoader("sociolab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    environment.tests["line"] = lambda item: isinstance(item, Line)
    environment.filters["private"] = private_part
    environment.filters["upright"] = upright
    environment.filters["spec"] = spec_json
    environment.globals["judge_title"] = judge_title
    return environment


def upright(text: str) -> str:
    """A sentence without direction marks: a name with such a mark in it would reverse the rest."""
    return _DIRECTION.sub("", text)


_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def spec_json(spec: Spec) -> Markup:
    """A specification as JSON that is safe within HTML, whatever its labels contain."""
    text = json.dumps(spec, ensure_ascii=True)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def content(place: int, run: ShownRun) -> dict[str, Any]:
    """The variables of run.html for a run, given its place on the page (from 1)."""
    result = run.result

    def figure(entry: ScoreEntry) -> str:
        assert entry.value is not None
        return minus(number(entry.value, result.measure(entry.measure)))

    def span(entry: ScoreEntry) -> str:
        return minus(interval(result, entry))

    def n(entry: ScoreEntry) -> str:
        return f"{size(result, entry):,}"

    def covered_(entry: ScoreEntry) -> dict[str, str]:
        return {word: minus(text) for word, text in covered(result, entry).items()}

    def coverage_words(entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
        return coverage_columns(result, entries)

    unit = failed_unit(result)
    main = leading(result, run.spreads)
    variables = {
        "at": f"run-{place}",
        "result": result,
        "date": date(result),
        "verdict": run_verdict(result, run.compared),
        "warnings": warnings(result),
        "summary": summary(result),
        "notes": note_facts(result),
        "compared": run.compared,
        "cautions": cautions(result),
        "setting": setting_facts(result),
        "identity": identity(result),
        "course": course(result),
        "failed": failed(result),
        "problems": first_pairs(result),
        "taken": taken(result),
        "agent_grids": [transpose_wide(grid) for grid in agent_grids(result) + other_grids(result)],
        "charts": mean_charts(result),
        "spreads": distribution_charts(result, run.spreads),
        "main": titled(result, main),
        "heats": _heats(result),
        "type_grids": [transpose_wide(grid) for grid in type_grids(result) if len(grid.rows) > 1],
        "play_grid": play_grid(result),
        "episodes": list_episodes(result, run.episodes, run.spreads, f"run-{place}-episode"),
        "sections": (*outcomes_sections(result), *run.sections),
        "command": command(result),
        "settings": json.dumps(result.settings, indent=2, ensure_ascii=False),
        "show": {
            "tips": tips(result),
            "figure": figure,
            "span": span,
            "n": n,
            "lost": failed_turns,
            "unit": unit,
            "covered": covered_,
            "words": coverage_words,
        },
    }
    return variables | {"contents": _contents(variables)}


def _contents(variables: dict[str, Any]) -> list[tuple[str, str]]:
    """Anchors and titles of the parts that a run has on its page."""
    parts = [
        ("summary", "Summary", True),
        ("scores", "Scores", True),
        ("spread", "Score distributions", variables["spreads"]),
        ("pairs", "Agent-partner matrix", variables["heats"][0]),
        ("types", "By task type", variables["type_grids"]),
        *((f"part-{i}", part.title, True) for i, part in enumerate(variables["sections"], 1)),
        ("play", "Run statistics", True),
        ("failures", "Failures", True),
        ("cost", "Usage and cost", True),
        ("episodes", "Episodes", variables["episodes"]),
        ("repeat", "Reproduce this run", True),
    ]
    return [(f"{variables['at']}-{name}", title) for name, title, is_present in parts if is_present]


def _heats(result: RunResult) -> tuple[list[Any], list[Any]]:
    """The agent-partner matrices of the main metrics, and those of all others."""
    first = pair_grids(result, details=False)
    headings = {grid.heading for grid in first}
    further = [g for g in pair_grids(result, details=True) if g.heading not in headings]
    further = [grid for grid in further if any(entry.n for entry in grid.entries)]
    return [heat_of(result, grid) for grid in first], [heat_of(result, grid) for grid in further]


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row of a table of pairs, as text; `anchor` is that of its episodes on the page."""

    task: str
    seat: str
    a: str
    b: str
    difference: str
    why_a: str
    why_b: str
    anchor: str


@dataclass(frozen=True, slots=True)
class PairTable:
    """The pairs of one metric."""

    heading: str
    rows: tuple[PairRow, ...]


@dataclass(frozen=True, slots=True)
class FoldedPair:
    """A pair of episodes, folded away on a page; `command` shows it in a terminal."""

    anchor: str
    title: str
    command: str
    sides: tuple[EpisodeSide, ...]


def pair_page(readers: Sequence[EpisodeSide]) -> str:
    """The HTML of a page with episodes side by side."""
    title = " and ".join(dict.fromkeys(side.view.title for side in readers))
    body = _macro("beside", FoldedPair("", title, "", tuple(readers)))
    return section_page(title, (Section(title, body=body),))


def pairs_body(tables: Sequence[PairTable], pairs: Sequence[FoldedPair]) -> Markup:
    """The HTML of tables of pairs, and of the pairs to which their rows link."""
    parts = [_macro("pair_table", table) for table in tables]
    return Markup("\n").join([*parts, *(_macro("folded", pair) for pair in pairs)])


def _macro(name: str, argument: object) -> Markup:
    module = pages().get_template("pair.html").module
    return Markup(getattr(module, name)(argument))
