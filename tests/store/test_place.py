"""Where the store lies when nobody says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.store.connect import data_home, default_path


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
