"""OpenAI's Responses API, from the server's side: stateless, with functions as its only tools.

The format is documented at platform.openai.com/docs/api-reference/responses, as of November 2026;
tests check it with OpenAI's own client.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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

_OPTIONS = {"top_p": "top_p", "parallel_tool_calls": "parallel_tool_calls"}
_READ = frozenset(
    ("model", "input", "instructions", "stream", "temperature", "max_output_tokens", "tools",
     "tool_choice", "text", "reasoning", *_OPTIONS)
)  # fmt: skip
_WITHOUT_EFFECT = frozenset(
    ("user", "metadata", "store", "service_tier", "prompt_cache_key", "safety_identifier",
     "include", "truncation", "stream_options", "prompt_cache_retention")
)  # fmt: skip
_WITHOUT = {
    "previous_response_id": "nothing is kept between requests; send the whole conversation",
    "conversation": "nothing is kept between requests; send the whole conversation",
    "background": "replies are awaited",
    "prompt": "send the text of the prompt",
    "top_logprobs": "replies have no log probabilities",
    "max_tool_calls": "only your own functions are called",
}


def read(raw: bytes) -> ChatRequest:
    """Parse a request; InvalidRequestError if it is malformed, or asks for what is not offered."""
    fields = read_object(raw)
    check_names(fields, _READ | _WITHOUT_EFFECT, _WITHOUT)
    instructions, given = fields.get("instructions"), fields.get("input")
    system = read_parts(instructions, (), "instructions")
    messages = [Message("system", system)] if system else []
    if isinstance(given, str):
        messages.append(Message("user", given))
    elif isinstance(given, list):
        for index, item in enumerate(given):
            _append_item(messages, item, f"input[{index}]")
    else:
        raise InvalidRequestError("expected a text or a list of items", "input")
    form = read_record(fields, "text")
    schema, plain = _read_format(form.get("format"))
    effort = read_record(fields, "reasoning").get("effort")
    more = {"reasoning_effort": effort, "verbosity": form.get("verbosity")}
    prompt = Prompt(
        check_messages(messages, "input"),
        schema,
        read_number(fields, "temperature"),
        read_limit(fields, "max_output_tokens"),
        tools=tuple(_read_tool(row) for row in read_list(fields, "tools")),
        tool_choice=_read_choice(fields.get("tool_choice")),
        options=read_options(fields, _OPTIONS) + read_options(more, {n: n for n in more}) + plain,
    )
    return ChatRequest(read_model(fields), prompt, bool(fields.get("stream")))


def _append_item(messages: list[Message], item: Any, where: str) -> None:
    """Add an item of the input; calls of tools join the assistant's message before them."""
    match item:
        case {"role": "system" | "developer", "content": content}:
            messages.append(Message("system", _read_text(content, where)))
        case {"role": "user" | "assistant" as role, "content": content}:
            messages.append(Message(role, _read_text(content, where)))
        case {
            "type": "function_call",
            "call_id": str(ident),
            "name": str(name),
            "arguments": str(arguments),
        }:
            call = ToolCall(ident, name, arguments)
            if messages and messages[-1].role == "assistant":
                last = messages.pop()
                messages.append(Message("assistant", last.text, (*last.calls, call)))
            else:
                messages.append(Message("assistant", "", (call,)))
        case {"type": "function_call_output", "call_id": str(ident), "output": output}:
            messages.append(Message("tool", _read_text(output, where), answers=ident))
        case {"type": "reasoning"}:
            return  # a model's thoughts of an earlier turn, which it need not see again
        case _:
            kind = item.get("type") if isinstance(item, dict) else item
            raise InvalidRequestError(
                f"expected messages, function calls and their outputs, found {kind!r:.40}", where
            )


def _read_text(content: Any, where: str) -> str:
    return read_parts(content, ("input_text", "output_text", "text"), f"{where}.content")


def _read_tool(row: Any) -> ToolDefinition:
    match row:
        case {"type": "function", "name": str(name)}:
            parameters = row.get("parameters") or {"type": "object", "properties": {}}
            return make_tool(name, row, parameters)
    kind = row.get("type") if isinstance(row, dict) else row
    raise InvalidRequestError(
        f"expected tools of the type function, found {kind!r:.40}; run others in your own program",
        "tools",
    )


