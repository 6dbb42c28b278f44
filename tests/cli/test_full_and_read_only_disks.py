"""A disk that is full, and one that cannot be written: what still works, and what is said."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bundles import text_of
from cli.conftest import Done, Sociolab
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.store import Store


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB of its own; where it cannot be mounted, a folder."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)]
    mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    yield place
    if not mounted:
        place.chmod(0o755)
    else:
        subprocess.run(["umount", "-l", str(place)], check=True)


def make_read_only(disk: Path) -> None:
    if disk.is_mount():
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    elif os.geteuid() == 0:
        pytest.skip("root may write everywhere, and cannot mount a disk here")
    else:
        disk.chmod(0o555)


def fill(disk: Path, leave: int = 0) -> None:
    """Take all room of a disk, but for so many bytes."""
    if not disk.is_mount():
        pytest.skip("only root can mount a disk that may be filled")
    filler = os.open(disk / "filler", os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(filler, bytes(4096))
    except OSError:
        os.ftruncate(filler, os.fstat(filler).st_size - leave)
    finally:
        os.close(filler)


def run(sociolab: Sociolab, store: Path, name: str, *more: object) -> Done:
    return sociolab(
        "run", "sotopia", "--limit", 3, "--name", name, "--store", store, "--json", *more
    )


@pytest.fixture
def store(sociolab: Sociolab, disk: Path) -> Path:
    """A store with a run in it, on a disk of its own."""
    path = disk / "s.db"
    for name in ("a", "b"):
        assert run(sociolab, path, name).code == 0
    return path


def all_can_be_read(sociolab: Sociolab, path: Path, folder: Path) -> None:
    with Store.open(path, create=False) as store:
        trial = store.trial_ids("a")[0]
    for words in (
        ("list", "runs"),
        ("list", "episodes", "--run", "a"),
        ("show", trial, "--run", "a"),
        ("report", "a", "--html", folder / "a.html"),
        ("export", "a", folder / "a.zip"),
        ("compare", "a", "b"),
        ("store", "size"),
    ):
        done = sociolab(*words, "--store", path)
        assert done.code in (0, 1), (words, done.err)
        assert "sociolab:" not in done.err, (words, done.err)
        assert done.out or "export" in words
    assert "<html" in (folder / "a.html").read_text("utf-8")
    assert text_of(folder / "a.zip").count("\n") > 40


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


def test_on_a_disk_that_is_nearly_full_nothing_is_paid_for(
    sociolab: Sociolab, store: Path, endpoint: EndpointProcess
) -> None:
    fill(store.parent, leave=8_000_000)
    model = ("--agent", "openai/x", "--judge", "openai/j", "--base-url", endpoint.url)
    done = run(sociolab, store, "c", *model)
    assert done.code == 2
    assert "nearly full: expected 16 MB to be free, found 8.0 MB; free some space" in done.err
    assert endpoint.counters.requests == 0
    (store.parent / "filler").unlink()
    done = run(sociolab, store, "c", *model)
    assert done.code == 0, done.err
    assert done.document["calls"] == endpoint.counters.requests > 3 * 21


def test_a_full_disk_can_be_read_and_a_run_on_it_deleted(
    sociolab: Sociolab, store: Path, tmp_path: Path
) -> None:
    fill(store.parent)
    all_can_be_read(sociolab, store, tmp_path)
    assert run(sociolab, store, "c").sentence == (
        f"sociolab: the disk of the store {store} is nearly full: expected 16 MB to be free, found "
        "0.0 MB; free some space, then run the same command again; a run resumes where it stopped"
    )
    done = sociolab("delete", "a", "--yes", "--store", store)
    assert done.code == 0, done.err
    assert "deleted a with its 3 trials" in done.err
    (store.parent / "filler").unlink()
    with sqlite3.connect(store) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        assert raw.execute("SELECT name FROM runs").fetchall() == [("b",)]
    raw.close()
    assert run(sociolab, store, "a").code == 0


def test_a_log_that_finds_no_room_keeps_a_run_from_being_deleted(
    sociolab: Sociolab, store: Path
) -> None:
    """A process was killed while it played, and others filled the disk since."""
    playing = (
        "import os, sys; from pathlib import Path; from sociolab.store.store import Store\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "store.attach('b', store.trial_ids('b')[0], 'trace', os.urandom(2_000_000))\n"
        "os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", playing, str(store)], check=False).returncode == 9
    fill(store.parent)
    before = sociolab("list", "runs", "--store", store)
    assert before.code == 0, before.err
    done = sociolab("delete", "a", "--yes", "--store", store)
    assert (done.code, done.sentence) == (2, done.err.strip())
    assert "is full; free some space" in done.sentence
    assert sociolab("list", "runs", "--store", store).out == before.out
    (store.parent / "filler").unlink()
    assert sociolab("delete", "a", "--yes", "--store", store).code == 0
    assert sociolab("store", "check", "--store", store).code == 0


def test_a_store_on_a_read_only_disk_is_read_and_not_written(
    sociolab: Sociolab, store: Path, tmp_path: Path
) -> None:
    make_read_only(store.parent)
    all_can_be_read(sociolab, store, tmp_path)
    for words in (
        ("run", "sotopia", "--limit", 1, "--name", "c"),
        ("judge", "a", "--judge", "heuristic"),
        ("delete", "a", "--yes"),
        ("rename", "a", "c"),
        ("tag", "a", "word"),
        ("store", "vacuum"),
    ):
        done = sociolab(*words, "--store", store)
        assert done.code == 2, (words, done.err)
        assert re.search("Read-only|Permission denied|can only be read", done.sentence), words


def test_a_log_that_was_left_is_not_passed_over(
    sociolab: Sociolab, store: Path, tmp_path: Path
) -> None:
    """A store that was copied while being played: without its log it lacks turns, or is torn."""
    with Store.open(store) as opened:
        opened.rename_run("b", "late")
        log = store.with_name("s.db-wal")
        kept = log.read_bytes()
    log.write_bytes(kept)
    make_read_only(store.parent)
    assert sociolab("list", "runs", "--store", store).sentence == (
        f"sociolab: the latest turns of the store {store} are still in s.db-wal, which can only "
        "be read in a writable directory; copy both files to one, and name the copy with "
        "--store"
    )
    copy = tmp_path / "copy.db"
    copy.write_bytes(store.read_bytes())
    copy.with_name("copy.db-wal").write_bytes(kept)
    assert "late" in sociolab("list", "runs", "--store", copy).out
