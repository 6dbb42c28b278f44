"""The small run, played once for all tests of examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from training_cases import play


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds the small run; only to be read."""
    path = tmp_path_factory.mktemp("training") / "s.db"
    play(path)
    return path
