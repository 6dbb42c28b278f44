"""Text files and JSON lines, plain or gzipped; whatever is wrong is told with file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError


class RawRecord(BaseModel):
    """A record as somebody else wrote it: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BaseModel)


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
        raise ConfigError(f"{path} cannot be read as UTF-8 text ({error})") from error


def json_lines(path: Path) -> Iterator[tuple[str, object]]:
    """The values of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError where a line is not JSON, or where no line holds anything.
    """
    empty = True
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            empty = False
            place = f"{path}, line {number}"
            yield place, json_value(place, line)
    if empty:
        raise ConfigError(f"{path} is empty; expected JSON lines")


def json_value(place: str, text: str) -> object:
    """The JSON value that a text holds; ConfigError with the place where it holds none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, too
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, json.JSONDecodeError):
            why = error.msg
        raise ConfigError(
            f"{place}: expected JSON, found {text.strip()[:60]!r} ({why}); mend or remove it"
        ) from error


def record(place: str, kind: type[R], fields: object) -> R:
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the line"
        found = "nothing" if first["type"] == "missing" else repr(str(first["input"])[:80])
        raise ConfigError(f"{place}: {field}: {first['msg']}; found {found}") from error
