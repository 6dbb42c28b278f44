"""How are somebody else's files read, and how is it told what is wrong with one?

In one sentence: the file and line, what was expected, what was found, what to do.
"""

from __future__ import annotations

import gzip
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
from sociolab.core.redaction import guard, redacted, secrets_in

R = TypeVar("R", bound=BaseModel)
Loc: TypeAlias = tuple[int | str, ...]
_EXTRA = "extra_forbidden"
"""As pydantic calls a field that there is not."""


class ForeignRecord(BaseModel):
    """A record as somebody else wrote it: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def file_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where its name ends in ".gz". ConfigError if unreadable."""
    try:
        packed = path.read_bytes()
        return gzip.decompress(packed) if path.suffix == ".gz" else packed
    except FileNotFoundError as error:
        raise ConfigError(f"{path} cannot be read: there is no such file") from error
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path} cannot be read ({why})") from error


def file_text(path: Path) -> str:
    """The content of a file as text, without a byte order mark. ConfigError if unreadable."""
    data = file_bytes(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: expected UTF-8, found the byte 0x{error.object[error.start]:02x}"
            "; save the file as UTF-8"
        ) from error


def json_file(path: Path) -> object:
    """A file that is one JSON value; ConfigError where it is not."""
    return json_value(str(path), file_text(path))


def json_lines(path: Path) -> Iterator[tuple[str, object]]:
    """The values of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError where a line is not JSON.
    """
    for place, line in _lines(path):
        yield place, json_value(place, line)


class Faults:
    """What is wrong with a data set, each with file and line: all of it is told at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, *faults: str) -> None:
        """Something else that is wrong."""
        self._found += faults

    @contextmanager
    def held(self) -> Iterator[None]:
        """Go on after a ConfigError, which is told with the others."""
        try:
            yield
        except ConfigError as error:
            self.add(str(error))

    def refuse(self) -> None:
        """ConfigError, a line for each fault in the order of files and lines; nothing where there
        is none."""
        if self:
            self._found.sort(key=_file_of)
            more = len(self._found) - _MOST_FAULTS
            last = [f"and {more:,} more"] if more > 0 else []
            raise ConfigError("\n".join((*self._found[:_MOST_FAULTS], *last)))


_MOST_FAULTS = 100


def _file_of(fault: str) -> tuple[str, int]:
    """The file that a fault names, and the line, 0 for none."""
    match = re.match(r"(.*?)(?:, line (\d+))?: ", fault)
    return (match[1], int(match[2] or 0)) if match else (fault, 0)


def json_records(
    path: Path, kind: type[R], faults: Faults | None = None
) -> tuple[tuple[str, R], ...]:
    """The records of a JSON-lines file, each with its place; blank lines are skipped.

    ConfigError that names every line that is no such record; with `faults` these go there, and the
    others are returned.
    """
    wrong = Faults() if faults is None else faults
    records = []
    for place, line in _lines(path):
        try:
            records.append((place, kind.model_validate_json(line)))
        except ValidationError as error:
            wrong.add(*(f"{place}: {problem}" for _, problem in all_problems(error, kind)))
    if faults is None:
        wrong.refuse()
    return tuple(records)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            yield f"{path}, line {number}", line


def json_value(place: str, text: str) -> object:
    """The JSON value that a text holds; ConfigError with the place where it holds none."""
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
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error, kind)}") from error


def json_record(place: str, kind: type[R], text: str | bytes) -> R:
    """A record from its JSON; ConfigError with the place where it is none."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"{place}: {first_problem(error, kind)}") from error


_DOTS = re.compile(r"\.\.+")
_MOST_PARTS = 1_000
"""Of a dotted name in TOML: what `tomllib` does with one grows with its square."""


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; ConfigError where it cannot be read, with the line where it is broken."""
    text = file_text(path)
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
    """A TOML file as one record; ConfigError with the path where it is none."""
    return record(str(path), kind, read_toml(path))


def first_problem(error: ValidationError, kind: type[BaseModel] | None = None) -> str:
    """The first problem of a validation in one clause: where, what was expected, what was found.

    A misspelt field goes before the one that is missing for it; with `kind` it is told which fields
    may be meant, or which there are.
    """
    items = error.errors(include_url=False)
    item = next((detail for detail in items if detail["type"] == _EXTRA), items[0])
    return _clause(item, kind)


def all_problems(error: ValidationError, kind: type[BaseModel]) -> Iterator[tuple[Loc, str]]:
    """Every problem of a validation in such a clause, with its place: what follows from another
    (a field is missing that is misspelt, a list is too short of those that are right) is left out.
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
            missing.setdefault(loc[:-1], []).append(problem_of(item).removesuffix(" is missing"))
    for loc, names in missing.items():
        verb = "are" if names[1:] else "is"
        yield (
            loc,
            f"{' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} {verb} missing",
        )


def _clause(item: ErrorDetails, kind: type[BaseModel] | None) -> str:
    if kind is None or item["type"] != _EXTRA:
        return problem_of(item)
    *above, name = item["loc"]
    advice = "; leave it out" if above else f"; expected one of {', '.join(kind.model_fields)}"
    return problem_of(item) + (did_you_mean(str(name), sorted(_field_names(kind))) or advice)


def problems_of(error: ValidationError) -> str:
    """All fields that are missing, and the first three other problems of a validation, for a model
    that is to reply again."""
    details = error.errors(include_url=False)
    missing = [problem_of(detail) for detail in details if detail["type"] == "missing"]
    if len(missing) > 1:
        places = ", ".join(text.removesuffix(" is missing") for text in missing[:_MOST_MISSING])
        missing = [f"{places} are missing"]
    further = [problem_of(detail) for detail in details if detail["type"] != "missing"]
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
"""What pydantic says of a value, and how we say it."""

_SHOWN = 80
"""Characters of what was found that a sentence shows."""


def problem_of(item: ErrorDetails) -> str:
    """One problem of a validation in a clause; keys and passwords are blacked out."""
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
    value = redacted(json.dumps(item["input"], ensure_ascii=False, default=str), lookalikes=True)
    return f"{clause}, found {value[:_SHOWN]}"


def _field_names(kind: type[BaseModel]) -> set[str]:
    """The names of all fields of a record, and of the records in it."""
    schema = kind.model_json_schema()
    parts = (schema, *schema.get("$defs", {}).values())
    return {name for part in parts for name in part.get("properties", ())}
