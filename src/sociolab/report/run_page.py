"""What a page shows of one run, made ready for its template."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sociolab.report.distributions import Spread
from sociolab.report.facts import course, date, failed, identity, setting, taken
from sociolab.report.failures import first_pairs
from sociolab.report.grids import (
    agent_grids,
    other_grids,
    pair_grids,
    play_grid,
    type_grids,
)
from sociolab.report.heat import heat_of
from sociolab.report.plots import charts_of, spreads_of
from sociolab.report.prose import cautions, command, findings, summary
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.section import Section
from sociolab.report.shown import Shown
from sociolab.report.text_tables import outcomes_sections, turned
from sociolab.report.transcript_links import leading, listed, titled
from sociolab.report.words import (
    covered,
    failed_turns,
    failed_unit,
    interval,
    minus,
    number,
    size,
    told_of_coverage,
    warnings,
)


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as a page shows it: its result, some whole episodes, how its values are spread, and
    further sections."""

    result: RunResult
    episodes: Sequence[Shown] = ()
    spreads: Sequence[Spread] = ()
    sections: Sequence[Section] = ()


def content(place: int, run: ShownRun) -> dict[str, Any]:
    """The variables of run.html for the run at this place of the page, 1 for the first."""
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

    def words(entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
        return told_of_coverage(result, entries)

    unit = failed_unit(result)
    main = leading(result, run.spreads)
    found = {
        "at": f"run-{place}",
        "result": result,
        "date": date(result),
        "warnings": warnings(result),
        "summary": summary(result),
        "findings": findings(result),
        "cautions": cautions(result),
        "setting": setting(result),
        "identity": identity(result),
        "course": course(result),
        "failed": failed(result),
        "problems": first_pairs(result),
        "taken": taken(result),
        "agent_grids": [turned(grid) for grid in agent_grids(result) + other_grids(result)],
        "charts": charts_of(place, result),
        "spreads": spreads_of(place, result, run.spreads),
        "main": titled(result, main),
        "heats": _heats(result),
        "type_grids": [turned(grid) for grid in type_grids(result) if len(grid.rows) > 1],
        "play_grid": play_grid(result),
        "episodes": listed(result, run.episodes, run.spreads, f"run-{place}-episode"),
        "sections": (*outcomes_sections(result), *run.sections),
        "command": command(result),
        "settings": json.dumps(result.settings, indent=2, ensure_ascii=False),
        "show": {
            "figure": figure,
            "span": span,
            "n": n,
            "lost": failed_turns,
            "unit": unit,
            "covered": covered_,
            "words": words,
        },
    }
    return found | {"contents": _contents(found)}


def _contents(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The parts of a run that the page has, each with the anchor of its heading."""
    parts = [
        ("summary", "Summary", True),
        ("scores", "Scores", True),
        ("spread", "How scores are spread", found["spreads"]),
        ("pairs", "Who played with whom", found["heats"][0]),
        ("types", "By type of task", found["type_grids"]),
        *((f"part-{i}", part.title, True) for i, part in enumerate(found["sections"], 1)),
        ("play", "How it was played", True),
        ("failures", "What failed", True),
        ("cost", "Cost and tokens", True),
        ("episodes", "Episodes", found["episodes"]),
        ("repeat", "How to repeat it", True),
    ]
    return [(f"{found['at']}-{name}", title) for name, title, there in parts if there]


def _heats(result: RunResult) -> tuple[list[Any], list[Any]]:
    """The matrices of the main measures, and those of all others."""
    first = pair_grids(result, details=False)
    headings = {grid.heading for grid in first}
    others = [g for g in pair_grids(result, details=True) if g.heading not in headings]
    others = [grid for grid in others if any(entry.n for entry in grid.entries)]
    return [heat_of(result, grid) for grid in first], [heat_of(result, grid) for grid in others]
