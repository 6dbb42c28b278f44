"""Files that are new: written all or nothing, never in the place of another."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sociolab.core.errors import ConfigError


def free_file(path: Path, flag: str) -> None:
    """ConfigError where there is a file already, or no folder to write it in."""
    if path.exists() or path.is_symlink():
        raise ConfigError(f"{flag}: {path} is there already; name another file, or remove it first")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{flag}: there is no folder {path.parent}; name a file in a folder that exists"
        )


def write_new(path: Path, flag: str, text: str) -> None:
    """Write a text as UTF-8 to a file that is not there yet; ConfigError where it cannot be."""
    free_file(path, flag)
    made = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        made.write_text(text, encoding="utf-8", newline="\n")
        made.replace(path)
    except OSError as error:
        raise ConfigError(
            f"{flag}: {path} cannot be written ({error.strerror}); name another file"
        ) from error
    finally:
        with suppress(OSError):  # a name that is too long cannot even be looked for
            made.unlink(missing_ok=True)
