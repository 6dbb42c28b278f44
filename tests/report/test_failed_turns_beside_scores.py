"""Failed turns stand beside every score of the agent that failed them.

In the small run ann takes two turns in each played trial and bob one; in "lamp-AS" scripted, who is
bob, fails that one. So scripted was asked for 3 turns with alpha before it (1 failed), for 6 with
alpha after it, and for 2 x 3 with itself (one of three trials failed before anybody moved).
"""

from __future__ import annotations

import csv
import io
import re

import pytest

from sociolab import RunResult
from sociolab.analysis import CompareRequest, across, compare_runs, rank_runs, ranking_section
from sociolab.analysis.rank import ranking_document
from sociolab.report import (
    ShownRun,
    agent_grids,
    boards_section,
    grid_text,
    make_boards,
    render_page,
    run_section,
    warnings,
)
from sociolab.report.export import entries_csv, latex, markdown
from sociolab.report.leaderboard import index
from sociolab.report.schema import AgentFailures
from sociolab.report.score_tables import overview_table, play_grid
from sociolab.report.words import share
from sociolab.store import Store

from .small_run import ALPHA, RUN, SCRIPTED
from .test_leaderboard import run
from .test_result import entry
from .test_terminal import shown


def test_every_score_has_the_turns_of_its_plays(result: RunResult) -> None:
    def turns(agent: str, **by: str) -> tuple[int, int]:
        found = entry(result, agent, "goal", by)
        return found.failed_turns, found.turns_asked

    assert turns(SCRIPTED) == (1, 3 + 6 + 2 * 3)
    assert turns(SCRIPTED, partner=ALPHA) == (1, 3 + 6)
    assert turns(SCRIPTED, partner=SCRIPTED) == (0, 2 * 3)
    assert turns(SCRIPTED, type="bargain") == (1, 2 + 4 + 3)
    assert turns(SCRIPTED, type="norms") == (0, 1 + 2 + 3)
    assert turns(ALPHA) == (0, 3 * 3 + 6 + 3)
    assert result.failures.agents == (
        AgentFailures(agent=SCRIPTED, failed_turns=1, turns_asked=15, of="turns"),
    )


def test_who_failed_turns_is_said_in_a_sentence(result: RunResult) -> None:
    assert "scripted failed 1 of 15 turns (6.7 %)" in warnings(result)
    assert not any("openai/alpha failed" in sentence for sentence in warnings(result))


def test_the_terminal_has_the_share_below_the_scores(result: RunResult) -> None:
    block = shown(result, 200).split("Mean score per agent (all partners) · judge: ")[2]
    row = next(line for line in block.splitlines() if SCRIPTED in line)
    assert "invalid turns" in block
    assert row.endswith("6.7 % (1 of 15)")


def test_texts_have_it_in_a_column_or_in_parentheses(result: RunResult) -> None:
    grid = next(grid for grid in agent_grids(result) if "heuristic" in grid.heading)
    cells = [cell for row in grid_text(result, grid).rows for cell in row]
    assert any(cell.endswith("(9, 3 failed, 6.7 % invalid turns)") for cell in cells)
    check = next(grid for grid in agent_grids(result) if "goal check" in grid.heading)
    found = grid_text(result, check)
    assert found.columns[-1] == "invalid turns"
    assert {row[0]: row[-1] for row in found.rows} == {ALPHA: "", SCRIPTED: "6.7 % (1 of 15)"}
    # What counts failed turns anyway has no second column of them.
    play = grid_text(result, play_grid(result))
    assert [row[0] for row in play.rows].count("invalid turns") == 1
    assert not any("invalid turns" in cell for row in play.rows for cell in row[1:])
    section = run_section(result)
    assert "6.7 % (1 of 15)" in markdown([section])
    assert r"6.7 \% (1 of 15)" in latex([section])
    page_text = render_page([ShownRun(result)])
    assert "6.7 % (1 of 15) invalid turns" in re.sub(r"\s+", " ", page_text)
    brief = overview_table(result)
    assert brief is not None
    assert brief.columns[-1] == "invalid turns"
    assert {row[-1] for row in brief.rows if row[0] == SCRIPTED} == {"6.7 %"}
    assert {row[-1] for row in brief.rows if row[0] == ALPHA} == {""}


