"""Units that are worth a test alone, from inside: store."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from unittest.mock import Mock, create_autospec

import pytest

from sociolab.core.user_files import data_home
from sociolab.store import Store
from sociolab.store.connect import _use_wal, default_path
from sociolab.store.schema import APPLICATION_ID, VERSION


def test_a_new_store_is_marked_as_ours_and_has_the_current_schema(path: Path) -> None:
    Store.open(path).close()
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert raw.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    raw.close()


def test_a_new_file_that_is_busy_is_waited_for() -> None:
    busy = sqlite3.OperationalError("database is locked")
    busy.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
    connection = create_autospec(sqlite3.Connection, instance=True)
    modes = [Mock(fetchone=Mock(return_value=(mode,))) for mode in ("delete", "delete", "wal")]
    connection.execute.side_effect = [modes[0], busy, modes[1], None, modes[2]]
    _use_wal(connection)
    assert connection.execute.call_count == 5


def test_a_new_file_that_is_not_only_busy_is_an_error() -> None:
    full = sqlite3.OperationalError("disk I/O error")
    full.sqlite_errorcode = sqlite3.SQLITE_IOERR
    connection = create_autospec(sqlite3.Connection, instance=True)
    connection.execute.side_effect = [Mock(fetchone=Mock(return_value=("delete",))), full]
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        _use_wal(connection)


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_STORE", "/somewhere/my.db")
    assert default_path() == Path("/somewhere/my.db")


def test_a_tilde_in_the_environment_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("SOCIOLAB_STORE", "~/my.db")
    assert default_path() == Path("/home/ann/my.db")


def test_a_folder_of_ones_own_holds_the_store_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOCIOLAB_STORE", raising=False)
    monkeypatch.setenv("SOCIOLAB_HOME", "/lab")
    assert data_home() == Path("/lab")
    assert default_path() == Path("/lab/store.db")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/sociolab/store.db"),
        ("linux", {"XDG_DATA_HOME": ""}, "/home/ann/.local/share/sociolab/store.db"),
        ("darwin", {}, "/home/ann/Library/Application Support/sociolab/store.db"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/sociolab/store.db"),
    ],
)
def test_otherwise_it_is_the_users_folder_for_program_data(
    monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], expected: str
) -> None:
    monkeypatch.delenv("SOCIOLAB_STORE", raising=False)
    monkeypatch.delenv("SOCIOLAB_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/ann")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    assert default_path() == Path(expected)
