"""A folder that takes its place when it is complete: interrupted, ended, killed, refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.core.user_files import fresh_folder

posix = pytest.mark.skipif(os.name != "posix", reason="signals of a Unix")

SLOW = """
import sys, time
from pathlib import Path
from sociolab.core.user_files import fresh_folder
try:
    with fresh_folder(Path(sys.argv[1])) as fresh:
        fresh.mkdir()
        print("begun", flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""


def write(target: Path, text: str) -> None:
    with fresh_folder(target) as fresh:
        fresh.mkdir()
        (fresh / "text").write_text(text)


def ended_by(target: Path, sent: signal.Signals) -> int:
    """The exit code of a process that is sent a signal while it writes."""
    with subprocess.Popen([sys.executable, "-c", SLOW, target], stdout=subprocess.PIPE) as slow:
        assert slow.stdout is not None
        assert slow.stdout.readline().strip() == b"begun"
        slow.send_signal(sent)
        return slow.wait(30)


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_what_is_complete_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    for text in ("first", "second"):
        write(tmp_path / "deep" / "set", text)
        assert (tmp_path / "deep" / "set" / "text").read_text() == text
        assert names(tmp_path / "deep") == ["set"]


def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "set", "first")
    with pytest.raises(FileNotFoundError), fresh_folder(tmp_path / "set") as fresh:
        (fresh / "text").write_text("its folder was forgotten")
    with pytest.raises(ConfigError), fresh_folder(tmp_path / "set"):
        pass  # nothing was written that could take the place
    assert (tmp_path / "set" / "text").read_text() == "first"
    assert names(tmp_path) == ["set"]


@posix
def test_a_process_that_is_asked_to_end_leaves_nothing_behind(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert ended_by(tmp_path / "set", signal.SIGTERM) == 130
    assert names(tmp_path) == []
    write(tmp_path / "set", "first")
    assert signal.getsignal(signal.SIGTERM) == before


@posix
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    ended_by(tmp_path / "set", signal.SIGKILL)
    assert len(names(tmp_path)) == 1
    write(tmp_path / "set", "first")
    assert names(tmp_path) == ["set"]


@posix
def test_what_a_living_process_writes_or_was_about_to_replace_is_left(tmp_path: Path) -> None:
    ended_by(tmp_path / "set", signal.SIGKILL)
    (killed,) = tmp_path.iterdir()
    (killed / "old").mkdir()
    with fresh_folder(tmp_path / "one") as fresh:
        fresh.mkdir()
        write(tmp_path / "two", "meanwhile")
    assert names(tmp_path) == sorted([killed.name, "one", "two"])


@pytest.mark.parametrize("name", ["file/set", "x" * 300])
def test_a_place_that_cannot_be_written_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"expected a folder that can be written, found .*file|x"):
        write(tmp_path / name, "never")
