"""The sentence of result with which a run, a comparison and a ranking begin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from report.small_run import ALPHA, RUN, SCRIPTED, build
from sociolab import RunResult, result_of
from sociolab.report import ScoreEntry
from sociolab.report.verdict import run_verdict
from sociolab.store import Store


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    path = tmp_path_factory.mktemp("verdict") / "s.db"
    build(path)
    return result_of(Store.open(path), RUN)


def only(result: RunResult, *agents: str) -> RunResult:
    """The run as if these agents alone had been evaluated."""
    chosen = [[agent, "h"] for agent in agents]
    scores = tuple(entry for entry in result.scores if entry.agent in agents)
    settings = {**result.recorded, "agents": chosen}
    return result.model_copy(update={"agents": agents, "settings": settings, "scores": scores})


def changed(result: RunResult, change: Callable[[ScoreEntry], dict[str, object]]) -> RunResult:
    scores = tuple(entry.model_copy(update=change(entry)) for entry in result.scores)
    return result.model_copy(update={"scores": scores})


def test_one_agent_has_its_mean_with_interval_scale_judge_and_n(result: RunResult) -> None:
    assert run_verdict(only(result, ALPHA)) == (
        f"{ALPHA} averages 7.33 [2.93, 10.00] in GOAL, on a scale of 0 to 10, higher is better "
        "(judge: heuristic; n = 12)."
    )


def test_rule_based_agents_stand_in_models_and_trainers_are_smoke_tests(result: RunResult) -> None:
    alpha, rules = only(result, ALPHA), only(result, SCRIPTED)
    # 9 of 12 scores are there: make it 12, so that the mean leads.
    rules = changed(rules, lambda entry: {"failures": 0})
    assert run_verdict(rules).startswith(
        "Smoke test (rule-based agents only), not a result: scripted averages 3.78"
    )
    stood_in = alpha.model_copy(update={"settings": {**alpha.recorded, "stand_ins": [ALPHA]}})
    assert run_verdict(stood_in).startswith("Smoke test (stand-in endpoint), not a result: ")
    trained = alpha.model_copy(update={"smoke": "training partner"})
    assert run_verdict(trained).startswith("Smoke test (training partner), not a result: ")
    assert "Smoke test" not in run_verdict(result), "one of the two is a model"


def test_below_80_percent_of_its_scores_a_metric_never_leads(result: RunResult) -> None:
    """goal (checked) is a main metric before goal, yet has 4 of 12 scores: GOAL leads."""
    assert result.declared.main.index("goal_checked") < result.declared.main.index("goal")
    assert " in GOAL, " in run_verdict(only(result, ALPHA))
    checked = [entry for entry in only(result, ALPHA).scores if entry.measure == "goal_checked"]
    alone = only(result, ALPHA).model_copy(update={"scores": tuple(checked)})
    assert run_verdict(alone) == (
        "Cannot tell: goal (checked) has only 4 of 12 scores (judge: goal check)."
    )


def test_failures_count_among_the_scores_that_are_missing(result: RunResult) -> None:
    failing = only(result, SCRIPTED)
    assert "Cannot tell: GOAL has only 9 of 12 scores" in run_verdict(failing)


def test_overall_leads_before_what_a_formula_scored(result: RunResult) -> None:
    """By the order in which the world declares its main metrics, whoever judged them."""
    alpha = only(result, ALPHA)
    declared = replace(alpha.declared, main=("goal", "goal_checked"))
    known = changed(
        alpha.model_copy(update={"declared": declared}),
        lambda entry: {"unscored": 0, "method": "model"},
    )
    judges = tuple(
        judge.model_copy(update={"method": "model" if judge.judge == "heuristic" else judge.method})
        for judge in known.judges
    )
    assert " in GOAL, " in run_verdict(known.model_copy(update={"judges": judges}))


def test_several_agents_have_the_best_and_the_worst_and_what_tests_them(result: RunResult) -> None:
    assert run_verdict(changed(result, lambda entry: {"failures": 0})) == (
        f"{ALPHA} has the best mean of 2 agents in GOAL, 7.33 [2.93, 10.00]; {SCRIPTED} has the "
        "worst, 3.78 [0.00, 8.02] (scale of 0 to 10, higher is better; judge: heuristic). "
        f"Whether they differ: sociolab compare {RUN}."
    )


def test_a_run_without_scores_has_no_result(result: RunResult, tmp_path: Path) -> None:
    assert run_verdict(result.model_copy(update={"scores": ()})) == (
        "No result: none of 12 episodes has a score (1 failed)."
    )
