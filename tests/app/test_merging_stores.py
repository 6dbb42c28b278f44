"""Whole stores put together: all their runs, studies, notes and looks; or nothing, and why."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bundles import text_of
from sociolab import RunConfig, run
from sociolab.app import merge
from sociolab.core import CallKey, ChatReply, ConfigError, Prompt, StoreError
from sociolab.store import RunReplies, Store, export_run, find_damage


def play(store: Path, name: str, **more: Any) -> None:
    run(RunConfig(store=store, name=name, **{"world": "sotopia", "limit": 2, "seed": 1, **more}))


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """Two stores: a and b with a study, an audit's replies, a note and a look; and c."""
    first, second = tmp_path / "one.db", tmp_path / "two.db"
    for name in "ab":
        play(first, name)
    play(second, "c", seed=2)
    with Store.open(first) as store:
        store.create_run("audit-1", "sotopia", {"of": "a"}, [], keeps="audit")
        call = CallKey("t", "judge", "", 0, "score", 1)
        RunReplies(store, "audit-1").keep("k", call, "m/x", Prompt(()), ChatReply("Hi."))
        store.notes.add("a", "no difference", "b", at=1.5)
        store.record_look(("a", "b"), "{}", 2)
        store.studies.create("talks", "rate", {"title": "T"}, "a")
        person = store.studies.add_participant("talks", "p-aaaaaa", b"l" * 32)
        store.studies.bind(person, b"s" * 32)
        store.studies.set_state(person, "consented")
        store.studies.assign(person, "t1", "ann", "open")
        store.studies.answer(person, "", "age", "30-39")
    return [first, second]


def content(path: Path, folder: Path) -> dict[str, Any]:
    """All that a store holds, but for primary keys and wall times."""
    with Store.open(path, create=False) as store:
        assert list(find_damage(store)) == []
        exported = {}
        for row in store.runs():
            export_run(store, row.name, folder / "x.zip")
            exported[row.name] = text_of(folder / "x.zip")
        people = store.studies.participants("talks")
        return {
            "runs": exported,
            "looks": store.looks(),
            "people": [(p.id, p.state, p.bound, p.consented, p.finished) for p in people],
            "work": [(a.item, a.seat, a.state) for a in store.studies.assignments("talks")],
            "answers": [(a.name, a.value, a.at) for a in store.studies.answers("talks")],
            "study": store.studies.get("talks"),
        }


def test_all_runs_and_studies_of_whole_stores_are_merged(tmp_path: Path, parts: list[Path]) -> None:
    into = tmp_path / "all.db"
    merged = merge(into, parts)
    assert [(found.run.name, found.run.played, found.taken) for found in merged] == [
        ("a", 2, 2),
        ("b", 2, 2),
        ("c", 2, 2),
    ]
    found, first = content(into, tmp_path), content(parts[0], tmp_path)
    assert found["runs"].keys() == {"a", "b", "c", "audit-1"}
    assert {name: found["runs"][name] for name in first["runs"]} == first["runs"]
    assert {key: found[key] for key in found if key != "runs"} == {
        key: first[key] for key in first if key != "runs"
    }
    assert [row.taken for row in merge(into, parts)] == [0, 0, 0]
    assert content(into, tmp_path) == found


def test_a_study_that_went_on_is_merged_as_far_as_it_came(
    tmp_path: Path, parts: list[Path]
) -> None:
    into = tmp_path / "all.db"
    merge(into, parts)
    merge(tmp_path / "old.db", parts[:1])
    with Store.open(parts[0]) as store:
        (person,) = store.studies.participants("talks")
        (task,) = store.studies.assignments("talks")
        store.studies.answer(person.pk, "", "age", "40-49")
        store.studies.answer(person.pk, "t1", "goal", 7)
        store.studies.set_progress(task.pk, "done")
        store.studies.set_state(person.pk, "finished")
        store.studies.add_participant("talks", "p-bbbbbb", b"m" * 32)
    merge(into, parts[:1])
    after = content(into, tmp_path)
    assert after["people"] == content(parts[0], tmp_path)["people"]
    assert [(name, value) for name, value, _ in after["answers"]] == [("age", "40-49"), ("goal", 7)]
    assert after["work"] == [("t1", "ann", "done")]
    before = content(parts[0], tmp_path)
    merge(parts[0], [tmp_path / "old.db"])  # what is behind takes nothing back
    assert content(parts[0], tmp_path) == before


def test_runs_that_only_share_a_name_are_named_at_once_and_nothing_is_taken(
    tmp_path: Path, parts: list[Path]
) -> None:
    play(parts[1], "a", seed=3)
    play(parts[1], "b", seed=4)
    with Store.open(parts[1]) as store:
        store.studies.create("talks", "rate", {}, "c")
    into = tmp_path / "all.db"
    with pytest.raises(ConfigError) as told:
        merge(into, parts)
    for clause in (
        f'the run "a" of {parts[1]} is not the one in {parts[0]}: seed 1, in',
        'the run "b" of',
        'the study "talks" of',
        "nothing was merged: `sociolab rename`",
    ):
        assert clause in str(told.value)
    assert not into.exists()
    merge(into, parts[:1], run="a")
    with Store.open(into) as store:
        assert [row.name for row in store.runs()] == ["a"]
        assert store.studies.all() == ()
    with pytest.raises(ConfigError, match=r'run "a" of .*two.db is not the one in .*all'):
        merge(into, parts[1:])


def test_a_store_is_not_merged_into_itself(parts: list[Path]) -> None:
    with pytest.raises(ConfigError, match="found it itself"):
        merge(parts[0], [parts[0]])


def test_a_damaged_run_is_not_taken(tmp_path: Path, parts: list[Path]) -> None:
    with closing(sqlite3.connect(parts[0], isolation_level=None)) as raw:
        (was,) = raw.execute("SELECT sum FROM events LIMIT 1").fetchone()
        raw.create_function("checksum", -1, lambda *_: was)
        raw.execute(f"UPDATE events SET body = replace(body, 'a', 'e') WHERE sum = {was}")
    into = tmp_path / "all.db"
    with pytest.raises(StoreError, match=r"events, row .* was changed; go back to"):
        merge(into, parts)
    with Store.open(into) as store:
        assert store.runs() == ()
