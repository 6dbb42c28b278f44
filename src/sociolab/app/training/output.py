"""Where an export may be written: not over another file, nor to what is meant for a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.app.user_files import free_file
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store


def no_run(path: Path, store: Store, runs: Sequence[str]) -> None:
    """ConfigError where the last name given, that of the file, is a run's."""
    if str(path) in {row.name for row in store.runs()}:
        raise ConfigError(
            f'FILE: "{path}" is the name of a run, and the file to write comes last: expected '
            f"RUN... FILE, such as {' '.join(dict.fromkeys((*runs, str(path))))} out.jsonl"
        )


def free_output(path: Path, *, replace: bool) -> None:
    """ConfigError where a file is there and is to stay, or no folder to write it in."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; name a file")
    if replace and path.is_file():
        return
    try:
        free_file(path, "FILE")
    except ConfigError as error:
        hint = "; --replace writes over it" if path.is_file() else ""
        raise ConfigError(f"{error}{hint}") from error
