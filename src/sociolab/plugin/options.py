"""Configs of commands: one pydantic model for the command line, TOML files and Python.

Fields are annotated with a `Flag`, which says how they are set on the command line:

    class Wanted(StoreAccess):
        run: Annotated[str, Flag("RUN", "RUN", "The run's name.")]
        most: Annotated[int, Flag("--most", "N", "Maximum number of rows.")] = Field(10, ge=1)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from inspect import get_annotations
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from sociolab.core.errors import ConfigError
from sociolab.core.reading import first_problem

FIRST_WORLD = "sotopia"
"""The default world."""


@dataclass(frozen=True, slots=True)
class Flag:
    """How a field is set on the command line: its flags (or, for an argument, its name in upper
    case), the placeholder of its value, and the help. Bounds and default are the field's own.

    >>> from typing import Annotated
    >>> from pydantic import BaseModel
    >>> import sociolab.plugin.api as lab
    >>> class Config(BaseModel):
    ...     rounds: Annotated[int, lab.Flag("--rounds", "N", "Number of rounds.")] = 3
    >>> Config(rounds="4").rounds
    4
    """

    flags: str
    metavar: str
    help: str


class Description(BaseModel):
    """A config that is frozen and rejects unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StoreAccess(Description):
    """The option for the store, for configs of work on one."""

    store: Annotated[
        Path | None, Flag("--store", "FILE", "The store; default: $SOCIOLAB_STORE or your own.")
    ] = None


class EndpointAccess(Description):
    """The options for models, for configs of work that calls some: endpoints and keys, concurrent
    calls, the budget in dollars, and the length of replies as a factor of what they need."""

    in_flight: Annotated[
        int | None, Flag("--in-flight", "N", "Concurrent calls to each endpoint.")
    ] = Field(default=None, ge=1)
    budget: Annotated[float | None, Flag("--budget", "USD", "Stop before this much is spent.")] = (
        Field(default=None, ge=0)
    )
    base_url: Annotated[str | None, Flag("--base-url", "URL", "Where openai/MODEL is served.")] = (
        None
    )
    key_env: Annotated[
        str | None, Flag("--key-env", "NAME", "Environment variable that holds the key.")
    ] = None
    reply_room: Annotated[
        float,
        Flag("--reply-room", "FACTOR", "Allow replies this many times their usual length."),
    ] = Field(default=1.0, gt=0, le=100, allow_inf_nan=False)
    models: Annotated[
        Path | None, Flag("--models", "FILE", "Endpoints, keys and prices; default: models.toml.")
    ] = None


class ModelAccess(StoreAccess, EndpointAccess):
    """The options for models whose replies are stored."""


def _as_text(value: object) -> object:
    """Text from what a TOML file may have in its place, as in `turns = 10`; the rest unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float | date) else value


def as_texts(value: object) -> object:
    """A single name as a tuple of one."""
    return (value,) if isinstance(value, str) else value


def _as_several(value: object) -> object:
    """Names from texts that may each hold several, separated by commas."""
    texts = as_texts(value)
    if not isinstance(texts, list | tuple):
        return value
    return tuple(name.strip() for text in texts for name in str(text).split(",") if name.strip())


def _as_filter(value: object) -> object:
    """A filter from a list of ids or tags, any of which may match."""
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    return _as_text(value)


Words = Annotated[str, BeforeValidator(_as_text)]
Name = Annotated[str, Field(min_length=1), BeforeValidator(_as_text)]
Names = Annotated[tuple[str, ...], BeforeValidator(as_texts)]
Several = Annotated[tuple[str, ...], BeforeValidator(_as_several)]
Filter = Annotated[str, BeforeValidator(_as_filter)]


Described = TypeVar("Described", bound=BaseModel)


def flags_of(model: type[BaseModel]) -> dict[str, Flag]:
    """The flags of a config by field: the class's own first, then those of its bases, and those of
    `ModelAccess` last.

    A field without a `Flag` becomes the option with its name.
    """
    flags = {
        name: next((item for item in field.metadata if isinstance(item, Flag)), None)
        or Flag(f"--{name.replace('_', '-')}", name.upper(), field.description or f"Sets {name}.")
        for name, field in model.model_fields.items()
    }
    kinds = sorted(model.__mro__, key=lambda kind: issubclass(ModelAccess, kind))
    names = dict.fromkeys(name for kind in kinds for name in get_annotations(kind))
    return {name: flags[name] for name in names if name in flags}


def checked(kind: type[Described], values: Mapping[str, Any], source: str = "") -> Described:
    """Validate a config; ConfigError names the field and the value, and says where: in this source
    or, without one, at the flag of the command."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problem = f"{source}: {first_problem(error, kind)}".removeprefix(": ")
        place, colon, rest = problem.partition(":")
        flag = flags_of(kind).get(re.sub(r"\.\d+$", "", place))  # without the number in a list
        message = f"{flag.flags.split()[0]}:{rest}" if flag and colon and not source else problem
        raise ConfigError(message) from error
