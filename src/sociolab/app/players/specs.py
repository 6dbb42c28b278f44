"""Specs: "scripted", "human", "python:package.module:Class", "openai/gpt-x?temperature=0.7"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from pydantic import ValidationError

from sociolab.app.user_files import first_problem
from sociolab.core.errors import ConfigError
from sociolab.models.sampling import Sampling

HUMAN = "human"
"""The agent that is a person, who may take as long as they like."""


class ModelSettings(Sampling):
    """What may follow a model's name after "?": options, and the form of its replies."""

    dialect: Literal["json", "plain"] = "json"


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A player or judge that goes by a name: of the world, or of a plugin."""

    label: str


@dataclass(frozen=True, slots=True)
class PythonSpec:
    """Somebody's class; `arguments` are for its constructor, as written."""

    label: str
    path: str
    arguments: tuple[tuple[str, str], ...] = ()


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
        path, _, query = spec.removeprefix("python:").partition("?")
        given = _given(query, f"{role} {spec}")
        return PythonSpec(spec, path, tuple(given.items()))
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
    try:
        return ModelSettings.model_validate(_values(query, where))
    except ValidationError as error:
        raise ConfigError(f"--{where}: {first_problem(error)}{_fields(error)}") from error


def _values(query: str, where: str) -> dict[str, object]:
    """What is given; of all texts to stop at, a tuple."""
    given: dict[str, object] = dict(_given(query, where, several="stop"))
    if "stop" in given:
        given["stop"] = tuple(value for name, value in _pairs(query, where) if name == "stop")
    return given


def _given(query: str, where: str, several: str = "") -> dict[str, str]:
    """Values by name; ConfigError for a name that is given twice, but for `several`."""
    given: dict[str, str] = {}
    for name, value in _pairs(query, where):
        if name in given and name != several:
            raise ConfigError(f'--{where}: "{name}" is given twice')
        given[name] = value
    return given


def _pairs(query: str, where: str) -> list[tuple[str, str]]:
    if not query:
        return []
    try:
        return parse_qsl(query, strict_parsing=True, keep_blank_values=True)
    except ValueError as error:
        raise ConfigError(f"--{where}: expected name=value after the question mark") from error


def _fields(error: ValidationError) -> str:
    """What there is, where a name is unknown."""
    if error.errors(include_url=False)[0]["type"] != "extra_forbidden":
        return ""
    known = ", ".join(ModelSettings.model_fields)
    return f" (there are: {known}; what else a server takes stands in models.toml, under extra)"
