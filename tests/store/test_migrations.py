"""Stores of older versions are brought up to date, or left as they were."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sociolab.store.migrations import MIGRATIONS, migrate, schema_version
from sociolab.store.replies import RunReplies
from sociolab.store.sqlite import Store

from . import samples
from .version1 import EPISODE, PROMPT, SCORE, make_version_1


def test_a_store_of_version_1_can_be_read(path: Path) -> None:
    make_version_1(path)
    with Store.open(path) as store:
        run = store.run("old")
        assert (run.world, run.settings, run.created, run.seconds) == ("world", {"a": 1}, 1.0, 2.5)
        assert tuple(store.episodes("old")) == (EPISODE,)
        (call,) = store.calls("old")
        assert store.prompt_of(call) == PROMPT
        assert [row.verdict for row in store.verdicts("old")] == [SCORE]
        assert list(store.attachment("old", "t1", "trace")) == [b"piece"]
        assert len(store.call_failures("old")) == 1


def test_a_store_of_version_1_can_be_played_on(path: Path) -> None:
    make_version_1(path)
    with Store.open(path) as store:
        store.append("old", "t1", samples.moved(1))
        RunReplies(store, "old").keep(
            "k", samples.call(), "m", samples.prompt("x"), samples.reply()
        )
        store.add_verdicts("old", samples.JUDGE, [SCORE], trial="t1")
        assert store.events("old", "t1") == (*EPISODE.events, samples.moved(1))
        assert schema_version(store._connection) == len(MIGRATIONS)


def test_later_scripts_change_an_older_store_and_keep_its_rows(path: Path) -> None:
    make_version_1(path)
    later = (
        *MIGRATIONS,
        "ALTER TABLE runs ADD COLUMN note TEXT DEFAULT 'a; b'; DROP TABLE judges;",
    )
    raw = sqlite3.connect(path, isolation_level=None)
    migrate(raw, later)
    assert schema_version(raw) == len(later)
    assert raw.execute("SELECT name, note FROM runs").fetchall() == [("old", "a; b")]
    raw.close()


def test_a_script_that_fails_leaves_the_store_as_it_was(path: Path) -> None:
    make_version_1(path)
    broken = (*MIGRATIONS, "DROP TABLE verdicts;", "DROP TABLE that_never_was;")
    raw = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="that_never_was"):
        migrate(raw, broken)
    assert schema_version(raw) == 1
    assert raw.execute("SELECT count(*) FROM verdicts").fetchone() == (1,)
    raw.close()
