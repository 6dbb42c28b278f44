"""How does an importer read files of somebody else, and lay down a data set whole or not at all?

Whatever is wrong with a file is told in one sentence that names it, the line, what was expected and
what was found.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError

R = TypeVar("R", bound=BaseModel)


class ForeignRecord(BaseModel):
    """A record as somebody else wrote it: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def file_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where its name ends in ".gz". ConfigError if unreadable."""
    try:
        packed = path.read_bytes()
        return gzip.decompress(packed) if path.suffix == ".gz" else packed
    except FileNotFoundError as error:
        raise ConfigError(f"expected the file {path}, and there is none") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigError(f"{path} cannot be read ({error}); fetch it again") from error


def file_text(path: Path) -> str:
    """The content of a file as text, without a byte order mark. ConfigError if unreadable."""
    try:
        return file_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} cannot be read as UTF-8 text ({error}); fetch it again"
        ) from error


def json_file(path: Path) -> object:
    """A file that is one JSON value; ConfigError where it is not."""
    return json_value(str(path), file_text(path))


def json_lines(path: Path) -> Iterator[tuple[str, object]]:
    """The values of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError where a line is not JSON.
    """
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            yield place, json_value(place, line)


def json_value(place: str, text: str) -> object:
    """The JSON value that a text holds; ConfigError with the place where it holds none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.splitlines() or [""]
        where = f"{place}, line {error.lineno}" if len(lines) > 1 else place
        found = lines[min(error.lineno, len(lines)) - 1].strip()[:60]
        raise ConfigError(
            f"{where}: expected JSON, found {found!r} ({error.msg}); mend it, or fetch it again"
        ) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, too
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError(f"{place}: expected JSON, and it cannot be read ({why})") from error


def record(place: str, kind: type[R], fields: object) -> R:
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        found = repr(str(first["input"])[:80])
        if not field:
            problem = f"expected a JSON object, found {found}"
        elif first["type"] == "missing":
            problem = f"{field} is missing"
        else:
            problem = f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}, found {found}"
        raise ConfigError(f"{place}: {problem}") from error


def check_new(target: Path) -> None:
    """ConfigError where there is something at `target`; before a source is read for hours."""
    if target.exists():
        raise ConfigError(f"{target} exists already; import under another name, or remove it")


def write_folder(target: Path, fill: Callable[[Path], None]) -> None:
    """The new folder `target`, which appears when `fill` has written all files into it.

    ConfigError where it exists already or cannot be written.
    """
    check_new(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".importing-") as partial:
            folder = Path(partial) / "data"
            folder.mkdir()
            fill(folder)
            os.replace(folder, target)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written ({error.strerror})") from error
