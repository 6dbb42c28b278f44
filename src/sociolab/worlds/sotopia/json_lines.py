"""A file with a record on each line: read, or the line that is wrong told in a sentence."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.profiles import Record

R = TypeVar("R", bound=Record)

_SHOWN = 80
"""Characters of what was found that a sentence shows."""

_WHOLE = "each line is one record, {...}"


def read_lines(path: Path, kind: type[R]) -> list[tuple[int, R]]:
    """The records of a JSON-lines file with their line numbers; empty lines are passed over.

    ConfigError names the file and the first line that is wrong.
    """
    found = []
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append((number, kind.model_validate_json(line)))
        except ValidationError as error:
            problem = _told(_first(error), line, kind)
            raise ConfigError(f"{path}, line {number}: {problem}") from error
    return found


def text_of(path: Path) -> str:
    """A file as text, without the mark that some editors put before UTF-8; ConfigError for what
    is not UTF-8."""
    data = bytes_of(path).removeprefix(BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(
            f"{path}, line {line}: expected UTF-8, found the byte 0x{data[error.start]:02x}; "
            "save the file as UTF-8"
        ) from error


def bytes_of(path: Path) -> bytes:
    """A file as it is; ConfigError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from error


def _first(error: ValidationError) -> ErrorDetails:
    """The problem to tell: a misspelt field before the one that is missing for it."""
    items = error.errors(include_url=False)
    return next((item for item in items if item["type"] == "extra_forbidden"), items[0])


def _told(item: ErrorDetails, line: str, kind: type[Record]) -> str:
    """What is wrong with a line: where in it, what was expected, what was found."""
    place = ".".join(str(part) for part in item["loc"])
    if not place:
        why = str(item.get("ctx", {}).get("error", "")).replace("line 1 ", "")
        wanted = f"a JSON object ({why})" if why else "a JSON object"
        return f"expected {wanted}, found {line.strip()[:_SHOWN]}; {_WHOLE}"
    if item["type"] == "missing":
        return f"{place} is missing"
    if item["type"] == "extra_forbidden":
        meant = get_close_matches(str(item["loc"][-1]), set(_fields(kind)), 1)
        return f'"{place}" is no field; ' + (f'is "{meant[0]}" meant?' if meant else "leave it out")
    return f"{place}: {_expected(item)}, found {_shown(item['input'])}"


def _expected(item: ErrorDetails) -> str:
    """What should stand there, in words that need no knowledge of regular expressions or tags."""
    ctx: dict[str, Any] = item.get("ctx", {})
    if item["type"] == "string_pattern_mismatch":
        return 'expected letters (a to z), digits, ".", "_" and "-", the first a letter or a digit'
    if item["type"] == "union_tag_not_found":
        return f"{ctx['discriminator']} is missing, which says what facts these are"
    if item["type"] == "union_tag_invalid":
        return f"expected {ctx['discriminator']} to be one of {ctx['expected_tags']}"
    return f"{item['msg'][:1].lower()}{item['msg'][1:]}"


def _shown(value: object) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)[:_SHOWN]


def _fields(kind: type[Record]) -> Iterator[str]:
    """The names of all fields of a record, and of the records in it."""
    schema = kind.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from part.get("properties", ())
