"""JSON-lines files as typed rows; whatever is wrong with a line is told in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError


class RawRow(BaseModel):
    """A row as it stands in a file of somebody else's: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Placed(Generic[R]):
    """A row, and the file and line that it stands on."""

    place: str
    row: R


def rows(path: Path, kind: type[R]) -> tuple[Placed[R], ...]:
    """The rows of a JSON-lines file; blank lines are skipped.

    ConfigError, with file and line, where a line is not JSON or not such a row.
    """
    found = []
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            found.append(Placed(place, record(place, kind, _json(place, line))))
    return tuple(found)


def document(path: Path) -> object:
    """A file that is one JSON value; ConfigError where it is not."""
    return _json(str(path), file_text(path))


def record(place: str, kind: type[R], fields: object) -> R:
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{place}: {_problem(error)}") from error


def _problem(error: ValidationError) -> str:
    """The first thing that does not fit, in words that name no class of ours."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    found = str(first["input"])[:80]
    if not field:
        return f"expected a JSON object, found {found!r}"
    if first["type"] == "missing":
        return f"{field} is missing"
    return f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}, found {found!r}"


def by_id(items: Iterable[tuple[str, str, R]], what: str) -> dict[str, R]:
    """Records by id, from (place, id, record); ConfigError where an id comes twice."""
    found: dict[str, R] = {}
    for place, key, item in items:
        if key in found:
            raise ConfigError(f"{place}: the {what} {key} comes a second time; remove one of them")
        found[key] = item
    return found


def known(place: str, key: str, among: Mapping[str, R], what: str) -> R:
    """The record of this id; ConfigError where there is none."""
    try:
        return among[key]
    except KeyError:
        raise ConfigError(f"{place}: there is no {what} with the id {key!r}") from None


def file_text(path: Path) -> str:
    """A file as text, without a byte order mark; ConfigError where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"expected the file {path}, and there is none") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as UTF-8 text ({error})") from error


def _json(place: str, text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{place}: expected JSON, found {text.strip()[:60]!r} ({error.msg} at "
            f"character {error.pos + 1}); mend or remove it"
        ) from error
