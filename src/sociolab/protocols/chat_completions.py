"""OpenAI's chat completions, from the server's side.

The format is documented at platform.openai.com/docs/api-reference/chat, as of November 2026; tests
check it with OpenAI's own client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sociolab.core.ports import ChatReply, Message, Prompt, Schema, ToolCall, ToolDefinition, Usage
from sociolab.protocols.request import (
    ChatRequest,
    InvalidRequestError,
    check_messages,
    check_names,
    make_tool,
    read_limit,
    read_list,
    read_model,
    read_number,
    read_object,
    read_options,
    read_parts,
    read_record,
    read_schema,
)

_OPTIONS = {
    name: name
    for name in (
        "top_p",
        "stop",
        "seed",
        "presence_penalty",
        "frequency_penalty",
        "reasoning_effort",
        "verbosity",
        "parallel_tool_calls",
    )
}
_READ = frozenset(
    ("model", "messages", "stream", "stream_options", "temperature", "max_tokens", "n", "tools",
     "max_completion_tokens", "tool_choice", "response_format", *_OPTIONS)
)  # fmt: skip
_WITHOUT_EFFECT = frozenset(
    ("user", "metadata", "store", "service_tier", "prompt_cache_key", "safety_identifier",
     "prompt_cache_retention")
)  # fmt: skip
"""Parameters that change nothing in a reply: whose it is, and how it is kept and billed."""

_WITHOUT = {
    "logprobs": "replies have no log probabilities",
    "top_logprobs": "replies have no log probabilities",
    "logit_bias": "tokens cannot be weighted",
    "functions": "give them as tools",
    "function_call": "give functions as tools",
    "audio": "only text passes here",
    "modalities": "only text passes here",
    "prediction": "predicted outputs are not used",
    "web_search_options": "there is no search",
}


def read(raw: bytes) -> ChatRequest:
    """Parse a request; InvalidRequestError if it is malformed, or asks for what is not offered."""
    fields = read_object(raw)
    check_names(fields, _READ | _WITHOUT_EFFECT, _WITHOUT)
    if fields.get("n") not in (None, 1):
        raise InvalidRequestError("one reply is given to a request; ask for n = 1", "n")
    rows = read_list(fields, "messages")
    messages = [read_message(row, f"messages[{index}]") for index, row in enumerate(rows)]
    schema, plain = _read_format(fields.get("response_format"))
    tools = tuple(read_tool(row) for row in read_list(fields, "tools"))
    prompt = Prompt(
        check_messages(messages, "messages"),
        schema,
        read_number(fields, "temperature"),
        read_limit(fields, "max_completion_tokens", "max_tokens"),
        tools=tools,
        tool_choice=read_choice(fields.get("tool_choice")),
        options=read_options(fields, _OPTIONS) + plain,
    )
    usage = read_record(fields, "stream_options").get("include_usage", False)
    return ChatRequest(read_model(fields), prompt, bool(fields.get("stream")), bool(usage))


def read_message(row: Any, where: str) -> Message:
    """A message of ours for one of theirs; `where` is its place in an error."""
    role = row.get("role") if isinstance(row, dict) else None
    text = read_parts(row.get("content"), ("text", "refusal"), f"{where}.content") if role else ""
    match role:
        case "system" | "developer":
            return Message("system", text)
        case "user":
            return Message("user", text)
        case "assistant":
            calls = tuple(_read_call(call, where) for call in read_list(row, "tool_calls"))
            return Message("assistant", text, calls)
        case "tool":
            return Message("tool", text, answers=str(row.get("tool_call_id") or ""))
    raise InvalidRequestError(
        f"expected the role system, developer, user, assistant or tool, found {role!r:.40}",
        f"{where}.role",
    )


def _read_call(call: Any, where: str) -> ToolCall:
    match call:
        case {"id": str(name), "function": {"name": str(function), "arguments": str(arguments)}}:
            return ToolCall(name, function, arguments)
    raise InvalidRequestError("expected id, function.name and arguments", f"{where}.tool_calls")


def read_tool(row: Any) -> ToolDefinition:
    """A tool; InvalidRequestError unless it is a function."""
    match row:
        case {"type": "function", "function": {"name": str(name)} as function}:
            parameters = function.get("parameters") or {"type": "object", "properties": {}}
            return make_tool(name, function, parameters)
    raise InvalidRequestError('expected tools of the type "function", each with a name', "tools")


def read_choice(choice: Any) -> str:
    """The choice of a tool, as `Prompt.tool_choice`."""
    match choice:
        case None:
            return "auto"
        case "auto" | "none" | "required":
            return str(choice)
        case {"type": "function", "function": {"name": str(name)}}:
            return name
    raise InvalidRequestError('expected "auto", "none", "required" or a function', "tool_choice")


def _read_format(form: Any) -> tuple[Schema | None, tuple[tuple[str, str], ...]]:
    """The schema of the reply, and the option that asks for any JSON object."""
    match form:
        case None | {"type": "text"}:
            return None, ()
        case {"type": "json_object"}:
            return None, (("response_format", json.dumps(form)),)
        case {"type": "json_schema", "json_schema": {"schema": schema} as inner}:
            return read_schema(inner.get("name"), schema, "response_format"), ()
    raise InvalidRequestError("expected text, json_object or json_schema", "response_format")


def write(reply: ChatReply, model: str, ident: str, created: int = 0) -> dict[str, Any]:
    """A reply as a chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.calls:
        message["content"] = reply.text or None
        message["tool_calls"] = [_write_call(call) for call in reply.calls]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
    row = {"id": f"chatcmpl-{ident}", "object": "chat.completion", "created": created}
    return {**row, "model": model, "choices": [choice], "usage": write_usage(reply.usage)}


def stream(request: ChatRequest, reply: ChatReply, ident: str, created: int = 0) -> Iterator[bytes]:
    """A reply as server-sent events: its text in a few chunks, each tool call in one."""
    head = {"id": f"chatcmpl-{ident}", "object": "chat.completion.chunk", "created": created}

    def event(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return write_event({**head, "model": request.model, "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for piece in pieces(reply.text):
        yield event({"content": piece})
    for index, call in enumerate(reply.calls):
        yield event({"tool_calls": [{"index": index, **_write_call(call)}]})
    yield event({}, _finish(reply))
    if request.stream_usage:
        row = {**head, "model": request.model, "choices": [], "usage": write_usage(reply.usage)}
        yield write_event(row)
    yield b"data: [DONE]\n\n"


def _write_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _finish(reply: ChatReply) -> str:
    if reply.calls:
        return "tool_calls"
    return "content_filter" if reply.finish == "content filter" else reply.finish


def write_usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.prompt + usage.completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def write_event(row: Mapping[str, Any], name: str = "") -> bytes:
    """A server-sent event of JSON, with a name in the APIs that name them."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(row)}\n\n".encode()


_PIECE = 64
"""Characters in a chunk of a stream."""


def pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), _PIECE):
        yield text[start : start + _PIECE]
