"""What people did is on disk when they hear of it, whatever else waits to be written."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from play_clients import lay_out
from sociolab.core import Action, Moved
from sociolab.store import Store
from sociolab.studies import PlayRecords


def test_a_turn_does_not_wait_for_what_models_have_said(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        with Store.open(path) as store, Store.open(path) as other:
            trial = store.trials("chat")[0].trial.id
            store.begin()  # as a reply does that is kept
            store.execute("UPDATE runs SET seconds = 1")
            store.commit_soon()
            PlayRecords(store, "chat", "chat").write(
                trial, Moved(0, "a", (Action("speak", "Hm."),))
            )
            assert len(other.events("chat", trial)) == 1

    asyncio.run(play())


def test_what_could_not_be_committed_is_read_by_nobody(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        store.begin()
        store.execute("PRAGMA defer_foreign_keys = ON")
        store.execute("INSERT INTO events VALUES (7, 0, 'of no trial')")
        with pytest.raises(sqlite3.IntegrityError):
            store.commit()
        assert store.rows("SELECT * FROM events") == []
        store.commit()
