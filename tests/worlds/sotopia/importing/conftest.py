"""Small files of our own that carry every quirk, and the public ones where they are at hand."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[3]


@pytest.fixture
def fixtures() -> Path:
    """Our own small files, in `profiles` and `episodes` below this folder. Not to be changed."""
    return HERE / "fixtures"


@pytest.fixture
def copied(tmp_path: Path, fixtures: Path) -> Path:
    """A copy of our own files to spoil."""
    return Path(shutil.copytree(fixtures, tmp_path / "source"))


@pytest.fixture(scope="session")
def public() -> Path:
    """SOTOPIA's public files; a test that wants them is skipped where they are absent."""
    shared = Path(os.environ.get("SOCIOLAB_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "data" / "sotopia"
    if not folder.is_dir():
        pytest.skip(f"SOTOPIA's public files are not at hand in {folder}")
    return folder
