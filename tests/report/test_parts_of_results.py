"""A report of some judges and metrics only, and what each metric means."""

from __future__ import annotations

import pytest

from sociolab import RunResult
from sociolab.app import world_plugin
from sociolab.core import ConfigError, Metric
from sociolab.core.metrics import COUNTED, describe_directions
from sociolab.report import (
    ShownRun,
    agent_grids,
    grid_text,
    legend,
    narrowed,
    page,
    run_section,
    summary,
)
from sociolab.report.result import by_main_judge

from .small_run import ALPHA, SCRIPTED

WORLDS = ("sotopia", "anteval-information", "anteval-intention", "stss", "stss-talk")


def judged(result: RunResult, count: int) -> RunResult:
    """The run as so many model judges scored it."""
    names = [f"lab/judge-{i}" for i in range(count)]
    (heuristic,) = (one for one in result.judges if one.judge == "heuristic")
    mine = [entry for entry in result.scores if entry.judge == "heuristic"]
    return result.model_copy(
        update={
            "judges": tuple(
                heuristic.model_copy(update={"judge": name, "method": "model"}) for name in names
            ),
            "scores": tuple(
                entry.model_copy(update={"judge": name}) for name in names for entry in mine
            ),
        }
    )


def test_of_many_judges_the_main_one_is_shown_and_named(result: RunResult) -> None:
    seven = judged(result, 7)
    shown = by_main_judge(seven)
    assert {grid.heading.rpartition(": ")[2] for grid in agent_grids(shown)} == {"lab/judge-0"}
    assert summary(shown).endswith(
        "Judges shown: lab/judge-0; others (--judge NAME or all): lab/judge-1, lab/judge-2, "
        "lab/judge-3, lab/judge-4, lab/judge-5, lab/judge-6."
    )
    assert len(run_section(shown).tables) * 4 < len(run_section(seven).tables)
    assert by_main_judge(judged(result, 3)) == judged(result, 3)


def test_a_judge_and_metrics_are_named_by_name_or_title(result: RunResult) -> None:
    found = narrowed(result, ["heuristic"], ["GOAL", "believability"])
    assert {(e.judge, e.measure) for e in found.scores} == {
        ("heuristic", "goal"),
        ("heuristic", "believability"),
    }
    assert narrowed(result, ["all"]).scores == result.scores
    with pytest.raises(
        ConfigError, match=r'no judge "nobody" scored .*; choose one of .*heuristic'
    ):
        narrowed(result, ["nobody"])
    with pytest.raises(ConfigError, match=r'scored in "height"; expected one of .*goal'):
        narrowed(result, metrics=["height"])


def test_a_partner_is_left_out_unless_asked_for(result: RunResult) -> None:
    met = result.model_copy(update={"partner": SCRIPTED, "settings": {"agents": [[ALPHA, "a1"]]}})
    assert {e.agent for e in narrowed(met, partner=False).scores if e.agent} == {ALPHA}
    assert {e.agent for e in narrowed(met).scores if e.agent} == {ALPHA, SCRIPTED}


@pytest.mark.parametrize("world", WORLDS)
def test_each_metric_of_ours_is_explained_with_its_unit(world: str) -> None:
    metrics = world_plugin(world).declared.metrics
    assert all(len(one.tooltip.split()) > 2 and one.unit for one in (*metrics, *COUNTED))
    main = world_plugin(world).declared
    assert main.metric(main.main[0]).better == "higher"


def test_a_metric_is_explained_with_its_range_and_better_end() -> None:
    lost = Metric("lost", tooltip="Share of people lost", unit="share", better="lower")
    assert lost.describe(0, 1) == "Share of people lost. 0 to 1 (share), lower is better."
    assert Metric("turns", better="").describe(0, float("inf")) == "0 or more."
    assert describe_directions({"lost": lost, "n": Metric("n", better=""), "x": Metric("x")}) == (
        "higher is better; lower is better where marked \N{DOWNWARDS ARROW}; "
        "neither end is better for n"
    )


def test_a_legend_spells_out_what_titles_share_or_else_all_of_them() -> None:
    rate = Metric("rate", "success rate")
    titles = ("talk SR", "summary SR")
    assert legend((one, 0, 1, rate) for one in titles) == "SR = success rate (0 to 1)"
    apart = legend((one, 0, 1, rate) for one in ("talk", "summary"))
    assert apart == "talk, summary = success rate (0 to 1)"


def test_pages_explain_a_heading_to_who_points_at_it_and_texts_in_a_legend(
    result: RunResult,
) -> None:
    text = page([ShownRun(result)])
    tip = "Goal completion: How far the agent reached its own goal. 0 to 10 (points), higher is"
    assert f'<abbr title="{tip} better.">GOAL</abbr>' in text
    grid = next(grid for grid in agent_grids(result) if "heuristic" in grid.heading)
    notes = grid_text(result, grid).all_notes
    assert any("GOAL = goal completion (0 to 10)" in note for note in notes)
    assert not any("goal completion" in note for note in grid.notes)
