"""A question with a typed answer as a form: its fields, read off the answer's JSON schema."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

FieldKind = Literal["lines", "text", "number", "choice", "check", "json"]


class FormField(BaseModel):
    """One field of a form. "lines": a list of texts, one a line; "json": anything else, as JSON."""

    model_config = ConfigDict(frozen=True)

    name: str
    label: str
    hint: str = ""
    kind: FieldKind
    required: bool
    whole: bool = False
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


def fields_of(reply: type[BaseModel]) -> tuple[FormField, ...]:
    """The fields of an answer, in order."""
    schema = reply.model_json_schema()
    wanted = schema.get("required", ())
    return tuple(
        _field(name, one, name in wanted) for name, one in schema.get("properties", {}).items()
    )


def _field(name: str, schema: dict[str, Any], required: bool) -> FormField:
    hint = str(schema.get("description", ""))
    match schema.get("anyOf"):
        case [dict() as inner, {"type": "null"}]:
            schema, required = inner, False
    kind = _kind(schema)
    return FormField(
        name=name,
        label=name.replace("_", " ").capitalize(),
        hint=hint,
        kind=kind,
        # A list may be empty, and so may a text unless the type asks for a letter.
        required=required and (kind not in ("lines", "text") or "minLength" in schema),
        whole=schema.get("type") == "integer",
        low=schema.get("minimum"),
        high=schema.get("maximum"),
        choices=tuple(map(str, schema.get("enum", ()))),
    )


def _kind(schema: dict[str, Any]) -> FieldKind:
    match schema:
        case {"enum": [*values]} if all(isinstance(one, str) for one in values):
            return "choice"
        case {"type": "array", "items": {"type": "string"}}:
            return "lines"
        case {"type": "string"}:
            return "text"
        case {"type": "integer" | "number"}:
            return "number"
        case {"type": "boolean"}:
            return "check"
        case _:
            return "json"
