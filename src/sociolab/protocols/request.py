"""A request for a reply, whatever API it came by, and the sentence for one that cannot be met."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sociolab.core.ports import Message, Prompt, Schema, ToolDefinition


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A prompt, the name of the model that was asked for, and whether the reply is streamed."""

    model: str
    prompt: Prompt
    stream: bool = False
    stream_usage: bool = True


class InvalidRequestError(Exception):
    """A request that is malformed, or asks for what is not offered: in one sentence, with the name
    of the parameter."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


def read_object(raw: bytes) -> dict[str, Any]:
    """The fields of a body; InvalidRequestError unless it is a JSON object."""
    try:
        fields = json.loads(raw)
    except ValueError:
        raise InvalidRequestError("expected a body of JSON, found something else", "body") from None
    if not isinstance(fields, dict):
        raise InvalidRequestError("expected a JSON object as the body", "body")
    return fields


def read_record(fields: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object, empty where it is left out."""
    value = fields.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidRequestError(f"expected an object, found {value!r:.40}", name)
    return value


def read_list(fields: Mapping[str, Any], name: str) -> list[Any]:
    """A list, empty where it is left out."""
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise InvalidRequestError(f"expected a list, found {value!r:.40}", name)
    return value


def check_names(
    fields: Mapping[str, Any], known: frozenset[str], without: Mapping[str, str]
) -> None:
    """InvalidRequestError for a parameter that is not known, and for one of `without` (by name, why
    it is not offered) that asks for anything."""
    for name, value in fields.items():
        if name in without and value not in (None, False, "", [], {}):
            raise InvalidRequestError(f"{name} is not offered here: {without[name]}", name)
        if name not in known and name not in without:
            raise InvalidRequestError(f'there is no parameter "{name}" here; leave it out', name)


def read_model(fields: Mapping[str, Any]) -> str:
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidRequestError("expected the name of a model", "model")
    return model


def read_number(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise InvalidRequestError(f"expected a number, found {value!r:.40}", name)


def read_limit(fields: Mapping[str, Any], *names: str) -> int | None:
    """The first token limit that is given; InvalidRequestError unless it is a positive integer."""
    for name in names:
        value = fields.get(name)
        if value is None:
            continue
        if type(value) is not int or value < 1:
            raise InvalidRequestError(f"expected a positive integer, found {value!r:.40}", name)
        return value
    return None


def read_options(
    fields: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The parameters that are sent on as they are, by the names that chat completions have for
    them, with their values as JSON."""
    return tuple(
        (ours, json.dumps(fields[theirs]))
        for theirs, ours in names.items()
        if fields.get(theirs) is not None
    )


def make_tool(name: str, row: Mapping[str, Any], parameters: Any) -> ToolDefinition:
    """A tool with the description and the strictness of this row."""
    strict = row.get("strict")
    if not isinstance(strict, bool | None):
        raise InvalidRequestError(
            f"expected strict as true or false, found {strict!r:.40}", "tools"
        )
    return ToolDefinition(name, row.get("description") or "", json.dumps(parameters), strict)


def read_schema(name: Any, schema: Any, param: str) -> Schema:
    if not isinstance(schema, dict):
        raise InvalidRequestError("expected a JSON schema", param)
    return Schema(name if isinstance(name, str) and name else "reply", json.dumps(schema))


def read_parts(content: Any, kinds: tuple[str, ...], param: str) -> str:
    """The text of a content: a string, or a list of parts of these kinds, which hold text."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise InvalidRequestError("expected a text or a list of parts", param)
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in kinds or not isinstance(part.get("text"), str):
            raise InvalidRequestError(
                f"expected parts of text, found {kind or part!r:.40}; only text passes here", param
            )
        texts.append(part["text"])
    return "".join(texts)


def check_messages(messages: list[Message], param: str) -> tuple[Message, ...]:
    if not messages:
        raise InvalidRequestError("expected at least one message", param)
    return tuple(messages)
