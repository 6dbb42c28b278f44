"""Anthropic's Messages API on the local endpoint, by way of a chat completion.

Requests are checked as the API does, and replies and errors take its form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sociolab.core.ports import Prompt
from sociolab.endpoint.chat import ChatBody, RefusalError, bad_request, build_chat, request_key
from sociolab.models.wire import write_choice, write_message as write_chat_message, write_tool
from sociolab.protocols import messages
from sociolab.protocols.request import read_number, read_record

_KNOWN = frozenset(
    ("model", "messages", "max_tokens", "system", "temperature", "top_p", "top_k",
     "stop_sequences", "metadata", "thinking", "output_config", "output_format",
     "stream", "tools", "tool_choice")
)  # fmt: skip
_UNKNOWN_TO_SCHEMAS = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
     "maxLength", "pattern", "maxItems", "uniqueItems", "prefixItems", "minProperties",
     "maxProperties")
)  # fmt: skip
_KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error",
          529: "overloaded_error"}  # fmt: skip


def read_message(raw: bytes, seed: int = 0, call: str = "") -> ChatBody:
    """Parse a request into that of a chat completion; RefusalError (400) if it is invalid.

    Its field `thinks` says whether the reply should hold thoughts.
    """
    try:
        fields = json.loads(raw)
    except ValueError:
        raise bad_request("The request body is not valid JSON.") from None
    if not isinstance(fields, dict):
        raise bad_request("The request body must be a JSON object.")
    for name in fields.keys() - _KNOWN:
        raise bad_request(f"{name}: Extra inputs are not permitted")
    most, temperature = fields.get("max_tokens"), read_number(fields, "temperature")
    if type(most) is not int or most < 1:
        raise bad_request("max_tokens: Field required, a positive integer")
    if temperature is not None and not 0 <= temperature <= 1:
        raise bad_request("temperature: range: 0..1")
    thinks = _read_thinking(read_record(fields, "thinking"), most)
    if thinks and temperature not in (None, 1):
        raise bad_request("`temperature` may only be set to 1 when thinking is enabled.")
    rows = fields.get("messages")
    roles = [row.get("role") for row in rows or () if isinstance(row, dict) and row.get("content")]
    if not rows or len(roles) < len(rows) or roles[0] != "user" or {*roles} - {"user", "assistant"}:
        raise bad_request("messages: expected turns of user and assistant with text, user first")
    read = _read_parts(fields)
    chat: dict[str, Any] = {
        "model": fields.get("model"),
        "messages": [write_chat_message(message) for message in read.messages],
        "max_tokens": most,
        "thinks": thinks,
        "stream": bool(fields.get("stream")),
    }
    if read.tools:
        chat["tools"] = [write_tool(tool) for tool in read.tools]
        chat["tool_choice"] = write_choice(read.tool_choice)
    if temperature is not None:
        chat["temperature"] = temperature
    form = read_record(fields, "output_config").get("format", fields.get("output_format"))
    if form is not None:
        chat["response_format"] = _response_format(form)
    return build_chat(chat, request_key(raw, seed, call if temperature != 0 else ""))


def _read_parts(fields: Mapping[str, Any]) -> Prompt:
    """The messages and tools; InvalidRequestError if they are invalid."""
    parts = {name: fields[name] for name in _PARTS if name in fields}
    return messages.read(json.dumps(parts).encode(), limited=False).prompt


_PARTS = ("model", "messages", "system", "tools", "tool_choice")


def _read_thinking(thinking: Mapping[str, Any], most: int) -> bool:
    """Whether thinking is on; RefusalError (400) for an invalid option."""
    kind = thinking.get("type", "disabled")
    if kind == "enabled":
        budget = thinking.get("budget_tokens")
        if type(budget) is not int or budget < 1024:
            raise bad_request("thinking.enabled.budget_tokens: Input should be at least 1024")
        if budget >= most:
            raise bad_request("`max_tokens` must be greater than `thinking.budget_tokens`.")
    elif kind not in ("adaptive", "disabled"):
        raise bad_request("thinking.type: expected enabled, adaptive or disabled")
    return bool(kind != "disabled")


def _response_format(form: Any) -> dict[str, Any]:
    """The format of a chat completion; RefusalError (400) for schema keywords the API lacks."""
    schema = form.get("schema") if isinstance(form, dict) else None
    for node in _subschemas(schema):
        unknown = sorted(node.keys() & _UNKNOWN_TO_SCHEMAS)
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            unknown.append("an object whose additionalProperties are not false")
        if unknown:
            raise bad_request(f"output_config.format.schema: {', '.join(unknown)} not supported")
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


def _subschemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and all schemas in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name in ("properties", "$defs"):
        for inner in schema.get(name, {}).values():
            yield from _subschemas(inner)
    for inner in (schema.get("items"), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _subschemas(inner)


def message_refusal(refusal: RefusalError) -> RefusalError:
    """The refusal in this API's form; a server error (500) becomes "overloaded" (529)."""
    status = 529 if refusal.status == 500 else refusal.status
    reason = "Overloaded" if status == 529 else str(refusal)
    answer = RefusalError(status, reason, headers=refusal.headers)
    kind = _KINDS.get(status, "invalid_request_error")
    answer.body = json.dumps({"type": "error", "error": {"type": kind, "message": reason}}).encode()
    return answer
