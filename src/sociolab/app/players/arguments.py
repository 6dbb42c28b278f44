"""Arguments of somebody's class: the text behind "python:module:Class?" as the types it wants."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from inspect import Parameter
from typing import Any, get_type_hints

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from sociolab.app.players.specs import PythonSpec
from sociolab.app.user_files import first_problem
from sociolab.core.errors import ConfigError

MODELS = "models"
"""The parameter of a constructor that is given a client for chat models."""


def wants_models(made: Any) -> bool:
    """Whether a class has a constructor with a parameter for chat models."""
    return isinstance(made, type) and MODELS in _parameters(made)


def keyword_arguments(spec: PythonSpec, made: Any) -> dict[str, Any]:
    """What a class is made with, of the types that its constructor names; ConfigError where a name
    or a value does not fit.

    A parameter without a type takes a number, true or false for what it looks like, else text.
    """
    if not spec.arguments:
        return {}
    if not isinstance(made, type):
        raise ConfigError(f'"{spec.label}" names an object, not a class: it takes no arguments')
    known, hints = _parameters(made), _hints(made)
    names = [name for name in known if name != MODELS and not _is_rest(known[name])]
    open_ended = any(one.kind is Parameter.VAR_KEYWORD for one in known.values())
    given: dict[str, Any] = {}
    for name, text in spec.arguments:
        if name not in names and (name == MODELS or not open_ended):
            raise ConfigError(
                f'"{spec.label}": its constructor takes no "{name}"; '
                f"it takes {', '.join(names) or 'nothing'}"
            )
        given[name] = _typed(f'"{spec.label}": {name}', text, hints.get(name, Any))
    return given


def _parameters(made: type) -> dict[str, Parameter]:
    try:
        return dict(inspect.signature(made).parameters)
    except (TypeError, ValueError):  # a constructor without a signature
        return {}


def _is_rest(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)


def _hints(made: type) -> dict[str, Any]:
    make: Callable[..., Any] = made.__init__  # type: ignore[misc]  # that of this very class
    try:
        return get_type_hints(make)
    except (NameError, TypeError):  # names that only a type checker sees
        return {}


def _typed(where: str, text: str, wanted: Any) -> Any:
    if wanted is Any:
        return _as_it_looks(text)
    try:
        adapter = TypeAdapter(wanted)
    except PydanticUserError as error:
        raise ConfigError(f"{where}: no text can be made a {wanted}") from error
    try:
        return adapter.validate_strings(text)
    except ValidationError as error:
        try:
            return adapter.validate_json(text)
        except ValidationError:
            problem = first_problem(error).removeprefix("the file: ")
            raise ConfigError(f"{where}: {problem}") from error


def _as_it_looks(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return _number(text)
    return value if isinstance(value, bool | int | float) else text


def _number(text: str) -> float | str:
    """Such as ".5", which is no JSON."""
    try:
        return float(text) if text[:1] in ".-+" and text[-1:].isdigit() else text
    except ValueError:
        return text
