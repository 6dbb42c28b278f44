"""`store backup` copies a store while others write, never over a file, and checks the copy."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.store import Store, find_damage

WRITER = """
import itertools, sys
from pathlib import Path
from sociolab.store import Store
with Store.open(Path(sys.argv[1])) as store:
    for n in itertools.count():
        store.notes.add("first", f"note {n} " * 200)
        print(n, flush=True)
"""


@pytest.fixture
def played(sociolab: Sociolab, tmp_path: Path) -> Path:
    sociolab("run", "sotopia", "--limit", 4, "--name", "first", "--store", "s.db")
    return tmp_path / "s.db"


def test_a_backup_is_a_whole_store(sociolab: Sociolab, played: Path, tmp_path: Path) -> None:
    done = sociolab("store", "backup", "copy.db", "--store", "s.db")
    assert done.code == 0, done.err
    assert "wrote copy.db: 1 run" in done.err
    reports = [sociolab("report", "first", "--json", "--store", s) for s in ("s.db", "copy.db")]
    assert reports[0].out == reports[1].out != ""
    copy = tmp_path / "copy.db"
    assert copy.stat().st_mode & 0o777 == played.stat().st_mode & 0o777 == 0o600


def test_a_backup_is_made_while_another_process_writes(
    sociolab: Sociolab, played: Path, tmp_path: Path
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(played)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    counts = []
    try:
        for name in ("one.db", "two.db"):
            while int(writer.stdout.readline()) % 20:
                pass
            done = sociolab("store", "backup", name, "--store", "s.db")
            assert done.code == 0, done.err
            with Store.open(tmp_path / name) as copy:
                assert list(find_damage(copy)) == []
                counts.append(len(copy.notes.of("first")))
        assert writer.poll() is None
    finally:
        writer.terminate()
        writer.communicate()
    assert 0 < counts[0] < counts[1]
    with Store.open(played) as store:
        assert len(store.notes.of("first")) >= counts[1]


def test_a_backup_overwrites_nothing(sociolab: Sociolab, played: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    for name in ("mine.txt", "s.db"):
        done = sociolab("store", "backup", name, "--store", "s.db")
        assert done.code == 2
        assert f"{name} is there already" in done.sentence
    assert (tmp_path / "mine.txt").read_text() == "mine"
    done = sociolab("store", "backup", "nowhere/copy.db", "--store", "s.db")
    assert done.code == 2
    assert "there is no folder nowhere" in done.sentence


def test_a_backup_of_a_damaged_store_says_so(sociolab: Sociolab, played: Path) -> None:
    with closing(sqlite3.connect(played, isolation_level=None)) as raw:
        (was,) = raw.execute("SELECT sum FROM events LIMIT 1").fetchone()
        raw.create_function("checksum", -1, lambda *_: was)
        raw.execute(f"UPDATE events SET body = replace(body, 'a', 'e') WHERE sum = {was}")
    done = sociolab("store", "backup", "copy.db", "--store", "s.db")
    assert done.code == 1
    assert "damaged: events, row" in done.err
    assert "s.db is damaged" in done.err
    assert not list(played.parent.glob("copy*"))
