"""A store gives back the room that deleted runs left, and only while nobody plays."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sociolab.core.errors import StoreError
from sociolab.store.connect import lock_run
from sociolab.store.store import Store

from . import samples

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
