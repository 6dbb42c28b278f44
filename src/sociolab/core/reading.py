"""Read files that others wrote, and report what is wrong with them.

Each error is one sentence: the file and line, what was expected, what was found, what to do.
"""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.redaction import guard, redact, secrets_in
from sociolab.core.unpacking import open_unpacked

R = TypeVar("R", bound=BaseModel)
Loc: TypeAlias = tuple[int | str, ...]
_EXTRA = "extra_forbidden"
"""Pydantic's type of the error for an unknown field."""


class ForeignRecord(BaseModel):
    """A record in another program's format: unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where it is gzipped. ConfigError if unreadable, or larger
    than `MOST_UNPACKED` when unpacked."""
    try:
        with open_unpacked(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise ConfigError(f"{path} cannot be read: there is no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path} cannot be read ({why})") from error


def read_text(path: Path) -> str:
    """The content of a file as text, without a byte order mark. ConfigError if unreadable."""
    data = read_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: expected UTF-8, found the byte 0x{error.object[error.start]:02x}"
            "; save the file as UTF-8"
        ) from error


def json_file(path: Path) -> object:
    """The one JSON value that a file holds; ConfigError where it is not JSON."""
    return json_value(str(path), read_text(path))


def json_lines(path: Path) -> Iterator[tuple[str, object]]:
    """The values of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError where a line is not JSON.
    """
    for place, line in _lines(path):
        yield place, json_value(place, line)


class Faults:
    """Collects what is wrong with a data set, with file and line, to report it all at once."""

    def __init__(self) -> None:
        self._faults: list[str] = []

    def __len__(self) -> int:
        return len(self._faults)

    def add(self, *faults: str) -> None:
        self._faults += faults

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Catch a ConfigError of the block and add it to the faults."""
        try:
            yield
        except ConfigError as error:
            self.add(str(error))

    def refuse(self) -> None:
        """Raise a ConfigError with a line for each fault, by file and line, if there are any."""
        if self:
            self._faults.sort(key=_file_and_line)
            more = len(self._faults) - _MOST_FAULTS
            last = [f"and {more:,} more"] if more > 0 else []
            raise ConfigError("\n".join((*self._faults[:_MOST_FAULTS], *last)))


_MOST_FAULTS = 100


def _file_and_line(fault: str) -> tuple[str, int]:
    match = re.match(r"(.*?)(?:, line (\d+))?: ", fault)
    return (match[1], int(match[2] or 0)) if match else (fault, 0)


def json_records(
    path: Path, kind: type[R], faults: Faults | None = None
) -> tuple[tuple[str, R], ...]:
    """The records of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError that names every invalid line; with `faults`, the errors are added to these, and the
    valid records are returned.
    """
    collected = Faults() if faults is None else faults
    records = []
    for place, line in _lines(path):
        try:
            records.append((place, kind.model_validate_json(line)))
        except ValidationError as error:
            collected.add(*(f"{place}: {problem}" for _, problem in all_problems(error, kind)))
    if faults is None:
        collected.refuse()
    return tuple(records)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield f"{path}, line {number}", line


def json_value(place: str, text: str) -> object:
    """Parse JSON; ConfigError, which names the place, where the text is not JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.splitlines() or [""]
        where = f"{place}, line {error.lineno}" if len(lines) > 1 else place
        line = lines[min(error.lineno, len(lines)) - 1].strip()[:60]
        raise ConfigError(
            f"{where}: expected JSON, found {line!r} ({error.msg}); mend it, or fetch it again"
        ) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, too
        why = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError(f"{place}: expected JSON, and it cannot be read ({why})") from error


def record(place: str, kind: type[R], fields: object) -> R:
    """A record from parsed JSON or TOML; ConfigError, which names the place, if it is invalid."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error, kind)}") from error


def json_record(place: str, kind: type[R], text: str | bytes) -> R:
    """A record from JSON text; ConfigError, which names the place, where it is invalid."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error, kind)}") from error


