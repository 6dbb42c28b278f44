"""A run as its user describes it: by flags, by a TOML file, or in Python."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.core.errors import ConfigError


class RunConfig(BaseModel):
    """What to play, who plays, who judges, and within which limits.

    `agents` without a `partner` play each other in every ordered pair; with one, each plays it in
    both seats. `judges` empty: the heuristic judge where all play offline; a model's run must name
    its judge. `settings` are the world's own. `in_flight` bounds the calls to each endpoint,
    `episodes` the episodes under way. `agent_timeout` is how many seconds an agent of one's own
    class may take to reply (None: 600) and, where it is given, a person too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    world: str = "sotopia"
    agents: tuple[str, ...] = Field(default=("scripted",), min_length=1)
    partner: str | None = None
    judges: tuple[str, ...] = ()
    data: str | None = None
    settings: dict[str, str] = Field(default_factory=dict)
    tasks: str | None = None
    limit: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=1, ge=1, le=10_000)
    seed: int = 0
    attempts: int = Field(default=3, ge=1)
    on_failed_turn: Literal["skip", "stop"] = "skip"
    agent_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    name: str | None = None
    store: Path | None = None
    in_flight: int | None = Field(default=None, ge=1)
    episodes: int = Field(default=512, ge=1)
    budget: float | None = Field(default=None, ge=0)
    base_url: str | None = None
    key_env: str | None = None
    models: Path | None = None


def config_of(values: dict[str, Any], source: str) -> RunConfig:
    """A checked description; ConfigError names the field, what was found and where."""
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{source}: {first_problem(error)}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; ConfigError with the line where it is broken."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def first_problem(error: ValidationError) -> str:
    """The first problem of a validation in one clause: where, what was expected, what was found."""
    item = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in item["loc"]) or "the file"
    if item["type"] == "extra_forbidden":
        return f'"{place}" is no field; check its spelling'
    return f"{place}: {item['msg'][:1].lower()}{item['msg'][1:]}, found {item['input']!r}"
