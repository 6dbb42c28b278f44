"""The form of an answer as docs/agents.md writes it, and the forms of the records inside it."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel


def answer_form(kind: type[BaseModel]) -> str:
    """Such as "Said(text: str, ends: bool)"."""
    fields = (f"{name}: {_form(hint)}" for name, hint in _hints(kind))
    return f"{kind.__name__}({', '.join(fields)})"


def inner(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The records that an answer holds, at any depth."""
    for _, hint in _hints(kind):
        for one in _records(hint):
            yield one
            yield from inner(one)


def _hints(kind: type[BaseModel]) -> list[tuple[str, Any]]:
    asked = kind.model_json_schema(by_alias=False)["properties"]
    return [(name, kind.model_fields[name].annotation) for name in asked]


def _form(hint: Any) -> str:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _form(args[0])
    if origin is Literal:
        return " or ".join(f'"{value}"' for value in args)
    if origin in (tuple, list):
        assert origin is list or args[1:] == (...,)
        return f"{origin.__name__}[{_form(args[0])}]"
    if origin in (Union, UnionType):
        return " or ".join(_form(one) for one in args)
    if hint is NoneType:
        return "None"
    return str(hint.__name__)


def _records(hint: Any) -> Iterator[type[BaseModel]]:
    if isinstance(hint, type) and not get_args(hint) and issubclass(hint, BaseModel):
        yield hint
    for one in get_args(hint):
        yield from _records(one)
