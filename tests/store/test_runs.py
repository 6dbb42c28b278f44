"""Runs are made, found, renamed and deleted."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.agents import ToolCall
from sociolab.core import Json, ModelError, Score, ScoreFailure, StoreError
from sociolab.store import RunReplies, Store, lock_run

from . import samples

BELONGING = (
    "runs",
    "tasks",
    "agents",
    "trials",
    "events",
    "schemas",
    "calls",
    "tool_calls",
    "call_failures",
    "attempts",
    "judges",
    "measures",
    "judgings",
    "verdicts",
    "outcomes",
    "recruiting",
    "recruits",
    "platform_ids",
    "attachments",
    "notes",
    "studies",
    "participants",
    "assignments",
    "looks",
    "answers",
    "episode_words",
)


def fill(store: Store, name: str) -> None:
    """A run with something in every table."""
    store.create_run(name, "world", {"seed": 1}, samples.plan(3))
    store.append(name, "t1", samples.moved(0))
    replies = RunReplies(store, name)
    reply = replace(samples.reply(), calls=(ToolCall("c1", "look", "{}"),))
    replies.keep("k1", samples.call(), "m", samples.prompt("a"), reply)
    replies.keep_failure(samples.call(turn=1), "m", ModelError("gone", cause="timeout"), 1.0)
    replies.keep_attempt(samples.call(turn=1), "m", samples.attempt())
    store.verdicts.add(
        name,
        samples.JUDGE,
        [Score(samples.MEASURE, "ann", 7, outcome={"agreed": True})],
        trial="t1",
    )
    failure = ScoreFailure(samples.MEASURE, "ann", "unreadable", "no number")
    store.verdicts.add(name, samples.JUDGE, [failure], cell={"agent": "x"})
    store.notes.add(name, "as it was")
    store.attach(name, "t1", "trace", b"piece")
    store.studies.create(f"{name}-study", "play", {}, name)
    person = store.studies.add_participant(f"{name}-study", "p-aaaaaa", None)
    store.studies.assign(person, "t1", "ann", "open")
    store.studies.answer(person, "", "age", 31)
    store.recruits.add(f"{name}-study", person, "ada", {"PROLIFIC_PID": "ada"})
    store.search.index(name, "t1", "Hello there")
    store.record_look((name, name), "[]", 9)


def table_sizes(store: Store) -> dict[str, int]:
    """Rows of each table; those that SQLite keeps for the search index apart."""
    tables = store.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' "
        "AND name NOT LIKE 'episode\\_words\\__%' ESCAPE '\\'"
    )
    return {name: store.row(f"SELECT count(*) FROM {name}")[0] for (name,) in tables}


def test_looks_at_a_comparison_are_kept_by_their_size(store: Store) -> None:
    for name in ("a", "b"):
        store.create_run(name, "sotopia", {}, samples.plan(1))
    assert store.record_look(("a", "b"), "x", 10) == (10,)
    assert store.record_look(("a", "b"), "x", 10) == (10,), "the same data again are no other look"
    assert store.record_look(("a", "b"), "x", 20) == (10, 20)
    assert store.record_look(("a", "b"), "y", 20) == (20,)


def test_a_run_is_found_as_it_was_made(store: Store) -> None:
    before = time.time()
    settings: Json = {"data": "ours-\ud83d", "seats": [1, 2]}
    store.create_run("first", "sotopia", settings, samples.plan(3))
    run = store.run("first")
    assert (run.name, run.world, run.settings) == ("first", "sotopia", settings)
    assert before <= run.created <= time.time()
    assert (run.planned, run.playing, run.played, run.failed, run.trials) == (3, 0, 0, 0, 3)
    assert not run.finished


def test_a_run_is_finished_when_every_trial_was_played_or_failed(store: Store) -> None:
    store.create_run("r", "world", {}, samples.plan(2))
    store.set_status("r", "t1", "played")
    store.set_status("r", "t2", "playing")
    assert not store.run("r").finished
    store.set_status("r", "t2", "failed", "timeout", "no reply")
    assert store.run("r").finished
    assert (store.run("r").played, store.run("r").failed) == (1, 1)


def test_a_run_without_trials_is_finished(store: Store) -> None:
    store.create_run("r", "world", {}, ())
    assert store.run("r").finished
    assert store.run("r").trials == 0


def test_runs_are_listed_oldest_first(store: Store) -> None:
    store.create_run("b", "world", {}, (), created=2.0)
    store.create_run("a", "world", {}, (), created=3.0)
    store.create_run("c", "world", {}, (), created=1.0)
    assert [run.name for run in store.runs()] == ["c", "b", "a"]


def test_seconds_add_up_over_the_parts_of_a_run(store: Store) -> None:
    store.create_run("r", "world", {}, ())
    store.add_seconds("r", 1.5)
    store.add_seconds("r", 2.25)
    assert store.run("r").seconds == 3.75


def test_an_unknown_run_is_answered_with_those_that_there_are(store: Store) -> None:
    with pytest.raises(StoreError, match=r'there is no run "x" in .*; it holds none yet'):
        store.run("x")
    store.create_run("one", "world", {}, (), created=1.0)
    store.create_run("two", "world", {}, (), created=2.0)
    with pytest.raises(StoreError, match=r'there is no run "x" in .*; it holds two, one'):
        store.run("x")
    with pytest.raises(StoreError, match=r'no run "tow" in .* \(did you mean two\?\); it holds'):
        store.run("tow")


@pytest.mark.parametrize("name", ["", "a b", "../up", "-v", ".hidden", "é", "a/b", "n" * 81, "a\n"])
def test_a_name_that_is_none_is_refused(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="the name of a run has 1 to 80 letters"):
        store.create_run(name, "world", {}, ())
    assert store.runs() == ()


@pytest.mark.parametrize("name", ["a", "A-1_b.c", "2026.01.31", "n" * 80])
def test_a_name_may_have_letters_digits_dots_underscores_and_hyphens(
    store: Store, name: str
) -> None:
    store.create_run(name, "world", {}, ())
    assert store.has_run(name)


def test_a_name_that_is_taken_is_refused_and_the_run_is_as_before(store: Store) -> None:
    store.create_run("r", "world", {}, samples.plan(2))
    with pytest.raises(StoreError, match='there is a run "r" already'):
        store.create_run("r", "other", {}, samples.plan(3))
    assert store.run("r").world == "world"
    assert table_sizes(store)["trials"] == 2


def test_renaming_keeps_everything(store: Store) -> None:
    fill(store, "old")
    before = table_sizes(store)
    store.rename_run("old", "new")
    assert [run.name for run in store.runs()] == ["new"]
    assert table_sizes(store) == before
    assert store.events("new", "t1") == (samples.moved(0),)


def test_appending_goes_on_under_the_new_name(store: Store) -> None:
    fill(store, "old")
    store.rename_run("old", "new")
    store.append("new", "t1", samples.moved(1))
    assert store.events("new", "t1") == (samples.moved(0), samples.moved(1))
    with pytest.raises(StoreError, match='there is no run "old"'):
        store.append("old", "t1", samples.moved(2))


def test_renaming_to_a_taken_name_is_refused(store: Store) -> None:
    store.create_run("a", "world", {}, ())
    store.create_run("b", "world", {}, ())
    with pytest.raises(StoreError, match='there is a run "b" already'):
        store.rename_run("a", "b")


def test_deleting_leaves_nothing_behind_in_any_table(store: Store) -> None:
    fill(store, "r")
    sizes = table_sizes(store)
    of_no_run = {"salt": 1, "versions": 1, "audit_log": 0}
    assert {table: sizes.pop(table) for table in of_no_run} == of_no_run
    assert set(sizes) == set(BELONGING)
    assert all(sizes.values()), f"the sample run leaves a table empty: {sizes}"
    store.delete_run("r")
    assert table_sizes(store) == of_no_run | dict.fromkeys(BELONGING, 0)


def test_deleting_leaves_other_runs_alone(store: Store) -> None:
    fill(store, "stays")
    before = table_sizes(store)
    fill(store, "goes")
    store.delete_run("goes")
    assert table_sizes(store) == before


def test_a_name_can_be_used_again_after_deleting(store: Store) -> None:
    fill(store, "r")
    store.delete_run("r")
    fill(store, "r")
    assert store.events("r", "t1") == (samples.moved(0),)
    assert len(list(store.verdicts.scores("r"))) == 2


def test_a_run_that_is_being_played_is_not_renamed_or_deleted(store: Store, path: Path) -> None:
    fill(store, "r")
    with lock_run(path, "r"):
        with pytest.raises(StoreError, match='run "r" is in use by process'):
            store.delete_run("r")
        with pytest.raises(StoreError, match='run "r" is in use by process'):
            store.rename_run("r", "new")
    assert store.has_run("r")


def test_a_plan_that_grows_stores_each_task_once(store: Store) -> None:
    """Two tasks with two repeats each, then a third repeat, a new task, and one whose content is
    another although its id is not."""
    store.create_run("grown", "world", {}, samples.plan(4))
    first, *_, last = samples.plan(4)
    changed = replace(samples.task(1), content="{}")
    further = [
        replace(first, id="t5", repeat=2),
        replace(last, id="t6", repeat=2),
        replace(first, id="t7", task=samples.task(7)),
        replace(first, id="t8", task=changed),
        replace(first, id="t9", task=changed, repeat=1),
    ]
    store.add_trials("grown", further)
    stored = store.rows("SELECT id, content FROM tasks ORDER BY pk")
    contents = [samples.task(n).content for n in (0, 1, 7)] + ["{}"]
    assert sorted(stored) == sorted(
        zip(("task 0", "task 1", "task 7", "task 1"), contents, strict=True)
    )
    assert [row.trial for row in store.trials("grown")] == [*samples.plan(4), *further]