def test_csv_has_both_counts_in_each_row(result: RunResult) -> None:
    rows = list(csv.DictReader(io.StringIO(entries_csv([result]))))
    (row,) = (
        row
        for row in rows
        if (row["agent"], row["measure"], row["by"]) == (SCRIPTED, "goal", "type=bargain")
    )
    assert (row["failed_turns"], row["turns_asked"]) == ("1", "9")


def test_without_failed_turns_nothing_is_added(result: RunResult) -> None:
    clean = result.model_copy(
        update={
            "failures": result.failures.model_copy(update={"turns": {}, "agents": ()}),
            "scores": tuple(e.model_copy(update={"failed_turns": 0}) for e in result.scores),
        }
    )
    for grid in agent_grids(clean):
        assert "invalid turns" not in grid_text(clean, grid).columns
    brief = overview_table(clean)
    assert brief is not None
    assert "invalid turns" not in brief.columns
    assert "invalid turns</span>" not in render_page([ShownRun(clean)])


def test_rankings_of_runs_have_it(result: RunResult) -> None:
    def lossy(name: str, failed: int) -> RunResult:
        made = run(result, name)
        counts = {"failed_turns": failed, "turns_asked": 40}
        return made.model_copy(
            update={"scores": tuple(e.model_copy(update=counts) for e in made.scores)}
        )

    found = make_boards([lossy("a", 9), lossy("b", 0)])
    table = boards_section(found).tables[0]
    at = table.columns.index("invalid turns")
    assert {row[at] for row in table.rows} == {"22 % (9 of 40)", ""}
    runs = [lossy("a", 9), lossy("b", 0)]
    site = index(runs, {"a": "a.html", "b": "b.html"}, found, {})
    assert "22 % (9 of 40)" in site
    (plain,) = boards_section(make_boards([lossy("b", 0)])).tables
    assert "invalid turns" not in plain.columns


def test_a_comparison_has_it_for_each_side(store: Store) -> None:
    found = compare_runs(store, CompareRequest((RUN,), ALPHA, SCRIPTED, "heuristic"))
    document = found.document()
    a, b = document["comparison"]["a"], document["comparison"]["b"]
    assert (a["failed_turns"], a["turns_asked"]) == (0, 18)
    assert (b["failed_turns"], b["turns_asked"]) == (1, 15)
    assert (
        "B failed 1 of 15 turns (6.7 %). Its scores are based on the others."
        in document["cautions"]
    )
    notes = found.sections[0].tables[0].notes
    assert "invalid turns, over all episodes of a side: A none, B 6.7 % (1 of 15)" in notes


def test_a_table_over_worlds_has_it_in_the_cell(store: Store) -> None:
    found = across(store, [RUN], {"sotopia": "heuristic"})
    cells = {row[0]: row[1] for row in found.section.tables[0].rows}
    assert cells[SCRIPTED].endswith("(9, 3 failed, 6.7 % of its turns failed)")
    assert cells[ALPHA].endswith("(12)")
    assert any("scripted 6.7 % (1 of 15) in small" in said for said in found.section.cautions)
    cell = found.document()["columns"][0]["agents"][SCRIPTED]
    assert (cell["failed_turns"], cell["turns_asked"]) == (1, 15)


def test_a_ranking_has_it_for_each_agent(store: Store) -> None:
    found = rank_runs(store, [RUN], "heuristic", "goal")
    agents = {one["agent"]: one for one in ranking_document(found)["agents"]}
    assert (agents[ALPHA]["failed_turns"], agents[ALPHA]["turns_asked"]) == (0, 18)
    assert (agents[SCRIPTED]["failed_turns"], agents[SCRIPTED]["turns_asked"]) == (1, 15)
    section = ranking_section(found)
    ratings = section.tables[0]
    assert ratings.columns[-1] == "invalid turns"
    assert {row[0]: row[-1] for row in ratings.rows} == {ALPHA: "", SCRIPTED: "6.7 % (1 of 15)"}
    assert any("Failed turns: scripted 6.7 % (1 of 15)." in said for said in section.cautions)


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 7, "0 %"),
        (7, 7, "100 %"),
        (1, 8, "12 %"),
        (1, 3, "33 %"),
        (1, 15, "6.7 %"),
        (1, 2000, "<0.1 %"),
        (1999, 2000, ">99 %"),
        (1, 1000, "0.1 %"),
    ],
)
def test_a_share_is_none_or_all_only_where_it_is(part: int, whole: int, shown: str) -> None:
    assert share(part, whole) == shown
