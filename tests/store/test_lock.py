"""Two processes are kept off one run, and a dead one holds nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sociolab.core import StoreError
from sociolab.store import lock_run

HOLDER = """
import sys
from pathlib import Path
from sociolab.store.connect import lock_run
with lock_run(Path(sys.argv[1]), "r"):
    print("held", flush=True)
    sys.stdin.readline()
"""

COUNTER = """
import sys, time
from pathlib import Path
from sociolab.core.errors import StoreError
from sociolab.store.connect import lock_run
counter = Path(sys.argv[2])
done = 0
while done < 60:
    try:
        with lock_run(Path(sys.argv[1]), "r"):
            number = int(counter.read_text())
            time.sleep(0)
            counter.write_text(str(number + 1))
            done += 1
    except StoreError:
        pass
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """A process that holds the lock until it is sent a line, or killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_second_process_is_told_who_holds_the_run(path: Path) -> None:
    holder = hold(path)
    with (
        pytest.raises(StoreError, match=rf'run "r" is in use by process {holder.pid}; wait until'),
        lock_run(path, "r"),
    ):
        pass
    holder.communicate("\n")
    with lock_run(path, "r"):
        pass


def test_a_killed_process_holds_nothing(path: Path) -> None:
    holder = hold(path)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with lock_run(path, "r"):
        pass
    assert list(path.parent.iterdir()) == []


def test_other_runs_and_other_stores_are_free(path: Path) -> None:
    with lock_run(path, "a"), lock_run(path, "b"), lock_run(path.with_name("other.db"), "a"):
        pass


def test_the_same_process_cannot_hold_a_run_twice(path: Path) -> None:
    with (
        lock_run(path, "r"),
        pytest.raises(StoreError, match=f"process {os.getpid()}"),
        lock_run(path, "r"),
    ):
        pass


def test_a_link_to_the_store_is_the_same_store(path: Path) -> None:
    path.touch()
    link = path.with_name("link.db")
    link.symlink_to(path)
    with lock_run(path, "r"), pytest.raises(StoreError, match="in use"), lock_run(link, "r"):
        pass


def test_nothing_is_left_behind(path: Path) -> None:
    with lock_run(path, "a"), lock_run(path, "b"):
        folder = path.with_name("store.db-locks")
        assert sorted(file.name for file in folder.iterdir()) == ["a.lock", "b.lock"]
    assert list(path.parent.iterdir()) == []


def test_an_error_inside_frees_the_run(path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), lock_run(path, "r"):
        raise KeyboardInterrupt
    with lock_run(path, "r"):
        pass


def test_an_unwritable_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(
            StoreError, match=r"the lock file .* cannot be used .* needs a writable local disk"
        ),
        lock_run(tmp_path / "file" / "store.db", "r"),
    ):
        pass


def test_only_one_of_many_processes_is_inside_at_a_time(path: Path, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [
        subprocess.Popen([sys.executable, "-c", COUNTER, str(path), str(counter)]) for _ in range(3)
    ]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert counter.read_text() == "180"
