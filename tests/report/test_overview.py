"""A run at a glance."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from report.small_run import ALPHA, RUN, SCRIPTED, build
from sociolab import RunResult, result_of
from sociolab.analysis import CompareRequest, compare_runs
from sociolab.analysis.run_comparison import two_agents
from sociolab.report import Section, ShownRun, TextTable, render_page
from sociolab.report.charts import mean_charts
from sociolab.report.score_tables import MOST_ROWS, headline, overview_table
from sociolab.report.terminal import overview
from sociolab.report.verdict import run_verdict
from sociolab.store import ScoreRow, Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("overview") / "s.db"
    build(path)
    return Store.open(path)


@pytest.fixture(scope="module")
def result(store: Store) -> RunResult:
    return result_of(store, RUN)


def table(result: RunResult) -> TextTable:
    found = overview_table(result)
    assert found is not None
    return found


def shown(result: RunResult, compared: Section | None = None, width: int = 100) -> str:
    file = io.StringIO()
    Console(file=file, width=width).print(overview(result, compared))
    return file.getvalue()


def with_agents(result: RunResult, count: int, judges: int) -> RunResult:
    """The run with so many agents and judges, all with the same scores."""
    agents = tuple(f"agent-{i}" for i in range(count))
    judge, *_ = (one for one in result.judges if one.judge == "heuristic")
    entries = [e for e in result.scores if (e.agent, e.judge) == (ALPHA, "heuristic") and not e.by]
    labels = [f"judge-{i}" for i in range(judges)]
    return result.model_copy(
        update={
            "agents": agents,
            "settings": {**result.recorded, "agents": [[one, "h"] for one in agents]},
            "judges": tuple(judge.model_copy(update={"judge": label}) for label in labels),
            "scores": tuple(
                entry.model_copy(update={"agent": agent, "judge": label})
                for label in labels
                for agent in agents
                for entry in entries
            ),
        }
    )


def test_each_metric_has_its_mean_interval_n_and_failures_beside_its_judge(
    result: RunResult,
) -> None:
    found = table(result)
    heads = ("agent", "metric", "judge", "mean", "n", "failed", "coverage", "bounds")
    assert found.columns == (*heads, "invalid turns")
    rows = {row[:3]: row[3:] for row in found.rows}
    goal = ("7.33 [2.93, 10.00]", "12", "0", "100 %", "\N{EN DASH}", "")
    assert rows[ALPHA, "GOAL", "heuristic"] == goal
    assert rows[ALPHA, "goal (checked)", "goal check"][1:] == ("4", "0", "33 %", "[1.67, 7.67]", "")
    assert rows[SCRIPTED, "GOAL", "heuristic"][2] == "3"  # a failed trial and a failed score


def test_the_main_metric_of_the_main_judge_comes_first(result: RunResult) -> None:
    assert [row[:2] for row in table(result).rows][:4] == [
        (ALPHA, "GOAL"),
        (SCRIPTED, "GOAL"),
        (ALPHA, "goal (checked)"),
        (SCRIPTED, "goal (checked)"),
    ]


def test_all_main_metrics_of_a_judge_are_shown_before_others(result: RunResult) -> None:
    """As SOTOPIA's Table 2 has GOAL beside Overall."""
    declared = replace(result.declared, main=("social_rules", "goal"))
    found = overview_table(result.model_copy(update={"declared": declared}), 6)
    assert found is not None
    assert [row[1:3] for row in found.rows][:4:2] == [("SOC", "heuristic"), ("GOAL", "heuristic")]


def test_many_agents_and_judges_still_fit_on_a_screen(result: RunResult) -> None:
    many = with_agents(result, 15, 7)
    found = table(many)
    assert len(found.rows) == MOST_ROWS
    assert {row[2] for row in found.rows} == {"judge-0"}
    assert f"{15 * 7 * 3 - MOST_ROWS} more means in the full report" in found.notes
    assert len(shown(many).splitlines()) <= 40
    seven = shown(with_agents(result, 1, 7))
    assert all(f"judge-{i}" in seven for i in range(7))
    assert len(seven.splitlines()) <= 40


def test_two_agents_are_compared_first(store: Store, result: RunResult) -> None:
    text = shown(result, two_agents(store, result))
    assert text.index(f"{ALPHA} (A) vs. {SCRIPTED} (B)") < text.index("Mean scores")
    # GOAL: A in ann's and bob's seat minus B in the same, task by task, where both have a score.
    assert "a non-significant difference is not evidence of equality" in text
    assert len(text.splitlines()) <= 40


