"""What `--data` names: an imported set by its name, else a folder as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.core.user_files import find_data_folder, imported_folder


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An imported set "pub", and a folder "pub" where one works."""
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    imported_folder("sotopia", "pub").mkdir(parents=True)
    (tmp_path / "work" / "pub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")


def test_a_name_is_the_imported_set() -> None:
    assert find_data_folder("sotopia", "pub") == imported_folder("sotopia", "pub")


@pytest.mark.parametrize("written", [".", "./pub", "pub/", "../work", "../work/pub"])
def test_a_path_is_the_folder_that_it_names(written: str) -> None:
    assert find_data_folder("sotopia", written) == Path(written)


def test_what_is_neither_is_refused_with_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"\(there is: pub\), found \"elsewhere\""):
        find_data_folder("sotopia", "elsewhere")
    with pytest.raises(ConfigError, match=r"\(there is: none\), found \"elsewhere\""):
        find_data_folder("stss", "elsewhere")
