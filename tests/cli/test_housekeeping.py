"""Runs are tagged, found, exported, replaced and deleted, and the store is kept small."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from casts import seated
from cli.conftest import Done, Sociolab
from declared_worlds import declared
from sociolab.cli import main
from sociolab.core import Task, Trial
from sociolab.store import Store, lock_run


@pytest.fixture
def lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Sociolab:
    """The command line, in this process, beside a store with three runs, the last of another
    agent."""
    monkeypatch.chdir(tmp_path)
    with Store.open(tmp_path / "s.db") as store:
        for name in ("a", "b", "c"):
            agent = "openai/big-model" if name == "c" else "scripted"
            task = Task("t", ("ann",), "scene", "{}")
            trial = Trial("t", "sotopia", task, (seated("ann", agent),), 0, 0)
            kept = {"agents": [[agent, ""]], "partner": None}
            store.create_run(name, "sotopia", kept, [trial], declared("sotopia"))  # type: ignore[arg-type]

    def run(*args: object, stdin: str = "") -> Done:
        words = ["sociolab", *map(str, args), "--store", "s.db"]
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = main._run()
        return Done(code, *capsys.readouterr())

    return run


def names(done: Done) -> list[str]:
    assert done.code == 0, done.err
    return [run["run"] for run in done.document["runs"]]


def test_several_runs_are_deleted_after_one_question(lab: Sociolab) -> None:
    assert lab("delete", "a", "b", stdin="n\n").err.endswith("nothing was deleted\n")
    assert "add --yes to confirm" in lab("delete", "a", "b").err
    assert names(lab("list", "--json")) == ["a", "b", "c"]
    done = lab("delete", "a", "b", "a", stdin="y\n")
    assert done.code == 0
    assert "delete a with its 1 trial; b with its 1 trial?" in done.err
    assert "deleted a with its 1 trial" in done.err
    assert names(lab("list", "--json")) == ["c"]


def test_nothing_is_deleted_where_one_name_is_wrong(lab: Sociolab) -> None:
    done = lab("delete", "a", "zebra", "--yes")
    assert done.code == 2
    assert "zebra" in done.sentence
    assert names(lab("list", "--json")) == ["a", "b", "c"]


def test_after_deleting_it_is_said_how_large_the_store_is_and_what_gives_room_back(
    lab: Sociolab, tmp_path: Path
) -> None:
    with Store.open(tmp_path / "s.db") as store:
        store.execute(
            "UPDATE runs SET settings = ? WHERE name = 'c'", ('{"x": "' + "y" * 3_000_000 + '"}',)
        )
        store.commit()
    done = lab("delete", "c", "--yes")
    assert "MB are free: `sociolab store vacuum` gives it back" in done.err
    size = lab("store", "size", "--json").document
    assert (size["runs"], size["store"]) == (2, "s.db")
    assert size["free"] > 2_900_000
    with lock_run(tmp_path / "s.db", "a"):
        busy = lab("store", "vacuum")
    assert busy.code == 2
    assert 'run "a" is in use' in busy.sentence
    assert lab("store", "vacuum").code == 0
    assert (tmp_path / "s.db").stat().st_size < size["bytes"] - 2_900_000
    assert "the store takes" in lab("store", "size").out


def test_damage_is_named_and_the_exit_code_says_so(lab: Sociolab, tmp_path: Path) -> None:
    assert lab("store", "check").err == "s.db is intact\n"
    content = (tmp_path / "s.db").read_bytes()
    assert b'"partner": null' in content
    (tmp_path / "s.db").write_bytes(content.replace(b'"partner": null', b'"partner": nulL'))
    done = lab("store", "check")
    assert done.code == 1
    assert "damaged: runs, row 1 (run a) was changed\n" in done.err
    assert done.err.splitlines()[-1].startswith("s.db is damaged: go back to an earlier backup")


def test_runs_are_found_by_their_tags_and_agents(lab: Sociolab) -> None:
    assert lab("tag", "a", "pilot", "small").err == "a: pilot, small\n"
    assert lab("tag", "c", "pilot").code == 0
    assert names(lab("list", "--tag", "pilot", "--json")) == ["a", "c"]
    assert names(lab("list", "--tag", "pilot", "--tag", "small", "--json")) == ["a"]
    assert names(lab("list", "runs", "--agent", "big", "--json")) == ["c"]
    assert names(lab("list", "--agent", "scripted", "--tag", "pilot", "--json")) == ["a"]
    assert names(lab("list", "--agent", "nobody", "--json")) == []
    assert "pilot" in lab("list").out
    assert lab("tag", "a", "pilot", "small", "--remove").err == "a: no tags\n"
    assert names(lab("list", "--tag", "pilot", "--json")) == ["c"]


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("list", "episodes", "--tag", "x"), "--tag is for"),
        (("list", "worlds", "--agent", "x"), "--agent is for"),
        (("list", "runs", "--limit", 3), "list episodes"),
        (("list", "runs", "--run", "a"), "--run is for `sociolab list episodes`"),
        (("list", "runs", "--world", "stss"), "--world is for"),
        (("list", "worlds", "--all"), "--all is for `sociolab list runs`"),
        (("list", "agents", "--tasks", "art"), "--tasks is for `sociolab list tasks`"),
        (("tag", "a", " "), "expected a word"),
        (("tag", "zebra", "x"), "zebra"),
    ],
)
def test_bad_input_is_one_sentence(lab: Sociolab, args: tuple[object, ...], named: str) -> None:
    done = lab(*args)
    assert done.code == 2
    assert named in done.sentence


def test_an_imported_run_keeps_its_name_and_replaces_what_it_is_told_to(lab: Sociolab) -> None:
    assert lab("export", "a", "a.zip").code == 0
    assert "add --replace" in lab("import", "run", "a.zip").sentence
    assert lab("tag", "a", "since-then").code == 0
    done = lab("import", "run", "a.zip", "--replace")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "a: 1 trial"
    assert names(lab("list", "--tag", "since-then", "--json")) == []
    lab("delete", "a", "--yes")
    assert lab("import", "run", "a.zip").code == 0
    assert "a" in names(lab("list", "--json"))
    assert "--name" in lab("import", "sotopia", ".").sentence


def test_a_description_is_written_when_the_run_begins_and_plays_it_again(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    wrong = sociolab("run", "sotopia", "--agent", "nobody", "--write-file", "w.toml")
    assert wrong.code == 2
    assert not (tmp_path / "w.toml").exists()
    begun = ("run", "sotopia", "--limit", 1, "--tag", "t", "--set", "turns=6", "--name", "a")
    done = sociolab(*begun, "--write-file", "w.toml", "--json")
    assert "wrote w.toml; the run starts now" in done.err
    assert done.code == 0, done.err
    assert "wrote w.toml" in done.err
    again = sociolab("run", "--file", "w.toml", "--name", "b", "--json")
    assert "flags beside w.toml: name b instead of a" in again.err
    assert again.document["scores"] == done.document["scores"]
    (tmp_path / "z.toml").write_text('wrld = "sotopia"', "utf-8")
    assert "did you mean world?" in sociolab("run", "--file", "z.toml").sentence
    assert "already" in sociolab(*begun, "--write-file", "w.toml").sentence


def test_a_dry_run_writes_its_description_too(sociolab: Sociolab, tmp_path: Path) -> None:
    done = sociolab("run", "sotopia", "--limit", 1, "--dry-run", "--write-file", "w.toml")
    assert done.code == 0
    assert 'world = "sotopia"\nlimit = 1\n' in (tmp_path / "w.toml").read_text("utf-8")


def test_a_setting_of_a_file_is_taken_back_by_an_empty_one(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    written = 'world = "stss"\nlimit = 1\n[settings]\nwithout = "reflection"\n'
    (tmp_path / "w.toml").write_text(written)
    run = ("run", "--file", "w.toml", "--dry-run")
    assert "is for mind=generative-agents" in sociolab(*run).sentence
    assert sociolab(*run, "--set", "without=").code == 0
