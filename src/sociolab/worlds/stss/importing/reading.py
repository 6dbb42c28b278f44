"""Text, JSON and block lists of somebody else's; what is wrong is told with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError


class RawRecord(BaseModel):
    """A record as somebody else wrote it: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BaseModel)


def file_text(path: Path) -> str:
    """A file as text, without a byte order mark; ConfigError where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"expected the file {path}, and there is none; fetch it again") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be read as UTF-8 text ({error}); fetch it again"
        ) from error


def json_value(place: str, text: str) -> object:
    """The JSON value that a text holds; ConfigError with place and line where it holds none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        found = text.splitlines()[error.lineno - 1].strip()[:60] if text.strip() else ""
        raise ConfigError(
            f"{place}, line {error.lineno}: expected JSON, found {found!r} ({error.msg}); mend it "
            "or fetch the file again"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: expected JSON, and it cannot be read ({error})") from error


def json_file(path: Path) -> object:
    """A file that is one JSON value; ConfigError where it is not."""
    return json_value(str(path), file_text(path))


def record(place: str, kind: type[R], fields: object) -> R:
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        found = "nothing" if first["type"] == "missing" else repr(str(first["input"])[:80])
        raise ConfigError(f"{place}: {field}: {first['msg']}; found {found}; mend it") from error
