"""The wire format of chat completions, and the interface of wire formats (see `messages`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import pydantic_core

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Message, Prompt, Served, ToolCall, ToolDefinition, Usage
from sociolab.models.budget import size_of, validate_usage
from sociolab.models.meaning import (
    Finish,
    Lesson,
    ShapeError,
    get_part,
    malformed_error,
    parse_body,
    raise_error_inside,
    read_finish,
    read_lesson,
)


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a model behind an endpoint does not accept, as learned from its refusals.

    `takes_bounds`: its server enforces the bounds of texts and lists in a schema. `thinks`: the
    tokens of its replies include thoughts, and need room for them.
    """

    token_limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes_temperature: bool = True
    takes_system: bool = True
    takes_schema: bool = True
    takes_penalties: bool = True
    takes_bounds: bool = True
    thinks: bool = False

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is left out of requests, by the names of `Served.left_out`."""
        return tuple(name for name, field in _FIELDS.items() if not getattr(self, field))

    def without(self, lesson: Lesson) -> Quirks | None:
        """The quirks after a lesson; None if it was known before."""
        if lesson == "max_tokens":
            learned = replace(self, token_limit_name="max_completion_tokens")
        else:
            learned = replace(self, **{f"takes_{lesson}": False})  # type: ignore[arg-type]
        return None if learned == self else learned


ROOM_FOR_THOUGHTS = 16_384
"""Tokens that a model may spend on thinking, beside those of its reply."""

_LONGEST_BOUND = 1_900
"""Characters: above 2,000, and in some builds from 2,000 on, llama.cpp cannot make a grammar of a
schema. It then leaves out the whole schema, and replies as if nothing were wrong."""

_SHORTEST_BOUND = 600

_TOKENS_A_VALUE = 15
"""In an entry of a list, with its name; indented JSON takes 12."""


_FIELDS: Mapping[str, str] = {
    name: f"takes_{name}" for name in ("temperature", "schema", "system", "penalties")
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The API of one family of servers.

    `headers` makes the headers that carry a key. `cap_of` computes the token limit of a request.
    `lacks` maps each option that the API does not know to what to do instead.
    """

    path: str
    headers: Callable[[str | None], dict[str, str]]
    cap_of: Callable[[Prompt, Quirks, Mapping[str, Any]], int | None]
    body_of: Callable[[str, Prompt, Quirks, Mapping[str, Any]], bytes]
    read_reply: Callable[[bytes, Prompt, float, int], ChatReply]
    read_usage: Callable[[bytes, Prompt], Usage | None]
    learn: Callable[[Quirks, int, bytes], Quirks | None]
    lacks: Mapping[str, str]


def quirks_of(refuses: Collection[str]) -> Quirks:
    """The quirks of a server before the first call, from `EndpointOptions.refuses`."""
    return Quirks(
        "max_completion_tokens" if "max_tokens" in refuses else "max_tokens",
        takes_temperature="temperature" not in refuses,
        takes_system="system" not in refuses,
        takes_schema="schema" not in refuses,
        takes_penalties="penalties" not in refuses,
        takes_bounds="bounds" not in refuses,
    )


def body_of(
    model: str, prompt: Prompt, quirks: Quirks, options: Mapping[str, Any] | None = None
) -> bytes:
    """The request body.

    A schema that the server does not accept is appended to the prompt, unless the prompt describes
    the format itself. `options` are sent as they are, even those that the server has refused.
    """
    messages = prompt.messages
    schema = prompt.schema
    if schema is not None and not quirks.takes_schema:
        messages = messages if schema.in_prompt else append_schema(messages, schema.text)
        schema = None
    if not quirks.takes_system:
        messages = _without_system(messages)
    body: dict[str, Any] = {
        "model": model,
        "messages": [write_message(message) for message in messages],
    }
    if prompt.tools:
        body["tools"] = [write_tool(tool) for tool in prompt.tools]
        if prompt.tool_choice != "auto":
            body["tool_choice"] = write_choice(prompt.tool_choice)
    body |= {name: json.loads(value) for name, value in prompt.options}
    if prompt.temperature is not None and quirks.takes_temperature:
        body["temperature"] = prompt.temperature
    if prompt.penalties is not None and quirks.takes_penalties:
        body["frequency_penalty"] = body["presence_penalty"] = prompt.penalties
    if (cap := cap_of(prompt, quirks, options or {})) is not None:
        body[quirks.token_limit_name] = cap
    if options:
        body.update(options)
    encoded = encode_body(body)
    if schema is None:
        return encoded
    needs = prompt.needs if quirks.takes_bounds else None
    return encoded[:-1] + _response_format(schema.name, schema.text, needs)


