"""The small run, in a store, and as a result."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab import RunResult, result_of
from sociolab.store import Store

from .small_run import RUN, build


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


@pytest.fixture(scope="session")
def result(built: Path) -> RunResult:
    """The small run's result, with a fixed date and version: for snapshots."""
    fixed = {"created": "2026-11-20T09:30:00Z", "versions": {"sociolab": "0.1.0"}}
    with Store.open(built) as opened:
        return result_of(opened, RUN).model_copy(update=fixed)