_DOTS = re.compile(r"\.\.+")
_MOST_PARTS = 1_000
"""Of a dotted name in TOML: `tomllib` takes time quadratic in their number."""


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file; ConfigError, with the line at fault, where it cannot be read."""
    text = read_text(path)
    parts = (_DOTS.sub("", part) for line in text.splitlines() for part in line.split("="))
    if any(part.count(".") > _MOST_PARTS for part in parts):
        raise ConfigError(
            f"{path}: expected names of a few parts, found more than {_MOST_PARTS:,} dots in a line"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(
            f"{path} cannot be read: expected lists and tables a few levels deep, found hundreds"
        ) from error


def toml_record(path: Path, kind: type[R]) -> R:
    """A TOML file as one record; ConfigError, which names the path, where it is invalid."""
    return record(str(path), kind, read_toml(path))


def first_problem(error: ValidationError, kind: type[BaseModel] | None = None) -> str:
    """The first problem of a validation in one clause: where, what was expected, what was found.

    A misspelt field goes before the one that is missing for it; with `kind` the clause suggests
    fields spelt alike, or lists all.
    """
    items = error.errors(include_url=False)
    item = next((detail for detail in items if detail["type"] == _EXTRA), items[0])
    return _clause(item, kind)


def all_problems(error: ValidationError, kind: type[BaseModel]) -> Iterator[tuple[Loc, str]]:
    """Every problem of a validation in such a clause, with its place.

    What follows from another problem is left out: a field is missing since it is misspelt, a list
    is too short since some of its items are invalid.
    """
    items = error.errors(include_url=False)
    places = [item["loc"] for item in items]
    misspelt = {loc[:-1] for loc, item in zip(places, items, strict=True) if item["type"] == _EXTRA}
    missing: dict[Loc, list[str]] = {}
    for loc, item in zip(places, items, strict=True):
        if any(other[: len(loc)] == loc for other in places if len(other) > len(loc)):
            continue
        if item["type"] != "missing":
            yield loc, _clause(item, kind)
        elif loc[:-1] not in misspelt:
            missing.setdefault(loc[:-1], []).append(
                describe_problem(item).removesuffix(" is missing")
            )
    for loc, names in missing.items():
        verb = "are" if names[1:] else "is"
        yield (
            loc,
            f"{' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} {verb} missing",
        )


def _clause(item: ErrorDetails, kind: type[BaseModel] | None) -> str:
    if kind is None or item["type"] != _EXTRA:
        return describe_problem(item)
    *above, name = item["loc"]
    schema = kind.model_json_schema()  # it has the fields of nested records, too
    parts = (schema, *schema.get("$defs", {}).values())
    names = {field for part in parts for field in part.get("properties", ())}
    advice = "; leave it out" if above else f"; expected one of {', '.join(kind.model_fields)}"
    return describe_problem(item) + (did_you_mean(str(name), sorted(names)) or advice)


def describe_problems(error: ValidationError) -> str:
    """All missing fields and the first three other problems, for a model that is to retry."""
    details = error.errors(include_url=False)
    missing = [describe_problem(detail) for detail in details if detail["type"] == "missing"]
    if len(missing) > 1:
        places = ", ".join(text.removesuffix(" is missing") for text in missing[:_MOST_MISSING])
        missing = [f"{places} are missing"]
    further = [describe_problem(detail) for detail in details if detail["type"] != "missing"]
    return "; ".join([*missing, *further[:3]])


_MOST_MISSING = 20

_WORDINGS = (
    (r", (unable|got|not) .*| after validation.*", ""),
    (r"^\w+ should (be|have) ", "expected "),
    (r"a valid boolean", "true or false"),
    (r"a valid integer", "a whole number"),
    (r"\bvalid ", ""),
    (r"greater than or equal to", "at least"),
    (r"less than or equal to", "at most"),
    (r"greater than", "more than"),
)
"""Pydantic's phrases as regular expressions, and ours for them, applied in this order."""

_SHOWN = 80
"""Characters of an invalid value that a message quotes."""


def describe_problem(item: ErrorDetails) -> str:
    """One problem of a validation in a clause; keys and passwords are redacted."""
    place = ".".join(str(part)[:60] for part in item["loc"] if part != "[key]")
    message = item["msg"].removeprefix("Value error, ")
    message = f"{message[:1].lower()}{message[1:]}"
    if item["type"] != "value_error":
        for pattern, replacement in _WORDINGS:
            message = re.sub(pattern, replacement, message)
    ctx: dict[str, Any] = item.get("ctx", {})
    match item["type"]:
        case "missing":
            return f"{place} is missing"
        case "extra_forbidden":
            return f'unknown field "{place}"'
        case "json_invalid":
            why = str(ctx["error"]).replace("line 1 ", "")
            value = str(item["input"]).strip()[:_SHOWN]
            return f"expected a JSON object ({why}), found {value}"
        case "model_type" | "dict_type" | "model_attributes_type":
            message = "expected an object" if place else "expected a JSON object"
        case "union_tag_not_found":
            message = f"{ctx['discriminator']} is missing, which says of what kind this is"
        case "union_tag_invalid":
            message = f"expected {ctx['discriminator']} to be one of {ctx['expected_tags']}"
    clause = f"{place}: {message}" if place else message
    if item["type"] == "value_error" or "headers" in item["loc"]:  # what headers hold is secret
        return clause
    guard(*secrets_in({place.rpartition(".")[2]: item["input"]}))
    value = redact(json.dumps(item["input"], ensure_ascii=False, default=str), lookalikes=True)
    return f"{clause}, found {value[:_SHOWN]}"
