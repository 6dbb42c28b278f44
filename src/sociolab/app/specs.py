"""Specs: "scripted", "human", "python:package.module:Class", "openai/gpt-x?temperature=0.7"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.app.config import first_problem
from sociolab.core.errors import ConfigError


class ModelSettings(BaseModel):
    """What may follow a model's name after "?"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(default=None, ge=0, le=2)
    dialect: Literal["json", "plain"] = "json"
    max_tokens: int | None = Field(default=None, ge=1)


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A player or judge that goes by a name: of the world, or of a plugin."""

    label: str


@dataclass(frozen=True, slots=True)
class PythonSpec:
    """Somebody's class."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model of an endpoint."""

    label: str
    endpoint: str
    model: str
    settings: ModelSettings


def parse(text: str, role: str) -> NamedSpec | PythonSpec | ModelSpec:
    """The spec that a text is; ConfigError if it is none. `role` is for the message."""
    spec = text.strip()
    if spec.startswith("python:"):
        return PythonSpec(spec, spec.removeprefix("python:"))
    name, _, query = spec.partition("?")
    endpoint, slash, model = name.partition("/")
    if slash and endpoint and model:
        return ModelSpec(spec, endpoint, model, _settings(query, f"{role} {spec}"))
    if not spec or slash or query:
        raise ConfigError(
            f'--{role}: expected "scripted", "human", "endpoint/model" or '
            f'"python:package.module:Class", found "{text}"'
        )
    return NamedSpec(spec)


def _settings(query: str, where: str) -> ModelSettings:
    if not query:
        return ModelSettings()
    try:
        return ModelSettings.model_validate(dict(parse_qsl(query, strict_parsing=True)))
    except ValidationError as error:
        raise ConfigError(f"--{where}: {first_problem(error)}") from error
    except ValueError as error:
        raise ConfigError(f"--{where}: expected name=value after the question mark") from error
