"""The small run of the report's tests, in a store."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.small_run import build
from sociolab.store.sqlite import Store


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store, made once; tests work on copies."""
    path = tmp_path_factory.mktemp("small") / "store.db"
    build(path)
    return path


@pytest.fixture
def store(built: Path, tmp_path: Path) -> Iterator[Store]:
    with Store.open(Path(shutil.copy(built, tmp_path / "store.db"))) as opened:
        yield opened