def test_a_run_of_several_judges_is_read_once_to_compare_its_agents(
    store: Store, result: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    scores = store.verdicts.scores

    def counted(run: str, **wanted: Any) -> Iterator[ScoreRow]:
        read.append(run)
        return scores(run, **wanted)

    monkeypatch.setattr(store.verdicts, "scores", counted)
    found = two_agents(store, result)
    assert found is not None
    assert {row[1] for row in found.tables[0].rows} == {"heuristic", "goal check"}
    assert read == [result.run]


def test_what_failed_and_what_kind_of_judge_it_was_is_said(result: RunResult) -> None:
    text = " ".join(shown(result).split())
    assert "1 of 12 episodes failed" in text
    assert "Failures" in text
    assert "offline judge: scores only what is on record; not comparable" in text


def test_a_partner_is_left_out_unless_it_is_also_an_agent(result: RunResult) -> None:
    both = result.model_copy(update={"partner": SCRIPTED})
    assert {row[0] for row in table(both).rows} == {ALPHA, SCRIPTED}
    settings = {**result.recorded, "agents": [[ALPHA, "a1"]]}
    found = table(both.model_copy(update={"settings": settings}))
    assert found.heading == f"Mean scores of {ALPHA}"
    assert found.columns[0] == "metric"


def test_a_run_without_scores_says_so(result: RunResult) -> None:
    bare = result.model_copy(update={"scores": ()})
    assert overview_table(bare) is None
    assert "No result: none of 12 episodes has a score (1 failed)." in shown(bare)


def test_whoever_judges_a_is_the_agent_that_the_run_names_first(
    store: Store, result: RunResult
) -> None:
    for judge in ("heuristic", "goal check"):
        found = compare_runs(store, CompareRequest((RUN,), judge=judge)).comparison
        assert found is not None
        assert [found.a.agent, found.b.agent] == list(result.agents)


def test_the_partner_stands_last_in_charts(result: RunResult) -> None:
    settings = {**result.recorded, "agents": [[SCRIPTED, "h"]]}
    made = result.model_copy(update={"partner": ALPHA, "settings": settings})
    chart = mean_charts(made)[0].charts[0].description
    assert chart.index(SCRIPTED) < chart.index(ALPHA)


def test_a_comparison_knows_whose_scores_it_leaves_out(store: Store) -> None:
    led_by = compare_runs(store, CompareRequest((RUN,))).led_by
    assert led_by == (
        "Scores are by goal check, the leading judge; --judge takes those by heuristic instead."
    )
    assert not compare_runs(store, CompareRequest((RUN,), judge="heuristic")).led_by
    assert not compare_runs(store, CompareRequest((RUN,), measures=("goal",))).led_by


# ------------------------------------------------------------------ what is established


def liar_and_honest(result: RunResult, *, overall: bool = True) -> RunResult:
    """A liar of whose goals 28 % could be established beside an honest agent, whose mean is lower,
    and the Overall of a model, which has all."""
    goal = next(e for e in result.scores if (e.agent, e.judge) == (ALPHA, "goal check"))
    model = next(one for one in result.judges if one.judge == "heuristic")
    judges = [one for one in result.judges if one.judge == "goal check"]
    entries = [
        goal.model_copy(update={"by": {}, "n": 5, "unscored": 13, "disputed": 13, "value": 7.3,
                                "bounds": (2.03, 9.25)}),
        goal.model_copy(update={"by": {}, "agent": SCRIPTED, "n": 18, "unscored": 0,
                                "value": 6.26, "bounds": (6.26, 6.26)}),
    ]  # fmt: skip
    measures = result.measures
    if overall:
        judges.append(model.model_copy(update={"judge": "judge-x", "method": "model"}))
        measures += (measures[0].model_copy(update={"measure": "overall", "title": "Overall"}),)
        entries += [
            entry.model_copy(update={"judge": "judge-x", "measure": "overall", "n": 18,
                                     "unscored": 0, "bounds": None, "value": 2.5})
            for entry in entries
        ]  # fmt: skip
    update = {"scores": tuple(entries), "judges": tuple(judges), "measures": measures}
    return result.model_copy(update=update)


def test_a_metric_of_which_little_is_established_does_not_lead(result: RunResult) -> None:
    run = liar_and_honest(result)
    rows = table(run).rows
    assert [row[1] for row in rows] == ["Overall", "Overall", "goal (checked)", "goal (checked)"]
    assert " in Overall, 2.50" in run_verdict(run)
    first = headline(run)
    assert first is not None
    assert (first.metric, first.text, first.judge) == ("Overall", "2.50", "judge-x")


def test_its_bounds_stand_beside_it_and_a_note_says_why(result: RunResult) -> None:
    run = liar_and_honest(result)
    found = table(run)
    liar = next(row for row in found.rows if row[:2] == (ALPHA, "goal (checked)"))
    assert liar[found.columns.index("bounds")] == "[2.03, 9.25]"
    assert liar[found.columns.index("coverage")] == "28 %"
    (note,) = (one for one in found.notes if getattr(one, "id", "") == "run.little_established")
    assert note.startswith("less than 80 % of goal (checked) is established")


def test_where_nothing_else_is_there_the_bounds_lead_and_no_mean(result: RunResult) -> None:
    first = headline(liar_and_honest(result, overall=False))
    assert first is not None
    assert (first.metric, first.text) == ("goal (checked), bounds", "[2.03, 9.25]")


def test_a_page_says_so_where_it_says_the_mean(result: RunResult) -> None:
    text = render_page([ShownRun(liar_and_honest(result))])
    assert text.index(" in Overall, 2.50") < text.index("goal (checked)")
    assert "[2.03, 9.25]" in text
    assert "less than 80 % of goal (checked) is established, so it is not shown first" in text
