"""A file that is written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sociolab.core.user_files import atomic_file


def test_what_breaks_on_the_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_file(file) as part:
        part.write_bytes(b"half of" + bytes(1 // 0))
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a.txt"])
    with atomic_file(file) as part:
        part.write_text("new")
    assert (file.read_text(), os.listdir(tmp_path)) == ("new", ["a.txt"])


@pytest.mark.parametrize("folder", ["", "..", "/"])
def test_a_folder_is_no_file_to_write(folder: str) -> None:
    with pytest.raises(IsADirectoryError), atomic_file(Path(folder)):
        raise AssertionError


def test_two_processes_do_not_write_the_same_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.txt"
    with atomic_file(file) as mine:
        mine.write_text("mine")
        with monkeypatch.context() as other:
            other.setattr(os, "getpid", lambda: 7)
            with atomic_file(file) as theirs:
                theirs.write_text("theirs")
        assert file.read_text() == "theirs"
    assert file.read_text() == "mine"
