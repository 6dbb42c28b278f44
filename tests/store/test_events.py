"""Events are on disk when `append` returns, and come back as they were."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sociolab.core import Action, Ended, Episode, Event, Moved, StoreError
from sociolab.store import Store

from . import samples


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(3))
    return store


_names = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(samples.events, max_size=6))
def test_every_kind_of_event_comes_back_as_it_was(store: Store, events: list[Event]) -> None:
    run = f"r{next(_names)}"
    store.create_run(run, "world", {}, samples.plan(1))
    for event in events:
        store.append(run, "t1", event)
    assert list(store.events(run, "t1")) == events


def test_an_event_larger_than_a_page_comes_back(played: Store) -> None:
    event = Moved(0, "ann", (Action("speak", "long words " * 3000),), memory={"a": ["b"] * 2000})
    played.append("r", "t1", event)
    assert played.events("r", "t1") == (event,)


def test_a_reader_sees_each_event_as_soon_as_append_returns(played: Store, path: Path) -> None:
    with Store.open(path, create=False) as reader:
        for turn in range(3):
            played.append("r", "t1", samples.moved(turn))
            assert len(reader.events("r", "t1")) == turn + 1


def test_a_reader_never_sees_half_a_transaction(played: Store, path: Path) -> None:
    with Store.open(path, create=False) as reader:
        with played.transaction():
            played.append("r", "t1", samples.moved(0))
            played.set_status("r", "t1", "played")
            assert reader.events("r", "t1") == ()
            assert reader.run("r").played == 0
        assert reader.events("r", "t1") == (samples.moved(0),)
        assert reader.run("r").played == 1


def test_a_transaction_that_fails_leaves_nothing(played: Store) -> None:
    def fail() -> None:
        with played.transaction():
            played.append("r", "t1", samples.moved(0))
            played.create_run("other", "world", {}, samples.plan(2))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert played.events("r", "t1") == ()
    assert not played.has_run("other")
    played.append("r", "t1", samples.moved(5))
    assert played.events("r", "t1") == (samples.moved(5),)


def test_appending_goes_on_where_an_earlier_process_stopped(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, samples.plan(1))
        store.append("r", "t1", samples.moved(0))
    with Store.open(path) as store:
        store.append("r", "t1", samples.moved(1))
        assert store.events("r", "t1") == (samples.moved(0), samples.moved(1))


def test_appending_goes_on_after_a_trial_failed(played: Store) -> None:
    played.append("r", "t1", samples.moved(0))
    played.set_status("r", "t1", "failed", "timeout", "no reply")
    played.append("r", "t1", samples.moved(1))
    assert len(played.events("r", "t1")) == 2


def test_two_processes_that_append_to_one_trial_are_told(played: Store, path: Path) -> None:
    with Store.open(path) as other:
        played.append("r", "t1", samples.moved(0))
        other.append("r", "t1", samples.moved(1))
        with pytest.raises(StoreError, match="another process appends to trial"):
            played.append("r", "t1", samples.moved(2))


def test_nothing_is_remembered_of_a_trial_that_is_over(played: Store) -> None:
    for trial in ("t1", "t2", "t3"):
        played.append("r", trial, samples.moved(0))
    played.set_status("r", "t1", "played")
    played.set_status("r", "t2", "failed", "timeout", "no reply")
    assert set(played._ends) == {("r", "t3")}


def test_an_unknown_trial_is_refused(played: Store) -> None:
    with pytest.raises(StoreError, match='run "r" has no trial "t9"'):
        played.append("r", "t9", samples.moved(0))
    with pytest.raises(StoreError, match='run "r" has no trial "t9"'):
        played.events("r", "t9")


def test_episodes_come_in_plan_order_and_by_status(played: Store) -> None:
    plan = samples.plan(3)
    for trial in reversed(plan):
        played.append("r", trial.id, samples.moved(0, f"I am {trial.id}."))
        played.append("r", trial.id, Ended("turn limit", 1))
        played.set_status("r", trial.id, "played")
    played.set_status("r", plan[1].id, "failed", "timeout", "no reply")
    episodes = tuple(played.episodes("r"))
    assert [episode.trial for episode in episodes] == [plan[0], plan[2]]
    assert [episode.moves[0].actions[0].text for episode in episodes] == ["I am t3.", "I am t1."]
    assert [episode.trial for episode in played.episodes("r", "failed")] == [plan[1]]


def test_a_single_episode_is_found(played: Store) -> None:
    played.append("r", "t2", samples.moved(0))
    assert played.episode("r", "t2") == Episode(samples.plan(3)[1], (samples.moved(0),))


def test_one_may_write_while_reading_episodes(played: Store) -> None:
    for trial in samples.plan(3):
        played.set_status("r", trial.id, "played")
    for episode in played.episodes("r"):
        played.append("r", episode.trial.id, samples.moved(0))
        played.set_status("r", episode.trial.id, "failed", "plugin", "")
    assert played.run("r").failed == 3