def _read_choice(choice: Any) -> str:
    match choice:
        case None:
            return "auto"
        case "auto" | "none" | "required":
            return str(choice)
        case {"type": "function", "name": str(name)}:
            return name
    raise InvalidRequestError('expected "auto", "none", "required" or a function', "tool_choice")


def _read_format(form: Any) -> tuple[Schema | None, tuple[tuple[str, str], ...]]:
    match form:
        case None | {"type": "text"}:
            return None, ()
        case {"type": "json_object"}:
            return None, (("response_format", json.dumps(form)),)
        case {"type": "json_schema", "schema": schema}:
            return read_schema(form.get("name"), schema, "text.format"), ()
    raise InvalidRequestError("expected text, json_object or json_schema", "text.format")


def write(request: ChatRequest, reply: ChatReply, ident: str, created: int = 0) -> dict[str, Any]:
    """A reply as a response."""
    items = _items(reply, ident)
    incomplete = _incomplete(reply)
    status = "incomplete" if incomplete else "completed"
    return {**_head(request, ident, created), "status": status, "output": items,
            "incomplete_details": incomplete, "usage": write_usage(reply.usage)}  # fmt: skip


def stream(request: ChatRequest, reply: ChatReply, ident: str, created: int = 0) -> Iterator[bytes]:
    """A reply as server-sent events: texts in a few pieces, the arguments of a call in one."""
    number = 0

    def event(kind: str, **fields: Any) -> bytes:
        nonlocal number
        number += 1
        return write_event({"type": kind, **fields, "sequence_number": number - 1}, kind)

    begun = {**_head(request, ident, created), "status": "in_progress", "output": [],
             "incomplete_details": None, "usage": None}  # fmt: skip
    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for index, item in enumerate(_items(reply, ident)):
        place = {"item_id": item["id"], "output_index": index}
        opened = {**item, "status": "in_progress"}
        if item["type"] == "message":
            (part,) = item["content"]
            inside = {**place, "content_index": 0}
            yield event(
                "response.output_item.added", output_index=index, item={**opened, "content": []}
            )
            yield event("response.content_part.added", **inside, part={**part, "text": ""})
            for piece in pieces(part["text"]):
                yield event("response.output_text.delta", **inside, delta=piece, logprobs=[])
            text = part["text"]
            yield event("response.output_text.done", **inside, text=text, logprobs=[])
            yield event("response.content_part.done", **inside, part=part)
        else:
            arguments, kind = item["arguments"], "response.function_call_arguments"
            opened["arguments"] = ""
            yield event("response.output_item.added", output_index=index, item=opened)
            yield event(f"{kind}.delta", **place, delta=arguments)
            yield event(f"{kind}.done", **place, name=item["name"], arguments=arguments)
        yield event("response.output_item.done", output_index=index, item=item)
    whole = write(request, reply, ident, created)
    yield event(f"response.{whole['status']}", response=whole)


def _head(request: ChatRequest, ident: str, created: int) -> dict[str, Any]:
    prompt = request.prompt
    return {
        "id": f"resp_{ident}",
        "object": "response",
        "created_at": created,
        "error": None,
        "instructions": None,
        "metadata": {},
        "model": request.model,
        "parallel_tool_calls": True,
        "temperature": prompt.temperature,
        "tool_choice": _write_choice(prompt.tool_choice),
        "tools": [_write_tool(tool) for tool in prompt.tools],
        "top_p": None,
        "max_output_tokens": prompt.max_tokens,
    }


def _items(reply: ChatReply, ident: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.text or not reply.calls:
        part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
        message = {"id": f"msg_{ident}", "type": "message", "role": "assistant"}
        items.append({**message, "status": "completed", "content": [part]})
    for index, call in enumerate(reply.calls):
        names = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
        row = {"id": f"fc_{ident}_{index}", "type": "function_call", **names}
        items.append({**row, "status": "completed"})
    return items


def _incomplete(reply: ChatReply) -> dict[str, str] | None:
    reasons = {"length": "max_output_tokens", "content filter": "content_filter"}
    return {"reason": reasons[reply.finish]} if reply.finish in reasons else None


def _write_choice(choice: str) -> Any:
    if choice in ("auto", "none", "required"):
        return choice
    return {"type": "function", "name": choice}


def _write_tool(tool: ToolDefinition) -> dict[str, Any]:
    row = {"type": "function", "name": tool.name, "parameters": json.loads(tool.parameters)}
    return {**row, "description": tool.description or None, "strict": bool(tool.strict)}


def write_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt + usage.completion,
    }
