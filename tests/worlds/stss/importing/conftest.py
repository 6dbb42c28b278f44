"""The public files of STSS, where they are at hand, and a small village of our own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from worlds.stss.importing.small_village import write_village

REPOSITORY = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def public() -> Path:
    """STSS's public files; a test that wants them is skipped where they are absent."""
    shared = Path(os.environ.get("SOCIOLAB_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "data" / "stss"
    if not folder.is_dir():
        pytest.skip(f"the public files of STSS are not at hand in {folder}")
    return folder


@pytest.fixture
def village(tmp_path: Path) -> Path:
    """The files of the small village, with one faultless task."""
    return write_village(tmp_path / "village")
