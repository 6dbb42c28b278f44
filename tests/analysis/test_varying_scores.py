"""What scores vary with: worked by hand on stores, and the advice that follows."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.goal_runs import MODEL, Plays, add_run
from sociolab import Count, values_of
from sociolab.analysis import run_variances
from sociolab.analysis.doublings import Costs
from sociolab.analysis.variance_components import (
    AgentVariance,
    Variances,
    component_findings,
    variance_document,
    variance_section,
    variances,
)
from sociolab.core import ConfigError, JudgeId, Measure
from sociolab.report.formatting import NOTHING
from sociolab.store import Store

A, P, Q = "lab/a", "lab/p", "lab/q"


def found(folder: Path, goals: dict[str, Plays], costs: Costs | None = None) -> Variances:
    with Store.open(folder / "varying.db") as store:
        add_run(store, "r", goals)
        return variances([values_of(store, "r")], None, None, costs)


def of_a(all_: Variances) -> AgentVariance:
    return next(one for one in all_.agents if one.agent == A)


def part(one: AgentVariance, name: str) -> float | None:
    return next(c.variance for c in one.parts if c.factor == name)


def errors(one: AgentVariance) -> dict[str, float | None]:
    return {step.factor: step.error for step in one.steps}


# Three scenarios of one task, two repeats with one partner, judged once.
#   Within: each pair differs by 2, SS 2 each, 6 over 3 degrees of freedom: 2.
#   Between: means 3, 6, 9 about 6: SS 2 (9 + 0 + 9) = 36 over 2: 18. Scenario: (18 - 2) / 2 = 8.
ONCE: dict[str, Plays] = {
    "s1": {(A, P): [(2, 5), (4, 5)]},
    "s2": {(A, P): [(5, 5), (7, 5)]},
    "s3": {(A, P): [(8, 5), (10, 5)]},
}

# Two scenarios, two repeats, each judged twice.
#   Judgings: each pair differs by 2, SS 8 over 4: 2.
#   Plays in scenarios: means 2, 6 and 4, 8: SS 2 (4 + 4) each, 32 - 0 over 2: 16, (16 - 2) / 2 = 7.
#   Scenarios: means 4 and 6: SS 4 (1 + 1) = 8 over 1: 8, (8 - 16) / 4 < 0; moved apart by 4 more,
#   means 3 and 9 about 6: SS 4 (9 + 9) = 72, (72 - 16) / 4 = 14.
TWICE: dict[str, Plays] = {
    "s1": {(A, P): [[(0, 5), (2, 5)], [(4, 5), (6, 5)]]},
    "s2": {(A, P): [[(6, 5), (8, 5)], [(10, 5), (12, 5)]]},
}


def test_scenarios_and_repeats_worked_by_hand(tmp_path: Path) -> None:
    one = of_a(found(tmp_path, ONCE))
    assert part(one, "scenario") == pytest.approx(8)
    assert part(one, "residual") == pytest.approx(2)
    assert one.mean == 6
    # 8 / 3 + 2 / 6 = 3; twice the scenarios: 1.5; twice the repeats: 8 / 3 + 2 / 12.
    assert one.error == pytest.approx(math.sqrt(3))
    assert errors(one)["scenario"] == pytest.approx(math.sqrt(1.5))
    assert errors(one)["repeat"] == pytest.approx(math.sqrt(8 / 3 + 1 / 6))
    assert one.best is not None
    assert one.best.factor == "scenario"


def test_more_scenarios_than_there_are_are_no_plan(tmp_path: Path) -> None:
    # n scenarios, r times the repeats: t(n - 1) sqrt(8 / n + 2 / 2 n r). On 20, t(19) = 2.093:
    # r = 4 gives 1.344, r = 5 1.340, and no r less than 1.324.
    def notes(wanted: float, clusters: int | None) -> str:
        declared = replace(all_.declared, clusters=clusters, cluster="scenario")
        found = variance_section(replace(all_, declared=declared), wanted)
        return " ".join(found.tables[0].notes)

    all_ = found(tmp_path, ONCE)
    assert "there are only 20 scenarios; on all of them, lab/a would need 5 times as many" in notes(
        1.3403, 20
    )
    assert "even 100 times as many repeats are too few for lab/a" in notes(1.324, 20)
    assert "no number of repeats on these reaches it for lab/a" in notes(1.32, 20)
    assert "there are only" not in notes(1.32, 90)
    assert "there are only" not in notes(1.32, None)


def test_components_are_findings_with_their_figures(tmp_path: Path) -> None:
    all_ = found(tmp_path, ONCE, Costs(1, 10))
    first, *_, residual = component_findings(all_, of_a(all_))
    assert first.about == {"agent": A, "component": "scenario"}
    assert first.counts == (Count("level", 3),)
    # Twice the scenarios and twice the repeats cost the same; scenarios take off the most.
    assert first.more == pytest.approx(
        {"sd": math.sqrt(8), "share": 0.8, "error": math.sqrt(1.5), "cost": 66, "worth": 1}
    )
    errors = (math.sqrt(3), math.sqrt(8 / 3 + 1 / 6), math.sqrt(1.5))
    assert residual.more["worth"] == pytest.approx(
        (errors[0] - errors[1]) / (errors[0] - errors[2])
    )


def test_judgings_are_told_from_repeats_where_plays_were_judged_twice(tmp_path: Path) -> None:
    with Store.open(tmp_path / "twice.db") as store:
        add_run(store, "r", TWICE, measure=Measure("goal", 0, 12))
        one = of_a(variances([values_of(store, "r")], None, None, Costs(1, 10)))
    assert part(one, "scenario") == pytest.approx(14)
    assert part(one, "repeat") == pytest.approx(7)
    assert part(one, "residual") == pytest.approx(2)
    # 14 / 2 + 7 / 4 + 2 / 8 = 9; judgings twice: 9 - 1 / 8; repeats twice: 7 + 1; all twice: 4.5.
    assert one.error == pytest.approx(3)
    assert errors(one)["judgings"] == pytest.approx(math.sqrt(8.875))
    assert errors(one)["repeat"] == pytest.approx(math.sqrt(8))
    assert errors(one)["scenario"] == pytest.approx(math.sqrt(4.5))
    # 4 plays and 8 judgings more, but for judgings 8 judgings alone.
    costs = {step.factor: step.cost for step in one.steps}
    assert (costs["scenario"], costs["judgings"]) == (84, 80)


def test_twice_the_scenarios_are_twice_the_tasks_too(tmp_path: Path) -> None:
    # The numbers of TWICE, of tasks in scenarios and their repeats: 14, 7 and 2 again.
    goals: dict[str, Plays] = {
        "t1": {(A, P): [(0, 5), (2, 5)]},
        "t2": {(A, P): [(4, 5), (6, 5)]},
        "t3": {(A, P): [(6, 5), (8, 5)]},
        "t4": {(A, P): [(10, 5), (12, 5)]},
    }
    clusters = {"t1": "s1", "t2": "s1", "t3": "s2", "t4": "s2"}
    with Store.open(tmp_path / "tasks.db") as store:
        add_run(store, "r", goals, measure=Measure("goal", 0, 12), clusters=clusters)
        one = of_a(variances([values_of(store, "r")], None, None))
    assert [part(one, name) for name in ("scenario", "task", "residual")] == pytest.approx(
        [14, 7, 2]
    )
    assert errors(one)["scenario"] == pytest.approx(math.sqrt(4.5))
    assert errors(one)["task"] == pytest.approx(math.sqrt(8))
    assert errors(one)["repeat"] == pytest.approx(math.sqrt(8.875))


def test_dear_plays_and_cheap_judgings_can_make_judgings_the_best_buy(tmp_path: Path) -> None:
    with Store.open(tmp_path / "dear.db") as store:
        add_run(store, "r", TWICE, measure=Measure("goal", 0, 12))
        all_ = variances([values_of(store, "r")], None, None, Costs(1000, 0.1))
    one = of_a(all_)
    assert one.best is not None
    assert one.best.factor == "judgings"
    told = " ".join(variance_section(all_).sentences)
    assert "The next dollar is best spent on the judgings of each episode" in told


def test_the_advice_is_told_in_words(tmp_path: Path) -> None:
    all_ = found(tmp_path, ONCE)
    told = " ".join(variance_section(all_).sentences)
    assert "lab/a: mean 6.00 over 6 scores, standard error 1.73 across scenarios in general" in told
    assert "The standard error would fall to 1.22 with twice the scenarios." in told
    assert "Doubling the repeats would hardly change it" in told
    assert "adding scenarios helps most" in told


def test_what_the_design_cannot_tell_is_told(tmp_path: Path) -> None:
    section = variance_section(found(tmp_path, ONCE))
    told = " ".join(section.cautions)
    assert (
        "There is only one partner and one judge: the variance across others is not known." in told
    )
    assert "Each episode was judged once" in told
    assert "--cost-per-play" in told


def test_a_run_without_repeats_says_that_more_of_them_may_help_less(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {
        f"s{i}": {(A, P): [(i, 5)], (A, Q): [(i + 2 + i % 2, 5)]} for i in range(5)
    }
    one = of_a(all_ := found(tmp_path, goals))
    assert one.played_once
    assert [c.factor for c in one.parts] == ["scenario", "partner", "judge", "residual"]
    assert any("was repeated" in caution for caution in variance_section(all_).cautions)


def test_tasks_of_a_scenario_and_their_seats_are_components_of_their_own(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {
        f"t{i}": {(A, P): [(i % 5, 5), (i % 4, 5)], (P, A): [(5, i % 6), (5, i % 7)]}
        for i in range(6)
    }
    with Store.open(tmp_path / "seats.db") as store:
        add_run(store, "r", goals, clusters={f"t{i}": f"s{i // 2}" for i in range(6)})
        one = of_a(variances([values_of(store, "r")], None, None))
    levels = {c.factor: c.levels for c in one.parts}
    assert levels == {
        "scenario": 3,
        "task": 6,
        "seat": 12,
        "partner": 1,
        "judge": 1,
        "residual": 24,
    }
    assert "seat" not in errors(one)  # nobody can have more seats


def test_rules_are_not_to_be_asked_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "rules.db") as store:
        add_run(store, "r", ONCE, judges=[JudgeId("counting", "heuristic", "h")])
        section = variance_section(variances([values_of(store, "r")], None, None))
    assert not any("Judge again" in caution for caution in section.cautions)


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        (JudgeId("counting", "heuristic", "h"), "not comparable with an LLM judge or the paper."),
        (JudgeId("mine", "model", "v1", code="0" * 16), 'declares that it is "model".'),
        (MODEL, ""),
        (JudgeId("people", "people"), ""),
    ],
)
def test_scores_by_rules_are_cautioned_against_as_a_report_does(
    tmp_path: Path, judge: JudgeId, told: str
) -> None:
    with Store.open(tmp_path / "rules.db") as store:
        add_run(store, "r", ONCE, judges=[judge])
        section = variance_section(variances([values_of(store, "r")], None, None))
    cautions = [one for one in section.cautions if one.startswith(f"Judge {judge.name}: ")]
    assert [one.endswith(told) for one in cautions] == ([True] if told else [])


def test_one_play_of_each_task_cannot_tell_tasks_from_chance(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {f"s{i}": {(A, P): [(i, 5)]} for i in range(4)}
    all_ = found(tmp_path, goals)
    one = of_a(all_)
    assert part(one, "scenario") is None
    # Together they are told: the variance of 0, 1, 2, 3 is 5/3, over four tasks.
    assert one.error == pytest.approx(math.sqrt(5 / 3 / 4))
    told = " ".join(variance_section(all_).cautions)
    assert "cannot separate scenario, episode, judging and the rest" in told
    assert "Few levels: scenario (4) of lab/a and lab/p" in told
    table = next(t for t in variance_section(all_).tables if "of lab/a" in t.heading)
    assert table.rows[-1][0] == "scenario, episode, judging and the rest, together"
    assert [row[2] for row in table.rows if row[2] != NOTHING] == ["100 %"]


def test_several_judges_are_a_component(tmp_path: Path) -> None:
    two = JudgeId("lab/other", "model", "j2")
    rules = JudgeId("counting", "heuristic", "h")
    with Store.open(tmp_path / "judges.db") as store:
        add_run(store, "r", ONCE, judges=[MODEL, two, rules])
        all_ = variances([values_of(store, "r")], None, None, Costs(1, 1))
        named = variances([values_of(store, "r")], ["counting"], None)
        with pytest.raises(ConfigError, match='no judge "nobody" scored these runs'):
            variances([values_of(store, "r")], ["nobody"], None)
        with pytest.raises(ConfigError, match="a value in foo; metrics with values: goal"):
            variances([values_of(store, "r")], None, "foo")
    assert [*all_.judges] == ["lab/judge", "lab/other"]  # models; rules are asked for by name
    assert {c.factor: c.levels for c in of_a(all_).parts}["judge"] == 2
    assert part(of_a(all_), "judge") == pytest.approx(0)  # they said the same
    more = {step.factor: (step.plays, step.judgings, step.cost) for step in of_a(all_).steps}
    assert more["scenario"] == (6, 12, 18)
    assert more["judge"] == (0, 12, 12)  # judges need no new plays
    assert [*named.judges] == ["counting"]


def test_an_episode_of_self_play_is_played_and_judged_once_for_two_scores(tmp_path: Path) -> None:
    goals: dict[str, Plays] = {f"s{i}": {(A, A): [(i, i + 2)]} for i in range(4)}
    one = of_a(found(tmp_path, goals, Costs(1, 10)))
    assert (one.components.n, one.episodes, one.judgings) == (8, 4, 4)
    step = next(step for step in one.steps if step.factor == "scenario")
    assert (step.plays, step.judgings, step.cost) == (4, 4, 44)


def test_missing_scores_are_counted_and_are_no_values(tmp_path: Path) -> None:
    goals = ONCE | {"s4": {(A, P): [(None, 5)]}}
    one = of_a(all_ := found(tmp_path, goals))
    assert (one.components.n, one.components.missing) == (6, 1)
    assert part(one, "scenario") == pytest.approx(8)
    assert any(
        "1 score is missing, and left out" in caution for caution in variance_section(all_).cautions
    )


def test_costs_that_are_not_given_are_those_of_the_run(store: Store) -> None:
    # Alpha's 13 calls at $0.002 (see tests/report/small_run.py) over 11 played episodes; rules
    # judge for nothing.
    found = run_variances(store, ["small"], measure="goal")
    assert found.costs is not None
    assert found.costs.play == pytest.approx(13 * 0.002 / 11)
    assert found.costs.judging == 0
    given = run_variances(store, ["small"], measure="goal", per_play=2, per_judging=1).costs
    assert given == Costs(2, 1)


def test_its_document_holds_components_and_steps(tmp_path: Path) -> None:
    document = variance_document(found(tmp_path, ONCE))
    (a, p) = document["agents"]
    assert (a["agent"], p["agent"]) == (A, P)
    assert a["components"][0]["variance"] == pytest.approx(8)
    assert a["best"] == "scenario"
    assert p["standard_error"] == 0  # P's goal is 5 throughout
    assert p["best"] is None
