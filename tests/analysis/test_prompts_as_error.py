"""Prompt sets as a factor: their variance component, and intervals that hold for other sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from analysis.goal_runs import Plays, add_run, settings
from sociolab import Rating, keep_ratings
from sociolab.analysis import CompareRequest, compare_runs, run_variances
from sociolab.core import ConfigError, Instructions
from sociolab.stats import mean
from sociolab.store import Store

A, B, P = "lab/a", "lab/b", "lab/p"
SETS = ("one", "two", "three")
# Rows are scenarios, columns prompt sets.
OF_A = np.array([[1, 3, 6], [2, 6, 7], [3, 5, 9], [6, 7, 9], [2, 3, 8]], dtype=float)
OF_B = np.array([[1, 2, 2], [2, 6, 4], [2, 2, 4], [7, 6, 6], [1, 1, 3]], dtype=float)


def stored(folder: Path, sets: Sequence[str] = SETS, **more: object) -> Store:
    """A run under each set, in which both agents played each scenario with one partner."""
    store = Store.open(folder / "prompts.db")
    for column, name in enumerate(sets):
        told = Instructions(name, "modified", f"{column}abcdef0")
        given = settings(dict.fromkeys((A, B, P), "a1"), ("by-hand", "1", f"hash of {name}"))
        goals: dict[str, Plays] = {
            f"s{row}": {(A, P): [(OF_A[row, column], 5)], (B, P): [(OF_B[row, column], 5)]}
            for row in range(len(OF_A))
        }
        given |= {"instructions": told.as_json(), "world_settings": {"prompts": name} | more}
        more = {}
        add_run(store, name, goals, given=given)
    return store


def over(*runs: str) -> CompareRequest:
    return CompareRequest(runs, A, B, measures=("goal",), over_prompts=True)


def components(scores: np.ndarray) -> dict[str, float]:
    """Those of a two-way analysis of variance with one score in a cell."""
    rows, columns = scores.shape
    of_sets, of_scenarios = scores.mean(axis=0), scores.mean(axis=1)
    left = scores - of_sets - of_scenarios[:, None] + scores.mean()
    rest = float((left**2).sum()) / ((rows - 1) * (columns - 1))
    return {
        "scenario": of_scenarios.var(ddof=1) - rest / columns,
        "prompts": of_sets.var(ddof=1) - rest / rows,
        "residual": rest,
    }


def error_of(parts: dict[str, float]) -> float:
    assert min(parts.values()) > 0
    return float(np.sqrt(parts["scenario"] / 5 + parts["prompts"] / 3 + parts["residual"] / 15))


def test_the_component_of_the_sets_is_that_of_a_two_way_analysis_of_variance(
    tmp_path: Path,
) -> None:
    with stored(tmp_path) as store:
        found = run_variances(store, SETS, measure="goal")
    one = next(agent for agent in found.agents if agent.agent == A)
    by_hand = components(OF_A)
    told = {part.factor: part.variance for part in one.parts if part.levels > 1}
    assert told == pytest.approx(by_hand)
    assert one.error == pytest.approx(error_of(by_hand))
    over = one.over_prompts
    assert over is not None
    assert (over.value, over.error) == pytest.approx((OF_A.mean(), one.error), rel=1e-4)


def test_a_comparison_over_sets_pairs_within_a_set_and_holds_for_others(tmp_path: Path) -> None:
    with stored(tmp_path) as store:
        conclusions = compare_runs(store, over(*SETS))
    found = conclusions.two("this")
    gaps = OF_A - OF_B
    test = found.metrics["goal"].test
    assert test.pairs == gaps.size
    assert test.clusters == 5
    # On balanced data restricted maximum likelihood is the analysis of variance.
    gap = test.difference
    assert gap.method == "model"
    assert gap.value == pytest.approx(gaps.mean())
    assert gap.error == pytest.approx(error_of(components(gaps)), rel=1e-4)
    scenarios = [f"s{row}" for row in range(5) for _ in SETS]
    alone = mean(gaps.ravel().tolist(), scenarios)
    assert gap.low is not None
    assert alone.low is not None
    assert gap.low < 0 < alone.low, "these sets alone would show a difference"
    cautions = [text for section in conclusions.sections for text in section.all_cautions]
    assert any("other prompt sets rest on 3 prompt sets" in text for text in cautions)


def test_of_two_sets_the_interval_holds_for_these(tmp_path: Path) -> None:
    with stored(tmp_path, SETS[:2]) as store:
        conclusions = compare_runs(store, over(*SETS[:2]))
    found = conclusions.two("this").metrics["goal"].test.difference
    scenarios = [f"s{row}" for row in range(5) for _ in range(2)]
    alone = mean((OF_A - OF_B)[:, :2].ravel().tolist(), scenarios)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    cautions = [text for section in conclusions.sections for text in section.all_cautions]
    assert any("for these sets only" in text for text in cautions)


def test_plays_are_matched_in_pairs_alone(tmp_path: Path) -> None:
    with stored(tmp_path) as store, pytest.raises(ConfigError, match="leave --match out"):
        compare_runs(store, CompareRequest(SETS, A, B, match="scenario", over_prompts=True))


@pytest.mark.parametrize(
    ("runs", "message"),
    [(("one",), "expected runs under a prompt set each"), (("one", "one"), "twice")],
)
def test_several_sets_are_needed(tmp_path: Path, runs: tuple[str, ...], message: str) -> None:
    with stored(tmp_path) as store, pytest.raises(ConfigError, match=message):
        compare_runs(store, over(*runs))


def test_what_differs_otherwise_is_refused(tmp_path: Path) -> None:
    with stored(tmp_path, turns="4") as store:
        with pytest.raises(ConfigError, match="differ in prompts alone, found turns"):
            compare_runs(store, over("one", "two"))
        with pytest.raises(ConfigError, match="expected runs that played the same data"):
            run_variances(store, ["one", "two"])


def test_other_tasks_under_the_same_ids_are_refused(tmp_path: Path) -> None:
    with stored(tmp_path, ("one",)) as store:
        told = Instructions("two", "modified", "1abcdef0").as_json()
        given = settings(dict.fromkeys((A, B, P), "a1"), ("by-hand", "1", "another"))
        given |= {"instructions": told, "world_settings": {"prompts": "two"}}
        goals: dict[str, Plays] = {"s0": {(A, P): [(1, 5)], (B, P): [(2, 5)]}}
        add_run(store, "two", goals, given=given, clusters={"s0": "elsewhere"})
        for refused in (
            lambda: run_variances(store, ["one", "two"]),
            lambda: compare_runs(store, over("one", "two")),
        ):
            with pytest.raises(ConfigError, match="played on different data"):
                refused()


def test_scores_by_people_are_not_pooled_over_sets(tmp_path: Path) -> None:
    with stored(tmp_path, SETS[:2]) as store:
        for name in SETS[:2]:
            trials = [row.trial.id for row in store.trials(name)]
            ratings = [Rating(trial, "ann", "anna", "goal", 5) for trial in trials]
            keep_ratings(store, name, ratings)
        request = CompareRequest(SETS[:2], A, B, "people", ("goal",), over_prompts=True)
        with pytest.raises(ConfigError, match="vary by rater"):
            compare_runs(store, request)
