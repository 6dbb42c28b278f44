"""A data set that is being made: whole or not at all, and never over another unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.app import new_data_set
from sociolab.core import ConfigError
from sociolab.core.user_files import imported_folder, imported_names


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path))


def make(text: str, *, replace: bool = False) -> None:
    with new_data_set("dnd", "nights", replace=replace) as fresh:
        fresh.mkdir()
        (fresh / "text").write_text(text)
        if text == "broken":
            raise ValueError(text)


def test_a_name_that_is_taken_is_refused_and_replaced_only_when_asked() -> None:
    make("first")
    with pytest.raises(ConfigError, match=r'"nights" is there already; choose another --name'):
        make("second")
    make("third", replace=True)
    assert (imported_folder("dnd", "nights") / "text").read_text() == "third"


def test_an_import_that_breaks_leaves_what_was_there() -> None:
    make("first")
    with pytest.raises(ValueError, match="broken"):
        make("broken", replace=True)
    folder = imported_folder("dnd", "nights")
    assert (folder / "text").read_text() == "first"
    assert [one.name for one in folder.parent.iterdir()] == ["nights"]
    assert tuple(imported_names("dnd")) == ("nights",)
