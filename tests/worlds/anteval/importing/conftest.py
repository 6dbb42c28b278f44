"""The shared files of real play, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[3]


@pytest.fixture(scope="session")
def shared_play() -> Path:
    """The folder of shared real play; a test that wants it is skipped where it is absent."""
    shared = Path(os.environ.get("SOCIOLAB_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "data" / "crd3"
    if not folder.is_dir():
        pytest.skip(f"the shared files of real play are not at hand in {folder}")
    return folder
