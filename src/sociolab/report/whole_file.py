"""Files written all or nothing: readers find the old file or the whole new one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sociolab.core.errors import ConfigError


def write_whole(path: Path, text: str) -> None:
    """Write a text as UTF-8; ConfigError if it cannot be written there."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.write_text(text, encoding="utf-8", newline="\n")
        made.replace(path)
    except OSError as error:
        raise ConfigError(
            f"the report cannot be written to {path} ({error.strerror}); name a file in a folder "
            "that exists"
        ) from error
    finally:
        with suppress(OSError):  # a name that is too long cannot even be looked for
            made.unlink(missing_ok=True)
