"""The plan of a run, and what became of each trial."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from report.small_run import RUN, build
from sociolab.core import Agent, AgentKind, CastMember, StoreError, Task, Trial
from sociolab.store import Store, TrialRow

from . import samples

tasks = st.builds(
    Task,
    samples.texts,
    st.lists(samples.texts, max_size=3).map(tuple),
    samples.texts,
    samples.texts,
    st.lists(samples.texts, max_size=2).map(tuple),
)
agents = st.builds(
    Agent,
    samples.texts,
    st.sampled_from(get_args(AgentKind)),
    samples.texts,
    samples.texts,
    samples.texts,
    st.none() | st.floats(0, 2),
    st.none() | samples.texts,
)
casts = st.lists(st.builds(CastMember, samples.texts, agents), max_size=3).map(tuple)
trials = st.builds(Trial, samples.texts, samples.texts, tasks, casts, samples.counts, st.integers())


def test_trials_come_back_in_plan_order(store: Store) -> None:
    plan = samples.plan(7)
    store.create_run("r", "world", {}, plan)
    rows = store.trials("r")
    assert tuple(row.trial for row in rows) == plan
    assert [row.index for row in rows] == list(range(7))
    assert {row.status for row in rows} == {"planned"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(trials, max_size=4, unique_by=lambda trial: trial.id))
def test_any_trial_comes_back_as_it_was(store: Store, plan: list[Trial]) -> None:
    if store.has_run("r"):
        store.delete_run("r")
    store.create_run("r", "world", {}, plan)
    assert [row.trial for row in store.trials("r")] == plan


def test_a_task_is_stored_once_for_all_its_trials(store: Store) -> None:
    store.create_run("r", "world", {}, samples.plan(10))
    assert store.row("SELECT count(*) FROM tasks") == (5,)


def test_tasks_that_differ_only_in_content_stay_apart(store: Store) -> None:
    first, second, *_ = samples.plan(2)
    second = replace(second, task=replace(second.task, content="other"))
    store.create_run("r", "world", {}, (first, second))
    assert [row.trial for row in store.trials("r")] == [first, second]


def test_a_trial_planned_twice_is_refused_and_nothing_is_stored(store: Store) -> None:
    first, *_ = samples.plan(1)
    with pytest.raises(StoreError, match='the plan holds trial "t1" twice'):
        store.create_run("r", "world", {}, (first, first))
    assert store.runs() == ()


def test_two_runs_may_hold_the_same_trial(store: Store) -> None:
    store.create_run("a", "world", {}, samples.plan(1))
    store.create_run("b", "world", {}, samples.plan(1))
    store.append("a", "t1", samples.moved(0))
    assert store.events("b", "t1") == ()


def test_a_failed_trial_names_its_cause_and_keeps_its_events(store: Store) -> None:
    (trial,) = samples.plan(1)
    store.create_run("r", "world", {}, (trial,))
    store.append("r", "t1", samples.moved(0))
    store.set_status("r", "t1", "failed", "rate limit", "429 after 5 attempts \ud83d")
    assert store.trials("r") == (
        TrialRow(trial, 0, "failed", "rate limit", "429 after 5 attempts \ud83d"),
    )
    assert store.events("r", "t1") == (samples.moved(0),)


def test_a_trial_that_is_played_after_all_loses_its_cause(store: Store) -> None:
    store.create_run("r", "world", {}, samples.plan(1))
    store.set_status("r", "t1", "failed", "timeout", "no reply")
    store.set_status("r", "t1", "played")
    (row,) = store.trials("r")
    assert (row.status, row.cause, row.problem) == ("played", None, "")


def test_an_unknown_trial_is_refused(store: Store) -> None:
    store.create_run("r", "world", {}, samples.plan(1))
    with pytest.raises(StoreError, match='run "r" has no trial "t9"'):
        store.set_status("r", "t9", "played")
    with pytest.raises(StoreError, match='there is no run "x"'):
        store.set_status("x", "t1", "played")


def test_they_are_those_of_the_plan_that_were_played(tmp_path: Path) -> None:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store:
        found = store.trial_ids(RUN, "played")
        assert found == tuple(r.trial.id for r in store.trials(RUN) if r.status == "played")
        assert "bike-SS" not in found
        assert len(found) == 11
        with pytest.raises(StoreError):
            store.trial_ids("none", "played")
