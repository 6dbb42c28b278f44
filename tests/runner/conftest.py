"""A run of five trials that is not played yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab.store import Store
from tiny_runs import RUN, trial


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        opened.create_run(RUN, "tiny", {}, [trial(n) for n in range(5)])
        yield opened
