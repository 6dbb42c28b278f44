"""Notes stand beside a run or a comparison, and go where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.app.merging import merge
from sociolab.core import StoreError
from sociolab.store import Store, export_run, find_damage, import_run

from . import samples


@pytest.fixture
def both(store: Store) -> Store:
    """A store with the runs a and b, a note on a and one on their comparison."""
    for name in ("a", "b"):
        store.create_run(name, "world", {}, samples.plan(2))
    store.notes.add("a", "cold kitchen", at=1.5)
    store.notes.add("b", "no difference", "a", at=2.5)
    return store


def texts(store: Store, *runs: str) -> list[str]:
    return [note.text for note in store.notes.of(*runs)]


def test_a_run_has_its_notes_and_those_of_its_comparisons_oldest_first(both: Store) -> None:
    assert [(note.run, note.other, note.text, note.at) for note in both.notes.of("a")] == [
        ("a", None, "cold kitchen", 1.5),
        ("b", "a", "no difference", 2.5),
    ]
    assert texts(both, "b") == texts(both, "a", "b") == texts(both, "b", "a") == ["no difference"]
    assert list(find_damage(both)) == []


def test_a_note_that_is_there_is_not_stored_twice(both: Store) -> None:
    first = both.notes.of("a")[0]
    assert both.notes.add("a", "cold kitchen", at=1.5) == first.pk
    assert both.notes.add("a", "cold kitchen", at=9.5) != first.pk
    assert texts(both, "a") == ["cold kitchen", "no difference", "cold kitchen"]


def test_a_note_is_deleted_alone_or_with_a_run(both: Store) -> None:
    both.notes.delete(both.notes.of("a")[0].pk)
    assert texts(both, "a") == ["no difference"]
    both.delete_run("b")
    assert texts(both, "a") == []
    with pytest.raises(StoreError, match="there is no note 1 in"):
        both.notes.delete(1)


def test_a_note_needs_runs_that_are_there_and_differ(both: Store) -> None:
    with pytest.raises(StoreError, match='there is no run "c"'):
        both.notes.add("a", "x", "c")
    with pytest.raises(StoreError, match='comparison is of two runs; found "a" twice'):
        both.notes.add("a", "x", "a")


def test_notes_are_exported_and_come_in_when_their_runs_are_there(
    both: Store, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        export_run(both, name, tmp_path / f"{name}.jsonl")
    with Store.open(tmp_path / "other.db") as other:
        import_run(other, tmp_path / "a.jsonl")
        assert texts(other, "a") == ["cold kitchen"]
        import_run(other, tmp_path / "b.jsonl")
        assert texts(other, "a") == ["cold kitchen", "no difference"]
        assert texts(other, "a", "b") == ["no difference"]


def test_notes_are_merged_once(both: Store, tmp_path: Path) -> None:
    into = tmp_path / "into.db"
    for _ in range(2):
        merge(into, [both.path], run="a")
        with Store.open(into) as merged:
            assert texts(merged, "a") == ["cold kitchen"]
    for _ in range(2):
        merge(into, [both.path], run="b")
        with Store.open(into) as merged:
            assert texts(merged, "a") == ["cold kitchen", "no difference"]
