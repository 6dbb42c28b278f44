"""Anthropic's Messages API, from the server's side.

The format is documented at platform.claude.com/docs/en/api/messages, as of November 2026; tests
check it with Anthropic's own client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sociolab.core.ports import ChatReply, Message, Prompt, Schema, ToolCall, ToolDefinition, Usage
from sociolab.protocols.chat_completions import pieces, write_event
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

_OPTIONS = {"top_p": "top_p", "top_k": "top_k", "stop_sequences": "stop"}
_READ = frozenset(
    ("model", "messages", "system", "max_tokens", "temperature", "tools", "tool_choice", "stream",
     "output_config", "output_format", "thinking", *_OPTIONS)
)  # fmt: skip
_WITHOUT_EFFECT = frozenset(("metadata", "service_tier", "cache_control"))
_WITHOUT = {
    "mcp_servers": "run tools in your own program",
    "container": "run code in your own program",
    "context_management": "shorten the conversation in your own program",
}


def read(raw: bytes, *, limited: bool = True) -> ChatRequest:
    """Parse a request; InvalidRequestError if it is malformed, or asks for what is not offered.

    `limited`: it must name `max_tokens`, as all requests do but those that only count tokens.
    """
    fields = read_object(raw)
    check_names(fields, _READ | _WITHOUT_EFFECT, _WITHOUT)
    if read_record(fields, "thinking").get("type", "disabled") != "disabled":
        raise InvalidRequestError(
            'thinking is set for the model, after its name: "?thinking=2048"', "thinking"
        )
    limit = read_limit(fields, "max_tokens")
    if limited and limit is None:
        raise InvalidRequestError("expected a positive integer, found none", "max_tokens")
    system = read_parts(fields.get("system"), ("text",), "system")
    messages = [Message("system", system)] if system else []
    for index, row in enumerate(read_list(fields, "messages")):
        messages += _read_message(row, f"messages.{index}")
    effort = read_options(read_record(fields, "output_config"), {"effort": "reasoning_effort"})
    choice, parallel = _read_choice(read_record(fields, "tool_choice"))
    prompt = Prompt(
        check_messages(messages, "messages"),
        _read_format(fields),
        read_number(fields, "temperature"),
        limit,
        tools=tuple(_read_tool(row) for row in read_list(fields, "tools")),
        tool_choice=choice,
        options=read_options(fields, _OPTIONS) + parallel + effort,
    )
    return ChatRequest(read_model(fields), prompt, bool(fields.get("stream")))


def _read_message(row: Any, where: str) -> Iterator[Message]:
    """A message of ours for each result of a tool in one of theirs, then one for the rest."""
    match row:
        case {"role": "user" | "assistant" as role, "content": str(text)}:
            yield Message(role, text)
        case {"role": "user" | "assistant" as role, "content": list(blocks)}:
            texts, calls = [], []
            for block in blocks:
                match block:
                    case {"type": "text", "text": str(text)}:
                        texts.append(text)
                    case {"type": "tool_use", "id": str(ident), "name": str(name), "input": given}:
                        calls.append(ToolCall(ident, name, json.dumps(given)))
                    case {"type": "tool_result", "tool_use_id": str(ident)}:
                        result = read_parts(block.get("content"), ("text",), f"{where}.content")
                        yield Message("tool", result, answers=ident)
                    case {"type": "thinking" | "redacted_thinking"}:
                        continue
                    case _:
                        raise InvalidRequestError(
                            "expected blocks of text, tool_use and tool_result; only text passes "
                            "here",
                            f"{where}.content",
                        )
            if texts or calls:
                yield Message(role, "".join(texts), tuple(calls))
        case _:
            raise InvalidRequestError("expected a role (user or assistant) and a content", where)


def _read_tool(row: Any) -> ToolDefinition:
    match row:
        case {"name": str(name), "input_schema": dict(schema)}:
            return make_tool(name, row, schema)
    raise InvalidRequestError(
        "expected tools with a name and an input_schema; run others in your own program", "tools"
    )


def _read_choice(choice: Mapping[str, Any]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The choice of a tool, and the option that allows one call only."""
    if not choice:
        return "auto", ()
    one = (("parallel_tool_calls", "false"),) if choice.get("disable_parallel_tool_use") else ()
    match choice:
        case {"type": "auto" | "none" as kind}:
            return kind, one
        case {"type": "any"}:
            return "required", one
        case {"type": "tool", "name": str(name)}:
            return name, one
    raise InvalidRequestError("expected auto, any, none or tool", "tool_choice")


def _read_format(fields: dict[str, Any]) -> Schema | None:
    form = read_record(fields, "output_config").get("format") or fields.get("output_format")
    if form is None:
        return None
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        raise InvalidRequestError("expected the type json_schema", "output_config.format")
    return read_schema("reply", form.get("schema"), "output_config.format")


def write(reply: ChatReply, model: str, ident: str) -> dict[str, Any]:
    """A reply as a message."""
    head = {"id": f"msg_{ident}", "type": "message", "role": "assistant", "model": model}
    stop = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    return {**head, "content": _blocks(reply), **stop, "usage": write_usage(reply.usage)}


def stream(request: ChatRequest, reply: ChatReply, ident: str) -> Iterator[bytes]:
    """A reply as server-sent events: texts in a few pieces, the input of each tool in one."""
    whole = write(reply, request.model, ident)
    empty = {**whole, "content": [], "stop_reason": None}
    empty["usage"] = {**whole["usage"], "output_tokens": 0}
    yield _event("message_start", message=empty)
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start = {**block, "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        else:
            start = {**block, "input": {}}
            text = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": text}]
        yield _event("content_block_start", index=index, content_block=start)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=stop, usage=whole["usage"])
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> bytes:
    return write_event({"type": kind, **fields}, kind)


def _blocks(reply: ChatReply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    return blocks + [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)}
        for call in reply.calls
    ]


def _arguments(call: ToolCall) -> Any:
    """The input of a tool, {} where a model wrote no JSON object: this API has no text for it."""
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _stop_reason(reply: ChatReply) -> str:
    if reply.calls:
        return "tool_use"
    return {"length": "max_tokens", "content filter": "refusal"}.get(reply.finish, "end_turn")


def write_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt - usage.cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.completion,
    }
