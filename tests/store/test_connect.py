"""Opening a store: ours, of the schema that we read, in a place where we may write."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sociolab.core import StoreError
from sociolab.store import Store

HEAVY = {"aiohttp", "asyncio", "jinja2", "numpy", "pyarrow", "rich", "scipy", "typer"}


def test_a_new_store_is_its_owners_alone(path: Path) -> None:
    with Store.open(path):
        files = sorted(path.parent.glob(f"{path.name}*"))
        assert [file.name.removeprefix(path.name) for file in files] == ["", "-shm", "-wal"]
        assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    path.chmod(0o640)
    with Store.open(path):
        assert path.stat().st_mode & 0o777 == 0o640, "what the owner decided stays"


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new" / "folder" / "s.db") as store:
        assert store.runs() == ()


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with Store.open(path) as store:
        assert store.runs() == ()


def test_what_was_stored_is_there_when_the_store_is_opened_again(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, ())
    with Store.open(path, create=False) as store:
        assert [run.name for run in store.runs()] == ["r"]


def test_closing_twice_does_nothing(path: Path) -> None:
    store = Store.open(path)
    store.close()
    store.close()


def test_a_store_that_is_not_there_is_not_made_unasked(path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store at .*store\.db; play a run first"):
        Store.open(path, create=False)
    assert not path.exists()


def test_a_text_file_is_refused_and_left_as_it_is(path: Path) -> None:
    path.write_text("Dear diary, today I met the neighbours.\n" * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"is not a sociolab store: it is not an SQLite file"):
        Store.open(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_left_as_it_is(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="it belongs to another program"):
        Store.open(path)
    assert path.read_bytes() == before


def test_another_programs_empty_database_is_refused(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA application_id = 77")
    raw.close()
    with pytest.raises(StoreError, match="it belongs to another program"):
        Store.open(path)


@pytest.mark.parametrize(("synced", "level"), [(False, 1), (True, 2)])
def test_where_people_play_a_commit_waits_for_the_disk(
    path: Path, synced: bool, level: int
) -> None:
    with Store.open(path, synced=synced) as store:
        assert store.row("PRAGMA synchronous") == (level,)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"must be a file, but .* is a directory"):
        Store.open(tmp_path)


@pytest.mark.parametrize("place", ["file/store.db", "file/folder/store.db", "n" * 300])
def test_an_unwritable_place_is_a_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"cannot be opened .* needs a writable directory"):
        Store.open(tmp_path / place)


def test_a_damaged_store_is_a_sentence(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {"long": "x" * 50_000}, ())
    content = bytearray(path.read_bytes())
    content[-8192:] = b"\xff" * 8192
    path.write_bytes(content)
    with (
        Store.open(path) as store,
        pytest.raises(StoreError, match=r"could not be used .*; check the disk"),
    ):
        store.runs()


def test_a_store_whose_schema_is_damaged_is_a_sentence(path: Path) -> None:
    Store.open(path).close()
    content = path.read_bytes()
    # SQLite quotes the word that it cannot read, which is no UTF-8 then.
    path.write_bytes(content.replace(b"CREATE TABLE", b"CREATE \xc2ABLE", 1))
    with pytest.raises(StoreError, match=r"store\.db is damaged: SQLite .* restore a copy"):
        Store.open(path)


def test_two_processes_may_make_the_same_store_at_once(path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from sociolab.store.store import Store\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "Store.open(Path(sys.argv[1])).create_run(sys.argv[2], 'world', {}, ())"
    )
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), f"r{n}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(4)
    ]
    for maker in makers:
        assert maker.stdout is not None
        assert maker.stdout.readline() == "ready\n"
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write("\n")
        maker.stdin.flush()
    for maker in makers:
        maker.communicate()
    assert [maker.returncode for maker in makers] == [0, 0, 0, 0]
    with Store.open(path) as store:
        assert {run.name for run in store.runs()} == {"r0", "r1", "r2", "r3"}


def test_opening_a_store_imports_nothing_heavy() -> None:
    script = "import sys, sociolab.store.store; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert not HEAVY & {name.split(".")[0] for name in found.stdout.split()}
