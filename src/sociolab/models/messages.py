"""Anthropic's Messages API: its wire format, over the connections of `chat`.

It is documented at platform.claude.com/docs/en/api/messages, as of November 2026; tests check it
with the types of Anthropic's own client.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Message, Prompt, ToolCall, ToolDefinition, Usage
from sociolab.models.budget import BYTES_A_TOKEN, size_of, validate_usage
from sociolab.models.chat import Endpoint
from sociolab.models.config import EndpointSpec
from sociolab.models.meaning import (
    get_part,
    malformed_error,
    parse_body,
    raise_error_inside,
    read_finish,
    read_lesson,
)
from sociolab.models.wire import (
    ROOM_FOR_THOUGHTS,
    Dialect,
    Quirks,
    append_schema,
    check_thoughts,
    encode_body,
    read_count,
    read_served,
    read_tool_calls,
    read_usage_with,
)

VERSION = "2023-06-01"
"""The later version, 2026-10-21, takes no temperature for any model, while judges run at 0.
`headers` in models.toml may name it; then no temperature is sent."""

SMALLEST_CACHED = 1_024
"""Tokens: no model of Anthropic's caches a shorter prefix. For some the limit is 2,048 or 4,096;
below it, a mark changes nothing and costs nothing."""


def endpoint(spec: EndpointSpec) -> Endpoint:
    """Anthropic, or any other server of its Messages API at `base_url` + "/messages"."""
    return Endpoint(spec, MESSAGES)


def message_body(model: str, prompt: Prompt, quirks: Quirks, options: Mapping[str, Any]) -> bytes:
    """The request body.

    The system prompt, which stays the same from call to call, is marked for the provider's cache
    where it is long enough. A model that thinks gets no temperature, and, where no `max_tokens` is
    set, room for its thoughts beside its reply. ModelError (fatal) for what no server would accept.
    """
    sent = {name: json.loads(value) for name, value in prompt.options} | dict(options)
    thinking, config = _thinking(sent.pop("thinking", None)), sent.pop("output_config", {})
    if (effort := sent.pop("reasoning_effort", None)) is not None:
        config = {**config, "effort": effort}
    if (stop := sent.pop("stop", None)) is not None:
        sent["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    messages = prompt.messages
    if prompt.schema is not None:
        if quirks.takes_schema and (form := format_of(prompt.schema.text)) is not None:
            config = {**config, "format": form}
        elif not prompt.schema.in_prompt:
            messages = append_schema(messages, prompt.schema.text)
    budget = thinking.get("budget_tokens", 0)
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": cap_of(prompt, quirks, options),
    }
    if body["max_tokens"] <= budget:
        raise _refused(f"max_tokens = {prompt.max_tokens} to be more than thinking = {budget}")
    head = [{"type": "text", "text": m.text} for m in messages if m.role == "system"]
    if sum(size_of(block["text"]) for block in head) >= SMALLEST_CACHED * BYTES_A_TOKEN:
        head[-1] |= {"cache_control": {"type": "ephemeral"}}  # type: ignore[dict-item]
    if head:
        body["system"] = head
    body["messages"] = [_write_message(each) for each in messages if each.role != "system"]
    if prompt.tools:
        body["tools"] = [_write_tool(tool) for tool in prompt.tools]
        body["tool_choice"] = _write_choice(prompt.tool_choice)
        if sent.pop("parallel_tool_calls", True) is False:
            body["tool_choice"]["disable_parallel_tool_use"] = True
    thinks = thinking.get("type") in ("enabled", "adaptive")
    if prompt.temperature is not None and quirks.takes_temperature and not thinks:
        if prompt.temperature > 1:
            raise _refused(f"a temperature from 0 to 1, found {prompt.temperature:g}")
        body["temperature"] = prompt.temperature
    if thinking:
        body["thinking"] = thinking
    if config:
        body["output_config"] = config
    return encode_body({**body, **sent})


def _write_message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.answers, "content": message.text}
        return {"role": "user", "content": [result]}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
    blocks += [
        {"type": _CALL, "id": call.id, "name": call.name, "input": _read_input(call.arguments)}
        for call in message.calls
    ]
    return {"role": message.role, "content": blocks}


def _read_input(arguments: str) -> Any:
    """The arguments of a call as this API has them: an object, empty where they are broken."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _write_tool(tool: ToolDefinition) -> dict[str, Any]:
    row = {"name": tool.name, "input_schema": json.loads(tool.parameters)}
    if tool.strict is not None:
        row["strict"] = tool.strict
    return row | ({"description": tool.description} if tool.description else {})


def _write_choice(choice: str) -> dict[str, Any]:
    kinds = {"auto": "auto", "none": "none", "required": "any"}
    return {"type": kinds[choice]} if choice in kinds else {"type": "tool", "name": choice}


def cap_of(prompt: Prompt, quirks: Quirks, options: Mapping[str, Any]) -> int:
    """The token limit, thoughts included, which the API requires for every reply."""
    if prompt.max_tokens is not None:
        return prompt.max_tokens
    needs, thinking = prompt.needs or ROOM_FOR_THOUGHTS, _thinking(options.get("thinking"))
    if "budget_tokens" in thinking:
        return needs + int(thinking["budget_tokens"])
    effort = options.get("reasoning_effort") or "effort" in options.get("output_config", {})
    thinks = quirks.thinks or thinking.get("type") == "adaptive" or bool(effort)
    return needs + ROOM_FOR_THOUGHTS * thinks


