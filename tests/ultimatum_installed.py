"""The ultimatum package as if it were installed: on the path, with its entry point."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "ultimatum_package"


@contextmanager
def ultimatum(home: Path) -> Iterator[None]:
    """While this is open the world is there, and `home` is the user's folder."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(PACKAGE))
        patched.setenv("SOCIOLAB_HOME", str(home))
        yield
    sys.modules.pop("ultimatum", None)
