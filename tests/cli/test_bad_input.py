"""Bad input gets one sentence and exit code 2, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Sociolab

NOWHERE = "http://127.0.0.1:9/v1"
LONG = "long" * 64


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("run", "atlantis"), "atlantis"),
        (("run",), "which world"),
        (("run", "sotopia", "--agent", "nobody"), "nobody"),
        (("run", "sotopia", "--agent", "lab/x", "--judge", "none"), "lab"),
        (("run", "sotopia", "--agent", "openai/x", "--judge", "none"), "OPENAI_API_KEY"),
        (("run", "sotopia", "--agent", "openai/x", "--base-url", NOWHERE), "--judge"),
        (("run", "sotopia", "--agent", "openai/x?warm=1", "--judge", "none"), "warm"),
        (("run", "sotopia", "--agent", "python:no.such:Thing"), "no.such"),
        (("run", "sotopia", "--agent", "python:json:nothing"), "nothing"),
        (("run", "sotopia", "--agent", "python:json:dumps"), "no player"),
        (("run", "sotopia", "--judge", "nobody"), "nobody"),
        (("run", "sotopia", "--tasks", "unheard-of"), "unheard-of"),
        (("run", "sotopia", "--data", "unheard-of"), "unheard-of"),
        (("run", "sotopia", "--name", "a/b"), "a/b"),
        (("run", "sotopia", "--tdp"), "tdp"),
        (("run", "sotopia", "--on-failed-turn", "cry"), "cry"),
        (("run", "sotopia", "--file", "none.toml"), "none.toml"),
        (("run", "sotopia", "--store", "/proc/none/store.db"), "/proc/none"),
        (("list", "things"), "things"),
        (("list",), "no store"),
        (("list", "runs", "sotopia"), "list runs takes no name"),
        (("list", "tasks", "stss", "--world", "sotopia"), 'one name, found "stss" and "sotopia"'),
        (("show", "abc"), "no store"),
        (("report", "abc"), "no store"),
        (("judge", "abc", "--judge", "heuristic"), "no store"),
        (("import", "poems", "."), "run, inspect, ratings, prompts"),
        (("import", "run", ".", "--map", "a=b"), "--map is for ratings only, found with run"),
        (("import", "rating", "x", "--run", "r"), "(did you mean ratings?)"),
        (("import", "ratings", "a", "b"), "expected one PATH, found a b"),
        (("import", "prompts", "."), "prompts: expected WORLD PATH, found ."),
        (("compare", "a", "b", "--pairs", "--store", "s.db"), "--pairs: expected FILE, found the"),
        (("report", "a", "--html", "--details"), "found the option --details"),
        (("demo", "--html", "no/such/page.html"), "no folder no/such"),
        (("demo", "--html", "."), '--html: expected a file name, found the folder "."'),
        (("report", "a", "--latex", ""), '--latex: expected a file name, found the folder "."'),
        (("agree", "a", "--csv", "/"), '--csv: expected a file name, found the folder "/"'),
        (("export", "a", "x.jsonl", "--min", 0), "--min"),
        (("import", "sotopia", "nowhere", "--name", "x"), "nowhere"),
        (("import", "sotopia", ".", "--name", "../x"), "../x"),
        (("data", "check", "nowhere"), "nowhere"),
        (("doctor", "openai/x"), "OPENAI_API_KEY"),
        (
            ("serve-env", "--seat", "3"),
            "--seat: expected a seat of every task: its id, 1, 2... or all",
        ),
        (
            ("serve-env", "--tasks", "bargain", "--split", "half"),
            "--split: expected scenario:SHARE",
        ),
        (("serve-env", "--partner", "nobody"), "nobody"),
        (("endpoint", "--latency-shape", "odd"), "odd"),
        (("run", "sotopia", "--name", ""), "--name: expected at least 1 character"),
        (("run", "sotopia", "--partner", ""), "--partner: expected at least 1 character"),
        (("run", "sotopia", "--tag", ""), "--tag: expected at least 1 character"),
        (("run", "sotopia", "--limit", "x"), '--limit: expected a whole number, found "x"'),
        (("agree", "a", "--bins", "1"), '--bins: expected at least 2, found "1"'),
        (("run", "sotopia", "--shard", "3/2"), "--shard: expected I/N"),
        (("run", "sotopia", "--agent", "a", "--agent", "a"), '--agent: "a" is given twice'),
        (("run", "sotopia", "--judge", "none", "--judge", "a"), '--judge: expected "none" alone'),
        (("run", "sotopia", "--set", "=x"), "--set: expected NAME=VALUE"),
        (("import", "run", "x.jsonl", "--name", ""), "--name: expected what to call it here"),
        (("import", "ratings", "x", "--run", "r", "--name", ""), "--name: expected what to call"),
        (("town", "picture", "--out", "map"), "--out: expected a name that ends in .png"),
        (("data", "check", LONG), "255 bytes at most"),
        (("run", "sotopia", "--data", LONG), "255 bytes at most"),
        (("run", "sotopia", "--write-file", LONG), "255 bytes at most"),
        (("import", "sotopia", LONG, "--name", "x"), "255 bytes at most"),
    ],
)
def test_it_is_refused_in_one_sentence(
    sociolab: Sociolab, tmp_path: Path, args: tuple[str, ...], named: str
) -> None:
    done = sociolab(*args)
    assert done.code == 2, (done.out, done.err)
    assert named in done.sentence
    assert done.out == ""
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "args",
    [("run", "sotopia", "--nonsense"), ("paint",)],
)
def test_a_wrong_flag_or_verb_exits_with_2(sociolab: Sociolab, args: tuple[str, ...]) -> None:
    done = sociolab(*args)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_an_unknown_episode_or_run_names_what_there_is(sociolab: Sociolab) -> None:
    sociolab("run", "sotopia", "--limit", 1, "--name", "here")
    assert "here" in sociolab("report", "gone").sentence
    assert "list episodes" in sociolab("show", "zzz").sentence
    run_shown = sociolab("show", "here")
    assert run_shown.code == 2
    assert "`sociolab report here` shows the run" in run_shown.sentence
    episode = sociolab("list", "episodes", "--json").document["episodes"][0]["episode"]
    assert "expected one of" in sociolab("show", episode, "--as", "somebody").sentence
    assert "no model" in sociolab("show", episode, "--prompts").sentence


def test_a_file_that_is_no_store_is_left_alone(sociolab: Sociolab, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a store\n" * 100, "utf-8")
    done = sociolab("run", "sotopia", "--limit", 1, "--store", file)
    assert done.code == 2
    assert "notes.txt" in done.sentence
    assert file.read_text("utf-8") == "not a store\n" * 100


@pytest.mark.parametrize(
    "args",
    [
        ("export", "r", f"{LONG}.zip"),
        ("export", "r", f"{LONG}/x.zip"),
        ("export", "r", LONG, "--parquet"),
        ("export", "r", LONG, "--as", "turns"),
        ("compare", "r", "--html", LONG),
        ("report", "r", "--html", LONG),
        ("report", "r", "--csv", f"{LONG}.csv"),
        ("site", LONG, "r"),
    ],
)
def test_a_name_that_no_file_can_have_is_a_sentence(
    sociolab: Sociolab, tmp_path: Path, args: tuple[str, ...]
) -> None:
    sociolab("run", "sotopia", "--limit", 1, "--name", "r", "--store", "s.db")
    done = sociolab(*args, "--store", "s.db")
    assert (done.code, done.out) == (2, "")
    assert "255 bytes at most" in done.sentence or "File name too long" in done.sentence
    assert {path.name.partition("-")[0] for path in tmp_path.iterdir()} <= {"s.db", "lab"}


@pytest.mark.parametrize(
    "args",
    [
        ("run", "--file", "deep.toml"),
        ("run", "sotopia", "--models", "deep.toml"),
        ("doctor", "openai/x", "--models", "deep.toml"),
        ("study", "create", "deep.toml"),
    ],
)
@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ("{a=", "}")])
def test_a_toml_file_that_is_nested_too_deeply_is_a_sentence(
    sociolab: Sociolab, tmp_path: Path, args: tuple[str, ...], begin: str, end: str
) -> None:
    deep = tmp_path / "deep.toml"
    deep.write_text(f"a = {begin * 5000}1{end * 5000}\n", "utf-8")
    done = sociolab(*args, "--store", "s.db") if "--models" not in args else sociolab(*args)
    assert (done.code, done.out) == (2, "")
    assert "deep.toml cannot be read: expected lists and tables a few levels deep" in done.sentence
    assert list(tmp_path.glob("s.db*")) == []


def test_a_store_whose_schema_is_damaged_is_a_sentence(sociolab: Sociolab, tmp_path: Path) -> None:
    sociolab("run", "sotopia", "--limit", 1, "--name", "r", "--store", "s.db")
    file = tmp_path / "s.db"
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"CREATE \xc2ABLE", 1))
    for args in (("report", "r"), ("export", "r", "x.zip"), ("list", "runs")):
        done = sociolab(*args, "--store", "s.db")
        assert (done.code, done.out) == (2, "")
        assert "s.db is damaged" in done.sentence


def test_a_broken_line_of_a_data_set_is_named_with_its_number(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "meta.json").write_text('{"name": "mine", "version": "1"}', "utf-8")
    for name in ("relationships", "scenarios", "tasks"):
        (folder / f"{name}.jsonl").write_text("", "utf-8")
    (folder / "characters.jsonl").write_text('\n{"id": "a", "first_name": "A"}\n', "utf-8")
    done = sociolab("data", "check", folder)
    assert done.code == 2
    assert "characters.jsonl, line 2" in done.sentence
