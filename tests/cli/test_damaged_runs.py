"""What publishes a run refuses one that is not as it was written, in the words of `store check`."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Sociolab

AGENT = "python:app.run.test_python_api:Parrot"


@pytest.fixture(scope="module")
def stored(
    sociolab_in: Callable[[Path], Sociolab], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A store with two runs of two agents, judged by words."""
    folder = tmp_path_factory.mktemp("stored")
    pair = ("--agent", "scripted", "--agent", AGENT, "--judge", "python:biased_judges:ByWords")
    for name in ("two", "other"):
        run = ("run", "sotopia", *pair, "--limit", 12, "--name", name, "--store", "s.db")
        assert sociolab_in(folder)(*run).code == 0
    return folder / "s.db"


@pytest.fixture
def two(stored: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copy(stored, tmp_path))


def spoil(path: Path, table: str, change: str) -> None:
    """Change the last row of a table, but not its checksum."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        (was,) = raw.execute(f"SELECT sum FROM {table} ORDER BY sum DESC LIMIT 1").fetchone()
        raw.create_function("checksum", -1, lambda *_: was)
        raw.execute(f"UPDATE {table} SET {change} WHERE sum = {was}")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def spoil_text(path: Path, old: bytes, new: bytes) -> None:
    """Change bytes of the file, where they stand last."""
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before, _, after = path.read_bytes().rpartition(old)
    path.write_bytes(before + new + after)


COMMANDS = (
    ("report", "two", "other"),
    ("report", "two", "other", "--fail-if", "BEL<0"),
    ("export", "two", "other", "out.jsonl", "--as", "sft"),
    ("compare", "two", "other"),
    ("rank", "two", "other", "--metric", "BEL"),
    ("hard", "two", "other", "--target", AGENT, "--name", "hard-two", "--metric", "BEL"),
    ("variance", "two", "other", "--metric", "BEL"),
    ("table", "two", "other"),
    ("agree", "two", "other"),
    ("reproduce", "sotopia-table3", "--run", "two", "--run", "other"),
    ("reproduce", "sotopia-table1", "--run", "two", "--run", "other"),
    ("site", "public", "two", "other"),
    ("analyze", "python:json:dumps", "two", "other"),
)

SPOILED: dict[str, Callable[[Path], None]] = {
    "scores": lambda path: spoil(path, "verdicts", "value = 10 - value"),
    "events": lambda path: spoil(path, "events", "body = replace(body, 'a', 'e')"),
    "trials": lambda path: spoil(path, "trials", "body = replace(body, '\"seed\"', '\"send\"')"),
    "tasks": lambda path: spoil(path, "tasks", "cluster = cluster || 'x'"),
    "tasks of broken JSON": lambda path: spoil(path, "tasks", "seats = '['"),
    "trials of no UTF-8": lambda path: spoil_text(path, b'"repeat":', b'"rep\xffat":'),
    "agents": lambda path: spoil(path, "agents", "label = 'another'"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_what_publishes_a_run_refuses_a_damaged_one(
    sociolab: Sociolab, two: Path, tmp_path: Path, what: str
) -> None:
    SPOILED[what](two)
    (clause,) = re.findall(r"(?m)^damaged: (.*)", sociolab("store", "check", "--store", "s.db").err)
    assert clause.startswith(what.split()[0])
    before = sorted(file.name for file in tmp_path.iterdir())
    for command in COMMANDS:
        done = sociolab(*command, "--store", "s.db")
        assert (done.code, done.out) == (2, ""), command
        assert f"is damaged: {clause}; go back to an earlier backup" in done.sentence, command
    damaged = "two" if "run two" in clause else "other"
    for more in ((), ("--as", "sotopia")):
        done = sociolab("export", damaged, "out.zip", *more, "--store", "s.db")
        assert clause in done.sentence
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_a_run_in_order_is_published_beside_a_damaged_one(sociolab: Sociolab, two: Path) -> None:
    spoil(two, "verdicts", "value = 10 - value")
    check = sociolab("store", "check", "--store", "s.db").err
    sound = "two" if "run other" in check else "other"
    done = sociolab("report", sound, "--store", "s.db")
    assert done.code == 0, done.err


def test_in_order_all_of_them_publish(sociolab: Sociolab, two: Path) -> None:
    for command in COMMANDS[:-1]:
        if command[0] != "table":
            assert "damaged" not in sociolab(*command, "--store", two).err
