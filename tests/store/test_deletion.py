"""What is deleted thoroughly is gone from the bytes of the store's files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sociolab.core import ModelError, Score, StorageError, StoreError
from sociolab.store import RunReplies, Store, lock_run

from . import samples

SECRET = "quetzalcoatl"
"""A word that is nowhere else, short enough to be kept uncompressed and to be one index term."""


def bytes_of(path: Path) -> bytes:
    """The store's file and its log, as they lie on disk."""
    files = [path.with_name(path.name + end) for end in ("", "-wal")]
    return b"".join(file.read_bytes() for file in files if file.exists())


def say(store: Store, trial: str, word: str) -> None:
    """Something in every table that holds what happened in a trial."""
    replies = RunReplies(store, "r")
    store.append("r", trial, samples.moved(0, f"My name is {word}."))
    replies.keep(f"k{trial}", samples.call(trial), "m", samples.prompt(word), samples.reply(word))
    failure = ModelError(word, cause="timeout")
    replies.keep_failure(samples.call(trial, turn=1), "m", failure, 1.0)
    score = Score(samples.MEASURE, "ann", 7, f"[p-aaaaaa] {word}")
    store.verdicts.add("r", samples.JUDGE, [score], trial=trial)
    store.attach("r", trial, "trace", word.encode())
    store.search.index("r", trial, f"my name is {word}")
    store.set_status("r", trial, "played")


@pytest.fixture(autouse=True)
def careless(store: Store) -> None:
    """Some builds of SQLite overwrite what is deleted by themselves; the others count here."""
    store.execute("PRAGMA secure_delete = OFF")


@pytest.fixture
def filled(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(2))
    say(store, "t1", SECRET)
    say(store, "t2", "somebody")
    return store


def test_a_trial_that_is_reset_is_as_it_was_planned(filled: Store) -> None:
    before = {row.trial.id: row for row in filled.trials("r")}
    filled.reset_trial("r", "t1")
    row = next(row for row in filled.trials("r") if row.trial.id == "t1")
    assert (row.status, row.cause, row.problem) == ("planned", None, "")
    assert row.trial == before["t1"].trial
    assert filled.events("r", "t1") == ()
    assert filled.attachments("r", "t1") == ()
    assert list(filled.calls.all("r", "t1")) == []
    assert {failed.call.trial for failed in filled.calls.failures("r")} == {"t2"}
    assert {judging.trial for judging in filled.verdicts.judgings("r")} == {"t2"}
    assert filled.search.find(SECRET) == ()


def test_a_reset_leaves_other_trials_alone(filled: Store) -> None:
    filled.reset_trial("r", "t1")
    assert filled.events("r", "t2") == (samples.moved(0, "My name is somebody."),)
    assert len(list(filled.calls.all("r", "t2"))) == 1
    assert [hit.trial for hit in filled.search.find("somebody")] == ["t2"]


def test_a_trial_that_was_reset_is_played_again_from_its_beginning(filled: Store) -> None:
    filled.reset_trial("r", "t1")
    say(filled, "t1", "another")
    assert filled.events("r", "t1") == (samples.moved(0, "My name is another."),)


def test_nothing_that_was_reset_is_left_in_the_file_or_its_log(filled: Store) -> None:
    assert SECRET.encode() in bytes_of(filled.path)
    with filled.erasing():
        filled.reset_trial("r", "t1")
    assert SECRET.encode() not in bytes_of(filled.path)
    assert b"somebody" in bytes_of(filled.path)


def test_earlier_versions_of_an_answer_go_with_the_last_one(store: Store) -> None:
    store.studies.create("s", "review", {})
    person = store.studies.add_participant("s", "p-aaaaaa", None)
    store.studies.answer(
        store.studies.add_participant("s", "p-bbbbbb", None), "", "remark", "stays here"
    )
    for version in range(40):
        store.studies.answer(person, "", "remark", f"{SECRET} {version} " + "long " * 2000)
    store.studies.answer(person, "", "remark", "short")
    with store.erasing():
        store.studies.delete_participant("s", "p-aaaaaa")
    assert SECRET.encode() not in bytes_of(store.path)
    assert b"p-aaaaaa" not in bytes_of(store.path)
    assert b"stays here" in bytes_of(store.path)


def test_a_deletion_that_fails_half_way_deletes_nothing(filled: Store) -> None:
    def delete(*trials: str) -> None:
        with filled.erasing():
            for trial in trials:
                filled.reset_trial("r", trial)

    with pytest.raises(StoreError, match="no trial"):
        delete("t1", "not there")
    assert len(filled.events("r", "t1")) == 1


def test_a_reader_that_keeps_copies_alive_is_told(filled: Store) -> None:
    filled.execute("PRAGMA busy_timeout = 50")
    with Store.open(filled.path) as reader:
        reader.execute("BEGIN")
        reader.rows("SELECT count(*) FROM trials")
        with (
            pytest.raises(StoreError, match="another program is reading"),
            filled.erasing(),
        ):
            filled.reset_trial("r", "t1")
        reader.execute("ROLLBACK")
    filled.scrub()
    assert SECRET.encode() not in bytes_of(filled.path)


TRACE = random.Random(3).randbytes(2_000_000)
"""Which cannot be compressed."""


def fill(store: Store, name: str) -> None:
    store.create_run(name, "world", {}, samples.plan(2))
    store.attach(name, "t1", "trace", TRACE)


def test_what_a_deleted_run_took_is_free_and_then_given_back(store: Store, path: Path) -> None:
    fill(store, "stays")
    fill(store, "goes")
    full = store.size()
    assert full.free < 100_000
    store.delete_run("goes")
    assert store.size().free > 1_500_000
    store.vacuum()
    after = store.size()
    assert after.free == 0
    assert full.bytes - after.bytes > 1_500_000
    assert path.stat().st_size == after.bytes
    assert b"".join(store.attachment("stays", "t1", "trace")) == TRACE


def test_a_store_that_survives_a_power_cut_does_so_after_a_deletion_on_a_full_disk_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageError("the disk is full", full=True)

    with Store.open(tmp_path / "own.db", synced=True) as synced:
        fill(synced, "goes")
        before = synced.row("PRAGMA synchronous")
        with monkeypatch.context() as disk:
            disk.setattr(synced, "write", full)
            synced.delete_run("goes")
        assert not synced.has_run("goes")
        assert synced.row("PRAGMA synchronous") == before == (2,)


def test_the_size_counts_the_log(store: Store, path: Path) -> None:
    fill(store, "r")
    log = path.with_name(f"{path.name}-wal")
    assert store.size().bytes == path.stat().st_size + log.stat().st_size > 2_000_000


def test_nothing_is_given_back_while_a_run_is_being_played(store: Store, path: Path) -> None:
    fill(store, "a")
    fill(store, "b")
    store.delete_run("a")
    before = store.size()
    with lock_run(path, "b"), pytest.raises(StoreError, match='run "b" is in use by process'):
        store.vacuum()
    assert store.size() == before
    store.vacuum()


def test_settings_are_stored_anew(store: Store) -> None:
    store.create_run("r", "world", {"seed": 1}, ())
    store.set_settings("r", {"seed": 1, "tags": ["é", "\ud83d"]})
    assert store.run("r").settings == {"seed": 1, "tags": ["é", "\ud83d"]}
    with pytest.raises(StoreError, match='no run "x"'):
        store.set_settings("x", {})
