"""A store of an earlier version is brought up to date whole, or stays as it was.

`version_1.sql` is a store as the sociolab of that version wrote it, and `version_1_report.json` its
report there. Neither is ever made anew.
"""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sociolab.cli.main import app
from sociolab.core import JudgeId, Measure, Score, StoreError, __version__
from sociolab.store import Store, find_damage, lock_run
from sociolab.store.schema import VERSION, checksum

from . import samples

HERE = Path(__file__).parent


@pytest.fixture
def old(path: Path) -> Path:
    """A small store of version 1."""
    with closing(sqlite3.connect(path)) as raw:
        raw.create_function("checksum", -1, checksum, deterministic=True)
        raw.executescript((HERE / "version_1.sql").read_text("utf-8"))
        raw.execute("PRAGMA journal_mode = WAL")
    return path


def marked(path: Path, version: int) -> Path:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA user_version = {version}")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("PRAGMA user_version").fetchone()[0])


def rows_of(path: Path) -> dict[str, list[Any]]:
    """All rows of the tables that version 1 has, with their checksums."""
    with closing(sqlite3.connect(path)) as raw:
        tables = [
            line.split()[2]
            for line in (HERE / "version_1.sql").read_text("utf-8").splitlines()
            if line.startswith("CREATE TABLE")
        ]
        return {table: raw.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


VERSION_1 = 0x7D4BBD5F


def test_a_migrated_store_reports_what_it_reported_before(old: Path) -> None:
    result = CliRunner().invoke(app, ["report", "first", "--json", "--store", str(old)])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    expected = json.loads((HERE / "version_1_report.json").read_text("utf-8"))
    for document in (found, expected):  # judges now stand as the run was set up
        for rows in (document["scores"], document["judges"], document["measures"]):
            rows.sort(key=json.dumps)
    assert {key: found[key] for key in expected} == expected


def test_a_migrated_store_is_like_a_new_one_and_keeps_its_rows(old: Path, tmp_path: Path) -> None:
    before = rows_of(old)
    assert before["events"][0][-1] == 2_957_813_569, "checksums are made as they were"
    with Store.open(old) as store:
        assert list(find_damage(store)) == []
        assert store.studies.answers("talks")[0].value == "30-39"
        assert store.calls.with_prompts("first")
    assert rows_of(old) == before
    Store.open(tmp_path / "new.db").close()
    made = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
    with closing(sqlite3.connect(old)) as raw, closing(sqlite3.connect(tmp_path / "new.db")) as new:
        assert raw.execute(made).fetchall() == new.execute(made).fetchall()
        assert raw.execute("SELECT version, sociolab FROM versions").fetchall() == [
            (VERSION, __version__)
        ]
        assert version_of(old) == VERSION


def test_of_scores_of_before_version_6_the_reason_says_whether_something_was_agreed(
    path: Path,
) -> None:
    goal = Measure("goal_checked", 0, 10)
    scores = [
        Score(goal, "ann", 0, "no agreement: 0 (read: nothing)"),
        Score(goal, "bob", 6, "10 x 6 / 10 = 6 (read: no agreement before)"),
        Score(samples.MEASURE, "ann", 7, "no agreement: these are words of a judge"),
    ]
    with Store.open(path) as store:
        store.create_run("r", "world", {}, samples.plan(1))
        store.verdicts.add("r", JudgeId("outcome", "formula"), scores, trial="t1")
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("DROP TABLE outcomes")
        raw.commit()
    marked(path, 5)
    with Store.open(path) as store:
        (row,) = store.verdicts.judgings("r")
        assert list(find_damage(store)) == []
    found = [one.outcome for one in row.verdicts if isinstance(one, Score)]
    assert found == [{"agreed": False}, {"agreed": True}, None]


def test_a_copy_of_the_old_store_stays_beside_it(old: Path) -> None:
    old.chmod(0o640)
    before = rows_of(old)
    Store.open(old).close()
    copy = old.with_name("store.db.v1")
    assert version_of(copy) == VERSION_1
    assert rows_of(copy) == before
    assert copy.stat().st_mode & 0o777 == 0o640
    assert {file.name for file in old.parent.iterdir()} == {"store.db", "store.db.v1"}


def test_a_copy_that_is_there_stays_too(old: Path) -> None:
    old.with_name("store.db.v1").write_text("mine")
    Store.open(old).close()
    assert old.with_name("store.db.v1").read_text() == "mine"
    assert version_of(old.with_name("store.db.v1-2")) == VERSION_1


OPENER = """
import sys
from pathlib import Path
from sociolab.store import Store
print("ready", flush=True); sys.stdin.readline()
with Store.open(Path(sys.argv[1])) as store:
    store.notes.add("first", sys.argv[2])
"""


def test_processes_that_open_an_old_store_at_once_migrate_it_once(old: Path) -> None:
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, str(old), f"note {n}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(3)
    ]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        opener.communicate("\n")
    assert [opener.returncode for opener in openers] == [0, 0, 0]
    with Store.open(old) as store:
        assert {note.text for note in store.notes.of("first")} == {"note 0", "note 1", "note 2"}
        assert store.rows("SELECT version FROM versions") == [(VERSION,)]
    assert {file.name for file in old.parent.iterdir()} == {"store.db", "store.db.v1"}


