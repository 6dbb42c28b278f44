"""A store of a test's own, and one with the two runs of `levels_runs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.conclusions.levels_runs import build
from sociolab.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The two levels; tests only read it."""
    path = tmp_path_factory.mktemp("levels") / "s.db"
    build(path)
    with Store.open(path) as opened:
        yield opened
