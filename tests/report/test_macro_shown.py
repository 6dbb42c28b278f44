"""Micro and macro averages beside each other in tables: n counts plays, or the tasks averaged."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from declared_worlds import declared
from sociolab import RunResult
from sociolab.core import JudgeId, Measure
from sociolab.report import (
    MeasureEntry,
    PlayKey,
    PlayOutcome,
    PlayRow,
    ScoreColumn,
    ShownRun,
    agent_grids,
    full_report,
    grid_text,
    render_page,
)
from sociolab.report.result import column_outcomes, entries, with_macro
from sociolab.report.score_tables import type_grids
from sociolab.report.words import size_words

from .small_run import ALPHA

NAME = "conversation_sr"
N = "n: scores; for macro averages, tasks"


@pytest.fixture
def talks(result: RunResult) -> RunResult:
    """Four talks of task a that come to 1, 1, 0 and 2/3, and one of task b to 0."""
    plays = [
        PlayRow((f"t{i}", None), ALPHA, "other", kind, task, False)
        for i, (task, kind) in enumerate(zip("aaaab", "xxxxy", strict=True))
    ]
    values = (1.0, 1.0, 0.0, 2 / 3, 0.0)
    outcomes: dict[PlayKey, PlayOutcome] = dict(zip((p.key for p in plays), values, strict=True))
    judge = JudgeId("heuristic", "heuristic")
    column = ScoreColumn("heuristic", judge, Measure(NAME, 0, 1), True, True, outcomes)
    measure = MeasureEntry(measure=NAME, title="SR", low=0, high=1, whole=True)
    return result.model_copy(
        update={
            "world": "stss-talk",
            "declared": declared("stss-talk"),
            "measures": with_macro([measure], [NAME]),
            "scores": entries([column_outcomes(plays, column)], [NAME]),
        }
    )


def test_tables_for_papers_show_how_many_tasks_a_macro_average_is_over(talks: RunResult) -> None:
    (grid,) = agent_grids(talks)
    table = grid_text(talks, grid)
    assert table.columns == ("agent", "SR micro", "SR macro")
    assert table.rows == ((ALPHA, "0.53 [0.02, 0.93] (5)", "0.33 [0.01, 0.91] (2)"),)
    assert N in table.notes
    assert table.notes[-1] == "in parentheses: n, and the number of failures"


def test_the_terminal_shows_how_many_tasks_a_macro_average_is_over(talks: RunResult) -> None:
    file = io.StringIO()
    Console(file=file, width=100).print(full_report(talks))
    lines = [line.split() for line in file.getvalue().splitlines()]
    assert [ALPHA, "0.53", "[0.02,", "0.93]", "(5)", "0.33", "[0.01,", "0.91]", "(2)"] in lines
    assert N.split() in lines


def test_a_page_shows_how_many_tasks_a_macro_average_is_over(talks: RunResult) -> None:
    html = render_page([ShownRun(talks)])
    assert '<span class="count">n 5</span>' in html
    assert '<span class="count">n 2</span>' in html
    assert N in html


def test_what_n_counts_is_told_only_where_it_differs(talks: RunResult, result: RunResult) -> None:
    assert size_words(result, result.scores) == ""
    (by_type,) = type_grids(talks)
    (of_b,) = [row for row in by_type.rows if row.label == "y"]
    assert size_words(talks, [cell for cell in of_b.cells if cell is not None]) == ""
