"""A TOML file with a plan drawn in signs, and where its lines are."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sociolab.core.errors import ConfigError

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
ArenaSign = Annotated[str, StringConstraints(pattern="^[a-z]$")]
ObjectSign = Annotated[str, StringConstraints(pattern="^[A-Z0-9]$")]


class Drawn(BaseModel):
    """What every file with a plan has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: str


class TownFile(Drawn):
    """`town.toml`: the land, one sign of the ground a tile."""

    name: Words


class BuildingFile(Drawn):
    """A file of `buildings`: one sector.

    `at`: column and row of the town at which the plan's top left tile is put. `arenas`: a small
    letter for each arena. `objects`: a capital letter or digit for each kind of object.
    """

    sector: Words
    at: tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]
    arenas: dict[ArenaSign, Words] = Field(min_length=1)
    objects: dict[ObjectSign, Words] = Field(default_factory=dict)


Content = TypeVar("Content", bound=Drawn)


@dataclass(frozen=True, slots=True)
class Drawing(Generic[Content]):
    """A file as read: its content, the rows of its plan, and its text, to name lines."""

    path: Path
    content: Content
    rows: tuple[str, ...]
    text: str

    def where(self, key: str) -> str:
        """File and line of a key or table, for messages; the file alone where it is not found."""
        name = re.escape(key)
        form = rf'^[ \t]*(?:"?{name}"?[ \t]*=|\[{name}\])'
        found = re.search(form, self.text, re.MULTILINE)
        return _line(self.path, self.text.count("\n", 0, found.start()) + 1 if found else None)

    def where_row(self, row: int) -> str:
        """File and line of a row of the plan, counted from 0."""
        found = re.search(r"^[ \t]*plan[ \t]*=[ \t]*['\"]{3}\n", self.text, re.MULTILINE)
        start = self.text.count("\n", 0, found.end()) + 1 if found else None
        return _line(self.path, start + row if start else None)


def read_drawing(path: Path, shape: type[Content]) -> Drawing[Content]:
    """A file with a plan; ConfigError with file and line where it cannot be read."""
    try:
        text = path.read_text("utf-8")
        content = shape.model_validate(tomllib.loads(text))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    except ValidationError as error:
        raise ConfigError(_first_problem(path, text, error)) from error
    rows = tuple(content.plan.rstrip("\n").split("\n"))
    if not content.plan.strip():
        raise ConfigError(f"{path}: the plan is empty: draw at least one tile.")
    return Drawing(path, content, rows, text)


def _first_problem(path: Path, text: str, error: ValidationError) -> str:
    """Where, what was expected, what was found, in one sentence."""
    item = error.errors(include_url=False)[0]
    keys = [str(part) for part in item["loc"] if part != "[key]"]
    found = Drawing(path, Drawn(plan=""), (), text)
    where = found.where(keys[-1])
    for key in reversed(keys):
        where = found.where(key)
        if where != str(path):
            break
    name = ".".join(keys)
    if item["type"] == "extra_forbidden":
        return f'{where}: "{name}" is no field of this file: check its spelling.'
    if item["type"] == "missing":
        return f'{where}: the field "{name}" is missing: add it.'
    message = item["msg"][:1].lower() + item["msg"][1:]
    return f"{where}: {name}: {message}, found {item['input']!r}."


def _line(path: Path, line: int | None) -> str:
    return str(path) if line is None else f"{path}, line {line}"
