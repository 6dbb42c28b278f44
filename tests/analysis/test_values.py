"""The values of the small run, counted by hand (see tests/report/small_run.py)."""

from __future__ import annotations

import pytest

from sociolab import result_of, values_of
from sociolab.analysis import RunValues, Value, choose_judge, pool_runs
from sociolab.core import ConfigError, Declared, JudgeId, Measure, StoreError
from sociolab.store import Store


def test_each_judged_play_is_a_value_and_a_failed_one_a_missing_value(store: Store) -> None:
    run = values_of(store, "small")
    goals = [v for v in run.by_judge("heuristic").values if v.measure == "goal"]
    # 12 trials of two seats, all due: 21 scored, one score failed, one trial of two failed.
    assert len(goals) == 24
    assert sum(value.value is None for value in goals) == 3
    bike = {(v.agent, v.partner): v.value for v in goals if v.trial == "bike-AS"}
    assert bike == {("openai/alpha", "scripted"): 7, ("scripted", "openai/alpha"): None}


def test_values_add_up_to_the_reports_means(store: Store) -> None:
    run, result = values_of(store, "small"), result_of(store, "small")
    for entry in result.scores:
        if entry.by or entry.judge not in run.judges or entry.agent is None:
            continue
        mine = [
            value
            for value in run.values
            if (value.judge, value.measure, value.agent)
            == (entry.judge, entry.measure, entry.agent)
        ]
        scored = [value.value for value in mine if value.value is not None]
        assert (len(scored), len(mine) - len(scored)) == (entry.n, entry.failures)
        if scored:
            assert sum(scored) / len(scored) == pytest.approx(entry.value)


def test_the_measures_come_in_the_order_of_the_paper(store: Store) -> None:
    names = list(values_of(store, "small").measures)
    assert names.index("social_rules") < names.index("goal") < names.index("believability")


def test_a_judge_must_be_named_where_several_judged(store: Store) -> None:
    runs = [values_of(store, "small")]
    assert choose_judge(runs, "heuristic") == "heuristic"
    with pytest.raises(ConfigError, match='no judge "nobody" scored small'):
        choose_judge(runs, "nobody")


def two_judges() -> RunValues:
    """One judge goes by rules, which counts before a formula, but only the formula scored the
    world's main metric."""
    declared = Declared(main=("payoff",))
    measures = {name: Measure(name, 0, 10) for name in ("fairness", "payoff")}
    judges = {"manners": JudgeId("manners", "rules"), "points": JudgeId("points", "formula")}
    values = tuple(
        Value(
            "r", "goods", f"t{scenario}", "t", scenario, None, 0, seat, agent, "other",
            judge, metric, value,
        )
        for judge, metric in (("manners", "fairness"), ("points", "payoff"))
        for scenario in "abc"
        for seat, agent, value in (("one", "x", 4.0), ("two", "y", 6.0))
    )  # fmt: skip
    return RunValues("r", "goods", values, judges, measures, declared=declared)


def test_the_judge_of_the_declared_main_metric_is_taken() -> None:
    run = two_judges()
    assert choose_judge([run], None) == "points"
    assert choose_judge([run], None, ["fairness"]) == "manners"
    pool = pool_runs([run], None, None)
    assert (pool.judge, pool.measure.name) == ("points", "payoff")


def test_a_run_that_is_not_there_is_told(store: Store) -> None:
    with pytest.raises(StoreError):
        values_of(store, "absent")
