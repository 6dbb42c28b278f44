"""The small run of the report's tests, in a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from report.small_run import build
from sociolab.store.sqlite import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened
