"""A store of a test's own, and one with the two runs of `levels_runs`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from analysis.stored.conftest import store
from sociolab.store import Store
from worlds.stss.levels.levels_runs import build

__all__ = ["both", "store"]


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The two levels; tests only read it."""
    path = tmp_path_factory.mktemp("levels") / "s.db"
    build(path)
    with Store.open(path) as opened:
        yield opened