def _thinking(option: Any) -> dict[str, Any]:
    """The option in the API's form: a number is a budget in tokens, a word a type; {} for none."""
    if isinstance(option, int):
        return {"type": "enabled", "budget_tokens": option}
    return {"type": option} if isinstance(option, str) else dict(option or {})


def _refused(expected: str) -> ModelError:
    return ModelError(f"Anthropic's Messages expect {expected}", cause="refused", fatal=True)


@lru_cache(maxsize=256)
def format_of(schema: str) -> dict[str, Any] | None:
    """The `output_config.format` for a JSON schema; None if the API cannot express it.

    Keywords that the API does not know (ranges, lengths) go into descriptions, as in Anthropic's
    own client. An object with arbitrary keys cannot be expressed.
    """
    try:
        return {"type": "json_schema", "schema": _strict(json.loads(schema))}
    except _UnknownKeysError:
        return None


class _UnknownKeysError(Exception):
    """A schema has an object with arbitrary keys."""


_SUPPORTED = ("$ref", "type", "enum", "const", "description", "required")


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node and "$defs" not in node:
        return {"$ref": node["$ref"]}
    strict = {name: node[name] for name in _SUPPORTED if name in node}
    rest = {name: value for name, value in node.items() if name not in strict}
    if "enum" in node or "const" in node:
        strict.pop("type", None)
    if "$defs" in rest:
        strict["$defs"] = {name: _strict(child) for name, child in rest.pop("$defs").items()}
    for several in ("anyOf", "oneOf", "allOf"):
        if several in rest:
            named = "allOf" if several == "allOf" else "anyOf"
            strict[named] = [_strict(child) for child in rest.pop(several)]
    if node.get("type") == "object":
        additional = rest.pop("additionalProperties", False)
        inner = rest.pop("properties", {})
        if isinstance(additional, dict) or (additional and not inner):
            raise _UnknownKeysError
        strict["properties"] = {name: _strict(child) for name, child in inner.items()}
        strict["additionalProperties"] = False
    if "items" in rest:
        strict["items"] = _strict(rest.pop("items"))
    if rest.get("minItems") in (0, 1):
        strict["minItems"] = rest.pop("minItems")
    rest.pop("title", None)
    if rest:
        limits = ", ".join(f"{name}: {value}" for name, value in rest.items())
        strict["description"] = "\n\n".join(
            filter(None, (node.get("description"), f"{{{limits}}}"))
        )
    return strict


def read_message(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The reply in a response body; ModelError if it is no message, or holds an error.

    Its text blocks alone are the reply: thoughts are not, though they cost what text costs. A
    refusal by the provider's classifiers counts as a content filter. Tokens read from the cache and
    written into it are parts of the prompt's here, while the API counts them apart.
    """
    try:
        document = parse_body(data)
        raise_error_inside(document)
        blocks = get_part(document, "content")
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        thoughts = [block for block in blocks if block["type"] in _THOUGHTS]
        finish = read_finish(document.get("stop_reason"))
        if finish == "content filter" and not text:
            text = str((document.get("stop_details") or {}).get("explanation") or "")
        asked = [block for block in blocks if block["type"] == _CALL]
        calls = tuple(
            ToolCall(block["id"], block["name"], json.dumps(block["input"]))
            for block in (asked if prompt.tools else ())
        )
        if not text and not calls:
            text = read_tool_calls([{"arguments": block["input"]} for block in asked], prompt)
        check_thoughts(text, bool(thoughts) and not calls, finish)
        texts = [block.get("thinking") for block in thoughts]
        texts += [text, *(call.arguments for call in calls)]
        written = sum(size_of(each) for each in texts if isinstance(each, str))
        usage, fault = validate_usage(_count(document), prompt, written)
        return ChatReply(
            text,
            finish,
            usage,
            seconds,
            tries,
            fault=fault,
            served=read_served(document),
            reasoned=bool(thoughts),
            calls=calls,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise malformed_error("a message", data, error) from error


_THOUGHTS = ("thinking", "redacted_thinking")

_CALL = "tool_use"


def read_usage(data: bytes, prompt: Prompt) -> Usage | None:
    """As `wire.read_usage`, with this API's names of the counts."""
    return read_usage_with(data, prompt, _count)


def _count(document: Any) -> Any:
    """The provider's token counts, unchecked, by the names of `Usage`."""
    usage = document.get("usage")
    if not isinstance(usage, dict):
        return {} if usage is None else usage
    fresh, cached, written = (
        read_count(usage.get(name))
        for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    )
    parts = [count for count in (fresh, cached, written) if count is not None]
    invalid = next((count for count in parts if type(count) is not int or count < 0), None)
    prompt = None if fresh is None else invalid if invalid is not None else sum(parts)
    counts = {
        "completion": read_count(usage.get("output_tokens")),
        "cached": cached,
        "written": written,
    }
    return {"prompt": prompt, **counts}


def _learn(quirks: Quirks, status: int, data: bytes) -> Quirks | None:
    """As `wire.learn`; only temperature and schema can be left out of a request here."""
    lesson = read_lesson(status, data)
    lesson = "schema" if lesson == "bounds" else lesson
    return quirks.without(lesson) if lesson in ("temperature", "schema") else None


_UNKNOWN = "Anthropic's Messages do not know it; leave it out"

MESSAGES = Dialect(
    "/messages",
    lambda key: {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})},
    cap_of,
    message_body,
    read_message,
    read_usage,
    _learn,
    dict.fromkeys(("seed", "min_p", "presence_penalty", "frequency_penalty"), _UNKNOWN),
)