def write_message(message: Message) -> dict[str, Any]:
    """A message in the form of chat completions."""
    row: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        row["content"] = message.text or None
        row["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    if message.answers:
        row["tool_call_id"] = message.answers
    return row


def write_tool(tool: ToolDefinition) -> dict[str, Any]:
    """A tool in the form of chat completions."""
    function = {"name": tool.name, "parameters": json.loads(tool.parameters)}
    if tool.description:
        function["description"] = tool.description
    if tool.strict is not None:
        function["strict"] = tool.strict
    return {"type": "function", "function": function}


def write_choice(choice: str) -> str | dict[str, Any]:
    """A `Prompt.tool_choice` in the form of chat completions."""
    if choice in ("auto", "none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def cap_of(prompt: Prompt, quirks: Quirks, options: Mapping[str, Any]) -> int | None:
    """The token limit to send: the user's own, else what the reply needs plus room for thoughts if
    the model thinks; None for no limit."""
    if prompt.max_tokens is not None or prompt.needs is None:
        return prompt.max_tokens
    thinks = quirks.thinks or options.get("reasoning_effort") not in (None, "none")
    return prompt.needs + ROOM_FOR_THOUGHTS * thinks


def read_reply(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The reply in a response body; ModelError if it is no completion, or holds an error.

    A refusal by the model's own safety training (OpenAI's `refusal`) counts as a content filter.
    Where a schema was requested and the reply is a single tool call instead of a text, the call's
    arguments are the text: some servers implement schemas that way. Missing or impossible usage
    does not discard a reply that was paid for: it is estimated, and what was impossible becomes the
    reply's `fault`.
    """
    try:
        document = parse_body(data)
        raise_error_inside(document)
        choice = get_part(document, "choices", 0)
        message = get_part(document, "choices", 0, "message")
        finish = read_finish(choice.get("finish_reason"))
        text, thoughts = _read_content(message.get("content"))
        # vLLM and SGLang send reasoning beside the text; others by the second name.
        reasoning = message.get("reasoning_content") or message.get("reasoning")
        thoughts += reasoning if isinstance(reasoning, str) else ""
        if not text and message.get("refusal"):
            text, finish = str(message["refusal"]), "content filter"
        asked = message.get("tool_calls") or message.get("function_call") or []
        asked = asked if isinstance(asked, list) else [asked]
        calls = _read_calls(asked) if prompt.tools else ()
        if not text and not calls:
            text = read_tool_calls(asked, prompt)
        check_thoughts(text, bool(thoughts) and not calls, finish)
        written = size_of(text) + size_of(thoughts) + sum(size_of(one.arguments) for one in calls)
        usage, fault = validate_usage(_count(document), prompt, written)
        return ChatReply(
            text,
            finish,
            usage,
            seconds,
            tries,
            fault=fault,
            served=read_served(document),
            reasoned=bool(thoughts) or _reasoning_tokens(document) > 0,
            calls=calls,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise malformed_error("a chat completion", data, error) from error


def _read_calls(calls: list[Any]) -> tuple[ToolCall, ...]:
    """The tools that a message asks for; a call without an id, as some servers send, gets one."""
    read = []
    for index, call in enumerate(calls):
        function = call.get("function", call)
        arguments = get_part(function, "arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        read.append(ToolCall(str(call.get("id") or f"call_{index}"), function["name"], text))
    return tuple(read)


def read_tool_calls(calls: list[Any], prompt: Prompt) -> str:
    """The arguments of a single tool call, as a reply to a schema; "" without calls.

    ModelError (retryable) for several calls, or without a schema.
    """
    if not calls:
        return ""
    if prompt.schema is None or len(calls) > 1:
        raise ModelError(
            f"expected a text, found {'a tool call' if len(calls) == 1 else 'tool calls'} instead; "
            "leave tools out of the options of this model",
            cause="malformed reply",
            retryable=True,
        )
    (call,) = calls
    function = call.get("function", call)
    arguments = get_part(function, "arguments")
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def check_thoughts(text: str, thoughts: bool, finish: Finish) -> None:
    """ModelError (retryable) for a complete reply that has thoughts but no text."""
    if thoughts and not text and finish == "stop":
        raise ModelError(
            "expected a text, found only reasoning beside an empty one; turn thinking off for this "
            "model, or start its server without a parser for reasoning",
            cause="malformed reply",
            retryable=True,
        )


def read_served(document: dict[str, Any]) -> Served:
    """The model and the fingerprint that a server reports, each cut to a short line."""
    names = (document.get("model"), document.get("system_fingerprint"))
    model, fingerprint = (
        " ".join(name.encode(errors="replace").decode().split())[:120]
        if isinstance(name, str)
        else ""
        for name in names
    )
    return Served(model, fingerprint)


def read_usage(data: bytes, prompt: Prompt) -> Usage | None:
    """The usage in an otherwise unusable body; None where it is missing or impossible."""
    return read_usage_with(data, prompt, _count)


def read_usage_with(data: bytes, prompt: Prompt, count: Callable[[Any], Any]) -> Usage | None:
    """As `read_usage`; `count` extracts an API's counts by the names of `Usage`."""
    try:
        counts = count(parse_body(data))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(counts, dict) or not any(counts.values()):
        return None
    usage, fault = validate_usage(counts, prompt, 0)
    return None if fault else usage


def append_schema(messages: tuple[Message, ...], schema: str) -> tuple[Message, ...]:
    """The messages with the schema appended to the last one."""
    *earlier, last = messages
    text = f"{last.text}\n\nReply with one JSON object and nothing else.\nJSON schema: {schema}"
    return (*earlier, replace(last, text=text))


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages with all system text prepended to the first user message."""
    system = "\n\n".join(m.text for m in messages if m.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return tuple(rest)
    if not rest or rest[0].role != "user":
        return (Message("user", system), *rest)
    return (Message("user", f"{system}\n\n{rest[0].text}"), *rest[1:])


def encode_body(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8; half a surrogate pair, which no server would read, becomes U+FFFD."""
    # pydantic_core is three times as fast as json.dumps on a prompt of 5 KB.
    try:
        return pydantic_core.to_json(body)
    except pydantic_core.PydanticSerializationError:
        encoded = json.dumps(body, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return encoded.decode("utf-16", "replace").encode()


@lru_cache(maxsize=256)
def _response_format(name: str, schema: str, needs: int | None) -> bytes:
    """The last bytes of a body: the response format with this schema, bounded by `needs`."""
    form = json.loads(schema)
    form = form if needs is None else bound_schema(form, needs)
    inner = {"name": name, "strict": True, "schema": form}
    extra = {"response_format": {"type": "json_schema", "json_schema": inner}}
    return b"," + pydantic_core.to_json(extra)[1:]


def bound_schema(schema: dict[str, Any], needs: int) -> dict[str, Any]:
    """The schema with a `maxLength` for each text and a `maxItems` for each list that has none, and
    with no text that is too long.

    Without them, a model that loops under a grammar, where only the model itself can end a text or
    a list, fills one up to the token limit.

    Each of several texts gets an even share of `needs` tokens, at three characters per token, but
    at least 600 characters: a small model that loops in every account of a judge's reply then still
    ends it within the token limit. One or two texts may each take twice the total: a long turn
    should hit the token limit, which is noticed, and not the bound, which is not. A list gets one
    entry for each 15 tokens a value in it, but at least 10.
    """
    types = schema.get("$defs", {})
    texts = _total(_is_unbounded_text, schema, types)
    longest = max(needs * 6 if texts <= 2 else needs * 3 // texts, _SHORTEST_BOUND)
    longest = min(longest, _LONGEST_BOUND)

    def bounded(node: Any) -> Any:
        if isinstance(node, list):
            return [bounded(child) for child in node]
        if not isinstance(node, dict):
            return node
        bound = {}
        if _is_unbounded_text(node):
            bound = {"maxLength": longest}
        elif node.get("type") == "string" and node.get("maxLength", 0) > _LONGEST_BOUND:
            bound = {"maxLength": _LONGEST_BOUND}
        elif node.get("type") == "array" and {"items", "maxItems"} & {*node} == {"items"}:
            entry = _TOKENS_A_VALUE * max(_total(_is_value, node["items"], types), 1)
            bound = {"maxItems": max(needs // entry, node.get("minItems", 0), 10)}
        return {key: bounded(child) for key, child in node.items()} | bound

    limited: dict[str, Any] = bounded(schema)
    return limited


def _is_unbounded_text(node: Mapping[str, Any]) -> bool:
    return node.get("type") == "string" and not {"maxLength", "enum", "const", "pattern"} & {*node}


def _is_value(node: Mapping[str, Any]) -> bool:
    return node.get("type") in ("string", "integer", "number", "boolean")


def _total(
    counts: Callable[[Mapping[str, Any]], bool],
    node: Any,
    types: Mapping[str, Any],
    inside: tuple[str, ...] = (),
) -> int:
    """The number of parts of a reply that count, with one entry for each list."""
    if isinstance(node, list):
        return sum(_total(counts, child, types, inside) for child in node)
    if not isinstance(node, dict):
        return 0
    if counts(node):
        return 1
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in types and name not in inside:
        return _total(counts, types[name], types, (*inside, name))
    parts = (child for key, child in node.items() if key != "$defs")
    return sum(_total(counts, child, types, inside) for child in parts)


def _count(document: Any) -> Any:
    """The server's token counts, unchecked, by the names of `Usage`."""
    usage = document.get("usage")
    if usage is None:
        return {}
    if not isinstance(usage, dict):
        return usage
    details = usage.get("prompt_tokens_details")
    return {
        "prompt": read_count(usage.get("prompt_tokens")),
        "completion": read_count(usage.get("completion_tokens")),
        "cached": read_count(
            details.get("cached_tokens") if isinstance(details, dict) else details
        ),
    }


def read_count(count: Any) -> Any:
    """A count as an int where it is whole: some servers send 120.0."""
    return int(count) if isinstance(count, float) and count.is_integer() else count


def _reasoning_tokens(document: dict[str, Any]) -> float:
    usage = document.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    tokens = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return tokens if isinstance(tokens, int | float) else 0


def _read_content(content: Any) -> tuple[str, str]:
    """The text of a content (a string, null, or a list of parts), and its other parts as JSON, such
    as thoughts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise ShapeError(f"a {type(content).__name__} as choices.0.message.content")
    texts, rest = [], []
    for piece in content:
        if not isinstance(piece, dict):
            raise ShapeError(f"a {type(piece).__name__} in choices.0.message.content")
        if piece.get("type", "text") in ("text", "output_text"):
            texts.append(piece.get("text") or "")
        else:
            rest.append(json.dumps(piece))
    return "".join(texts), "".join(rest)


def learn(quirks: Quirks, status: int, data: bytes) -> Quirks | None:
    """The quirks after a refusal; None if it teaches nothing new."""
    lesson = read_lesson(status, data)
    if lesson == "bounds" and not quirks.takes_bounds:
        lesson = "schema"  # refused without bounds, too
    return None if lesson is None else quirks.without(lesson)


CHAT = Dialect(
    "/chat/completions",
    lambda key: {"authorization": f"Bearer {key}"} if key else {},
    cap_of,
    body_of,
    read_reply,
    read_usage,
    learn,
    {"thinking": "set reasoning_effort, or what the server calls it under extra in models.toml"},
)
"""OpenAI's chat completions, and all servers compatible with them."""
