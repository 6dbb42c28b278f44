"""The small run, in a store, and as a result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab.report.result import result_of
from sociolab.report.schema import RunResult
from sociolab.store.sqlite import Store

from .small_run import RUN, build


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


@pytest.fixture
def result(store: Store) -> RunResult:
    """The small run's result, with a fixed date and version: for snapshots."""
    fixed = {"created": "2026-11-20T09:30:00Z", "versions": {"sociolab": "0.1.0"}}
    return result_of(store, RUN).model_copy(update=fixed)
