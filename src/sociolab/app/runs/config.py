"""A run as its user describes it: by flags, by a TOML file, or in Python."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sociolab.app.user_files import first_problem
from sociolab.core.errors import ConfigError


def _as_text(value: object) -> object:
    """What a person wrote where words are meant, such as `turns = 10`; the rest as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float | date) else value


def _as_texts(value: object) -> object:
    """One name where several may be given."""
    return (value,) if isinstance(value, str) else value


def _as_filter(value: object) -> object:
    """A list of ids or tags: any of them."""
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    return _as_text(value)


Words = Annotated[str, BeforeValidator(_as_text)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_as_text)]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_texts)]
Filter = Annotated[str, BeforeValidator(_as_filter)]


class RunConfig(BaseModel):
    """What to play, who plays, who judges, and within which limits.

    `agents` without a `partner` play each other in every ordered pair; with one, each plays it in
    both seats. `judges` empty: the heuristic judge where all play offline; a model's run must name
    its judge. `readers` are models that read off each transcript what was agreed, where a goal has
    a formula. `settings` are the world's own. `in_flight` bounds the calls to each endpoint,
    `episodes` the episodes under way. A trial in which a seat failed more than `max_failed_turns`
    of its turns counts as failed (a share from 0 to 1; 1 switches this off). `agent_timeout` is how
    many seconds an agent of one's own class may take to reply (None: 600) and, where it is given, a
    person too. `tags` are words to find the run by.

    One name may stand where several are meant, and a number or a boolean where words are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    world: str = "sotopia"
    agents: Names = Field(default=("scripted",), min_length=1)
    partner: Name | None = None
    judges: Names = ()
    readers: Names = ()
    data: Name | None = None
    settings: dict[str, Words] = Field(default_factory=dict)
    tasks: Filter | None = None
    limit: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=1, ge=1, le=10_000)
    seed: int = 0
    attempts: int = Field(default=3, ge=1)
    on_failed_turn: Literal["skip", "stop"] = "skip"
    max_failed_turns: float = Field(default=0.5, ge=0, le=1, allow_inf_nan=False)
    agent_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    name: Name | None = None
    tags: Annotated[tuple[Name, ...], BeforeValidator(_as_texts)] = ()
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
        meant = _meant(error, RunConfig.model_fields)
        raise ConfigError(f"{source}: {first_problem(error)}{meant}") from error


def _meant(error: ValidationError, fields: Collection[str]) -> str:
    """Where a field is none, those that it may stand for; all of them where none is like it."""
    item = error.errors(include_url=False)[0]
    if item["type"] != "extra_forbidden":
        return ""
    from difflib import get_close_matches

    found = str(item["loc"][-1]).casefold().replace("-", "_")
    like = get_close_matches(found, fields, 3)
    return f"; the nearest: {', '.join(like)}" if like else f"; there are {', '.join(fields)}"
