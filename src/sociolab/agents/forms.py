"""A question with a typed answer as a form for people, on a page or in a terminal."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from sociolab.core.ports import FieldWording, Question, Wording

FieldKind = Literal["radio", "choice", "line", "lines", "text", "number", "check", "json"]


class FormField(BaseModel):
    """One field of a form.

    "radio": one of `choices`, labelled by `words`; "line": a line of the conversation, or empty;
    "lines": a list of texts, one per line; "json": anything else, as JSON. An empty answer is null
    if the field is `nullable`. `only_if` names another field, and its values for which this one is
    asked.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    label: str
    hint: str = ""
    kind: FieldKind
    required: bool
    nullable: bool = False
    whole: bool = False
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    only_if: tuple[str, tuple[str, ...]] | None = None


def fields_of(question: Question) -> tuple[FormField, ...]:
    """The fields of an answer in order: their types from its JSON schema, their texts from the
    question's wording if it has one.

    >>> from pydantic import BaseModel, Field
    >>> from sociolab.agents import Question, fields_of
    >>> class Mood(BaseModel):
    ...     happy: int = Field(ge=0, le=10)
    >>> (field,) = fields_of(Question("mood", "How happy are you?", Mood))
    >>> field.label, field.kind, field.low, field.high
    ('Happy', 'number', 0.0, 10.0)
    """
    return fields_of_type(question.reply, question.wording)


def fields_of_type(kind: type[BaseModel], wording: Wording | None = None) -> tuple[FormField, ...]:
    """The fields of a type in order, such as those of an action."""
    schema = kind.model_json_schema()
    required = schema.get("required", ())
    worded = {field.name: field for field in wording.fields} if wording else {}
    return tuple(
        _apply_wording(_build_field(name, field_schema, name in required), worded.get(name))
        for name, field_schema in schema.get("properties", {}).items()
    )


def value_hint(field: FormField) -> str:
    """The expected value of a field, and its meaning: "whole number from 0 to 10 (how you
    feel)"."""
    expected = {
        "number": "whole number" if field.whole else "number",
        "check": "true or false",
        "lines": "list of texts",
        "json": "JSON",
    }.get(field.kind, "text")
    if field.choices:
        expected = f"one of {', '.join(field.choices)}"
    low, high = (None if bound is None else f"{bound:g}" for bound in (field.low, field.high))
    if low and high:
        expected += f" from {low} to {high}"
    elif low or high:
        expected += f" of at least {low}" if low else f" of at most {high}"
    expected += ", or null" if field.nullable else ""
    return f"{expected} ({field.hint})" if field.hint else expected


def _build_field(name: str, schema: dict[str, Any], required: bool) -> FormField:
    hint, nullable = str(schema.get("description", "")), False
    match schema.get("anyOf"):
        case [dict() as inner, {"type": "null"}]:
            schema, required, nullable = inner, False, True
    kind = _field_kind(schema)
    return FormField(
        name=name,
        label=name.replace("_", " ").capitalize(),
        hint=hint,
        kind=kind,
        # A list may be empty, and so may a text unless the type asks for a letter.
        required=required and (kind not in ("lines", "text") or "minLength" in schema),
        nullable=nullable,
        whole=schema.get("type") == "integer",
        low=schema.get("minimum"),
        high=schema.get("maximum"),
        choices=tuple(map(str, schema.get("enum", ()))),
    )


def _apply_wording(field: FormField, wording: FieldWording | None) -> FormField:
    if wording is None:
        return field
    changes: dict[str, Any] = {"label": wording.label, "hint": wording.hint}
    if wording.choices:
        values, words = zip(*wording.choices, strict=True)
        changes |= {"kind": "radio", "choices": values, "words": words}
    if wording.is_line:
        changes["kind"] = "line"
    if wording.only_if is not None:
        changes |= {"only_if": wording.only_if, "required": field.required or field.nullable}
    return field.model_copy(update=changes)


def _field_kind(schema: dict[str, Any]) -> FieldKind:
    match schema:
        case {"enum": [*values]} if all(isinstance(value, str) for value in values):
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