STOPPED = """
import sys, time
from pathlib import Path
from sociolab.store import Store, schema
def stop():
    print("inside", flush=True)
    time.sleep(60)
schema.time.time = stop  # called when the tables are made, before the commit
Store.open(Path(sys.argv[1]))
"""


def test_a_migration_that_is_killed_leaves_the_store_as_it_was(old: Path) -> None:
    before = rows_of(old)
    migration = subprocess.Popen(
        [sys.executable, "-c", STOPPED, str(old)], stdout=subprocess.PIPE, text=True
    )
    assert migration.stdout is not None
    assert migration.stdout.readline() == "inside\n"
    migration.send_signal(signal.SIGKILL)
    migration.communicate()
    assert (version_of(old), rows_of(old)) == (VERSION_1, before)
    with Store.open(old) as store:
        assert list(find_damage(store)) == []
    assert (version_of(old), rows_of(old)) == (VERSION, before)


def test_a_store_in_use_by_an_earlier_sociolab_is_left_to_it(old: Path) -> None:
    with lock_run(old, "first"), pytest.raises(StoreError, match='using the run "first"; wait'):
        Store.open(old)
    assert version_of(old) == VERSION_1
    assert not old.with_name("store.db.v1").exists()


def test_an_old_store_that_cannot_be_written_is_not_read(old: Path) -> None:
    with closing(sqlite3.connect(old)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = old.read_bytes()
    frozen = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(old)], capture_output=True, text=True, check=False
    )
    assert "brought up to date first, which needs a writable directory" in frozen.stdout
    assert old.read_bytes() == before


READ_ONLY = """
import sqlite3, sys
from pathlib import Path
from sociolab.core import StoreError
from sociolab.store import connect
try:
    connect._open_frozen(Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("mark", [1, 0x3039_0000, 0x7D4B_BD5E])
def test_a_store_older_than_version_1_says_how_to_bring_its_runs_here(old: Path, mark: int) -> None:
    before = marked(old, mark).read_bytes()
    with pytest.raises(StoreError, match=r"`sociolab export`\) and import the files here"):
        Store.open(old)
    assert old.read_bytes() == before


def test_a_newer_store_names_the_sociolab_that_reads_it(path: Path) -> None:
    with Store.open(path) as store:
        store.write("INSERT INTO versions VALUES (?, '7.4.1', ?)", (VERSION + 1, time.time()))
    before = marked(path, VERSION + 1).read_bytes()
    with pytest.raises(StoreError, match=rf"is of version {VERSION + 1}, .* use sociolab 7\.4\.1"):
        Store.open(path)
    assert path.read_bytes() == before
