"""What a person types for a question with a typed answer, to that answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sociolab.core.errors import ReplyError


def typed_answer(line: str, kind: type[BaseModel]) -> BaseModel:
    """The answer in a line of JSON; ReplyError says what is wrong with it."""
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise ReplyError(_first_problem(error), raw=line) from error


def typed_fields(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields that people are asked for, by their names in JSON: those of the JSON schema."""
    asked = kind.model_json_schema().get("properties", {})
    named = {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in kind.model_fields.items()
    }
    return {name: field for name, field in named.items() if name in asked}


def chosen(line: str, values: Sequence[str]) -> str:
    """The value that a line names, or whose number it is, from 1; ReplyError if there is none."""
    named = [value for value in values if value.casefold() == line.casefold()]
    if named:
        return named[0]
    if line.isdecimal() and 1 <= int(line) <= len(values):
        return values[int(line) - 1]
    raise ReplyError(f'expected a number from 1 to {len(values)}, found "{line}"', raw=line)


def typed_field(line: str, field: FieldInfo) -> Any:
    """The value of one field: the line as it is, or what it says as JSON.

    An empty line takes the default, where there is one. ReplyError says what is wrong.
    """
    if not line and not field.is_required():
        return field.get_default(call_default_factory=True)
    adapter = _adapter(field)
    problem: ValidationError | None = None
    for value in _readings(line):
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            problem = problem or error
    assert problem is not None
    raise ReplyError(_first_problem(problem), raw=line)


def field_hint(name: str, field: FieldInfo) -> str:
    """What is asked for: the field's name, its meaning if it has one, and its type."""
    schema = _adapter(field).json_schema()
    wanted = "one of " + ", ".join(map(str, schema["enum"])) if "enum" in schema else ""
    wanted = wanted or str(schema.get("type", "JSON"))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        wanted += f" from {low} to {high}"
    meaning = f", {field.description}" if field.description else ""
    default = "" if field.is_required() else "; Enter: the default"
    return f"{name}{meaning} ({wanted}{default})"


def _adapter(field: FieldInfo) -> TypeAdapter[Any]:
    kind: Any = cast("Any", Annotated[field.annotation, field])
    return TypeAdapter(kind)


def _readings(line: str) -> list[Any]:
    try:
        return [line, json.loads(line)]
    except ValueError:
        return [line]


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
