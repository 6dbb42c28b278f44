"""Notes stand where their run or comparison is: in lists, reports, comparisons and pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Sociolab


@pytest.fixture(scope="module")
def stored(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a store of two runs, "a" and "b"."""
    folder = tmp_path_factory.mktemp("notes")
    for name, seed in (("a", 0), ("b", 1)):
        run = ("run", "sotopia", "--limit", 3, "--seed", seed, "--name", name)
        assert sociolab_in(folder)(*run).code == 0
    return folder


@pytest.fixture
def lab(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    return sociolab


def test_a_note_is_written_listed_and_deleted(lab: Sociolab) -> None:
    assert lab("note", "a").out == ""
    for text in ("Before the update.", "Judge is <slow> & dear."):
        assert lab("note", "a", text).code == 0
    notes = lab("note", "a", "--json").document["notes"]
    assert [note["text"] for note in notes] == ["Before the update.", "Judge is <slow> & dear."]
    assert lab("note", "a").out.splitlines()[0] == f"1. {notes[0]['at'][:10]}: Before the update."
    assert lab("note", "a", "--delete", 1).code == 0
    assert [note["text"] for note in lab("note", "a", "--json").document["notes"]] == [
        "Judge is <slow> & dear."
    ]
    assert lab("note", "b", "--json").document == {"notes": []}


def test_reports_and_lists_show_the_notes_of_their_run(lab: Sociolab, tmp_path: Path) -> None:
    assert lab("report", "a", "--json").document["notes"] == []
    assert "notes" not in lab("list", "runs").out
    lab("note", "a", "Judge is <slow> & dear.")
    (note,) = lab("report", "a", "--json").document["notes"]
    assert (set(note), note["text"]) == ({"at", "text"}, "Judge is <slow> & dear.")
    for flags in ((), ("--full",)):
        assert "Judge is <slow> & dear." in lab("report", "a", *flags).out
        assert "dear" not in lab("report", "b", *flags).out
    assert lab("report", "a", "--html", "a.html").code == 0
    assert "Judge is &lt;slow&gt; &amp; dear." in (tmp_path / "a.html").read_text("utf-8")
    counts = {run["run"]: run["notes"] for run in lab("list", "runs", "--json").document["runs"]}
    assert counts == {"a": 1, "b": 0}
    assert "notes" in lab("list", "runs").out.splitlines()[0]


def test_a_comparison_shows_its_notes_in_either_order_and_no_report_does(
    lab: Sociolab, tmp_path: Path
) -> None:
    assert "notes" not in lab("compare", "a", "b", "--json").document
    assert lab("note", "a", "b", "Only the seed differs.").code == 0
    assert lab("note", "b", "a").out.endswith(": Only the seed differs.\n")
    for runs in (("a", "b"), ("b", "a")):
        assert lab("compare", *runs, "--json").document["notes"][0]["text"] == (
            "Only the seed differs."
        )
        for flags in ((), ("--full",)):
            assert "Only the seed differs." in lab("compare", *runs, *flags).out
    assert lab("compare", "a", "b", "--html", "c.html").code == 0
    assert "Only the seed differs." in (tmp_path / "c.html").read_text("utf-8")
    assert lab("report", "a", "--json").document["notes"] == []
    assert lab("note", "a", "b", "--delete", 1).code == 0
    assert lab("note", "a", "b", "--json").document == {"notes": []}


def test_notes_come_along_in_a_bundle(lab: Sociolab) -> None:
    lab("note", "a", "To be repeated.")
    assert lab("export", "a", "a.zip").code == 0
    assert lab("import", "run", "a.zip", "--store", "other.db").code == 0
    there = lab("report", "a", "--json", "--store", "other.db")
    assert there.out == lab("report", "a", "--json").out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("c", "text"), 'there is no run "c"'),
        (("a", "of", "three"), "put the note in quotes"),
        (("a", "b", "of", "three"), "put the note in quotes"),
        (("a", " "), "expected RUN TEXT"),
        (("a", "text", "--delete", 1), "expected RUN TEXT"),
        (("a", "--delete", 1), "--delete: expected one of 0 notes, found 1"),
        (("a", "a", "text"), "a comparison is of two runs"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    lab: Sociolab, words: tuple[object, ...], problem: str
) -> None:
    done = lab("note", *words)
    assert (done.code, done.out) == (2, "")
    assert problem in done.sentence
    assert lab("note", "a", "--json").document == {"notes": []}
