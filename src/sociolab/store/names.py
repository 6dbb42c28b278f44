"""What a run may be called."""

from __future__ import annotations

import re

from sociolab.core.errors import StoreError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def checked_name(name: str) -> str:
    """The name, if it is one; it serves as a file name too. StoreError otherwise."""
    if _NAME.fullmatch(name):
        return name
    raise StoreError(
        "a run's name has 1 to 80 letters, digits, dots, underscores and hyphens and begins with "
        f"a letter or digit; found {name[:100]!r}"
    )
