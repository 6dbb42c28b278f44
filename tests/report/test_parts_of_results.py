"""A report of some judges and metrics only, and what each metric means."""

from __future__ import annotations

import pytest

from sociolab import RunResult
from sociolab.core import ConfigError, Metric
from sociolab.report import (
    ShownRun,
    agent_grids,
    grid_text,
    legend,
    render_page,
    select_scores,
)

from .small_run import ALPHA, SCRIPTED


def test_a_judge_and_metrics_are_named_by_name_or_title(result: RunResult) -> None:
    found = select_scores(result, ["heuristic"], ["GOAL", "believability"])
    assert {(e.judge, e.measure) for e in found.scores} == {
        ("heuristic", "goal"),
        ("heuristic", "believability"),
    }
    assert select_scores(result, ["all"]).scores == result.scores
    with pytest.raises(
        ConfigError, match=r'no judge "nobody" scored .*; choose one of .*heuristic'
    ):
        select_scores(result, ["nobody"])
    with pytest.raises(ConfigError, match=r'scored in "height"; expected one of .*goal'):
        select_scores(result, metrics=["height"])


def test_a_partner_is_left_out_unless_asked_for(result: RunResult) -> None:
    met = result.model_copy(update={"partner": SCRIPTED, "settings": {"agents": [[ALPHA, "a1"]]}})
    assert {e.agent for e in select_scores(met, partner=False).scores if e.agent} == {ALPHA}
    assert {e.agent for e in select_scores(met).scores if e.agent} == {ALPHA, SCRIPTED}


def test_a_legend_spells_out_what_titles_share_or_else_all_of_them() -> None:
    rate = Metric("rate", "success rate")
    titles = ("talk SR", "summary SR")
    assert legend((one, 0, 1, rate) for one in titles) == "SR = success rate (0 to 1)"
    apart = legend((one, 0, 1, rate) for one in ("talk", "summary"))
    assert apart == "talk, summary = success rate (0 to 1)"


def test_pages_explain_a_heading_to_who_points_at_it_and_texts_in_a_legend(
    result: RunResult,
) -> None:
    text = render_page([ShownRun(result)])
    tip = "Goal completion: How far the agent reached its own goal. 0 to 10 (points), higher is"
    assert f'<abbr title="{tip} better.">GOAL</abbr>' in text
    grid = next(grid for grid in agent_grids(result) if "heuristic" in grid.heading)
    notes = grid_text(result, grid).all_notes
    assert any("GOAL = goal completion (0 to 10)" in note for note in notes)
    assert not any("goal completion" in note for note in grid.notes)
