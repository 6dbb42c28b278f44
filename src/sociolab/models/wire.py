"""The wire format of chat completions: request bodies out, replies and refusals in; and what the
formats of other families of servers (`messages`) must offer, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import pydantic_core

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Message, Prompt, Served, Usage
from sociolab.models.budget import counted, size_of
from sociolab.models.meaning import (
    Finish,
    Lesson,
    ShapeError,
    document_of,
    lesson_of,
    malformed,
    part,
    raise_error_inside,
    read_finish,
)


@dataclass(frozen=True, slots=True)
class Quirks:
    """What a model behind an endpoint does not take; found out from its refusals.

    `takes_bounds`: its server keeps texts under a schema to their `maxLength`. `thinks`: thoughts
    count among the tokens of its replies, which need room for them.
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
        """What prompts are sent without, by the names of `Served.left_out`."""
        return tuple(name for name, field in _FIELDS.items() if not getattr(self, field))

    def without(self, lesson: Lesson) -> Quirks | None:
        """These, and what was learnt; None if that was known before."""
        if lesson == "max_tokens":
            learnt = replace(self, token_limit_name="max_completion_tokens")
        else:
            learnt = replace(self, **{f"takes_{lesson}": False})  # type: ignore[arg-type]
        return None if learnt == self else learnt


ROOM_FOR_THOUGHTS = 16_384
"""Tokens that a model which thinks may spend on it, beside those of its reply."""

_LONGEST_BOUND = 2_000
"""Characters: llama.cpp's grammars ignore a longer `maxLength` without a word."""

_SHORTEST_BOUND = 600


_FIELDS: Mapping[str, str] = {
    name: f"takes_{name}" for name in ("temperature", "schema", "system", "penalties")
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one family of servers is spoken to.

    `headers` are made of the key. `cap_of` is the token limit of a request's reply. `lacks`
    has the options that it does not know, by name, and what to do instead.
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
    """What is known of a server before the first call (`EndpointOptions.refuses`)."""
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
    """The request body. A schema that cannot be sent beside the prompt stands at its end, unless
    the prompt tells the form itself.

    `options` are sent as they are, whatever the server is known not to take.
    """
    messages = prompt.messages
    schema = prompt.schema
    if schema is not None and not quirks.takes_schema:
        messages = messages if schema.in_prompt else with_schema(messages, schema.text)
        schema = None
    if not quirks.takes_system:
        messages = _without_system(messages)
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.text} for message in messages],
    }
    if prompt.temperature is not None and quirks.takes_temperature:
        body["temperature"] = prompt.temperature
    if prompt.penalties is not None and quirks.takes_penalties:
        body["frequency_penalty"] = body["presence_penalty"] = prompt.penalties
    if (cap := cap_of(prompt, quirks, options or {})) is not None:
        body[quirks.token_limit_name] = cap
    if options:
        body.update(options)
    encoded = encoded_body(body)
    if schema is None:
        return encoded
    needs = prompt.needs if quirks.takes_bounds else None
    return encoded[:-1] + _response_format(schema.name, schema.text, needs)


def cap_of(prompt: Prompt, quirks: Quirks, options: Mapping[str, Any]) -> int | None:
    """The token limit that is sent: the user's own, else what the reply needs, and room for
    thoughts where the model thinks; None for none."""
    if prompt.max_tokens is not None or prompt.needs is None:
        return prompt.max_tokens
    thinks = quirks.thinks or options.get("reasoning_effort") not in (None, "none")
    return prompt.needs + ROOM_FOR_THOUGHTS * thinks


def read_reply(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The reply to a prompt in a response body; ModelError if it is none, or holds an error.

    A refusal by the model's own safety training (OpenAI's `refusal`) counts as withheld. Where a
    schema was requested and a single tool call came instead of a text, its arguments are the text:
    some servers ask for schemas in that way. Usage that is missing or impossible costs no reply
    that was paid for: it is estimated, and what was impossible is the reply's `fault`.
    """
    try:
        document = document_of(data)
        raise_error_inside(document)
        choice = part(document, "choices", 0)
        message = part(document, "choices", 0, "message")
        finish = read_finish(choice.get("finish_reason"))
        text, thoughts = _read_content(message.get("content"))
        thoughts += _read_reasoning(message)
        if not text and message.get("refusal"):
            text, finish = str(message["refusal"]), "content filter"
        if not text:
            calls = message.get("tool_calls") or message.get("function_call") or []
            text = read_tool_calls(calls if isinstance(calls, list) else [calls], prompt)
        check_thoughts(text, bool(thoughts), finish)
        usage, fault = counted(_count(document), prompt, size_of(text) + size_of(thoughts))
        reasoned = bool(thoughts) or _reasoning_tokens(document) > 0
        served = read_served(document)
        return ChatReply(
            text, finish, usage, seconds, tries, fault=fault, served=served, reasoned=reasoned
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise malformed("a chat completion", data, error) from error


def read_tool_calls(calls: list[Any], prompt: Prompt) -> str:
    """The arguments of the only call, where a schema was requested; "" without calls."""
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
    arguments = part(function, "arguments")
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def check_thoughts(text: str, thoughts: bool, finish: Finish) -> None:
    """ModelError (retryable) for a whole reply that has thoughts and no text."""
    if thoughts and not text and finish == "stop":
        raise ModelError(
            "expected a text, found only reasoning beside an empty one; turn thinking off for this "
            "model, or start its server without a parser for reasoning",
            cause="malformed reply",
            retryable=True,
        )


def read_served(document: dict[str, Any]) -> Served:
    """The model and the fingerprint that a server names, on a short line each."""
    names = (document.get("model"), document.get("system_fingerprint"))
    model, fingerprint = (
        " ".join(name.encode(errors="replace").decode().split())[:120]
        if isinstance(name, str)
        else ""
        for name in names
    )
    return Served(model, fingerprint)


def read_usage(data: bytes, prompt: Prompt) -> Usage | None:
    """The usage in a body that is of no other use; None where it has none that can be right."""
    return usage_in(data, prompt, _count)


def usage_in(data: bytes, prompt: Prompt, count: Callable[[Any], Any]) -> Usage | None:
    """The same by a dialect's names of the counts."""
    try:
        counts = count(document_of(data))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(counts, dict) or not any(counts.values()):
        return None
    usage, fault = counted(counts, prompt, 0)
    return None if fault else usage


def with_schema(messages: tuple[Message, ...], schema: str) -> tuple[Message, ...]:
    """The messages, with the schema at their end."""
    *earlier, last = messages
    text = f"{last.text}\n\nReply with one JSON object and nothing else.\nJSON schema: {schema}"
    return (*earlier, replace(last, text=text))


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """System text put in front of the first message, which becomes the user's if there is none."""
    system = "\n\n".join(m.text for m in messages if m.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return tuple(rest)
    if not rest or rest[0].role != "user":
        return (Message("user", system), *rest)
    return (Message("user", f"{system}\n\n{rest[0].text}"), *rest[1:])


def encoded_body(body: dict[str, Any]) -> bytes:
    """As JSON; half a surrogate pair, which no server would read, as U+FFFD."""
    # Three times as fast as json.dumps on a prompt of 5 KB.
    try:
        return pydantic_core.to_json(body)
    except pydantic_core.PydanticSerializationError:
        encoded = json.dumps(body, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return encoded.decode("utf-16", "replace").encode()


@lru_cache(maxsize=256)
def _response_format(name: str, schema: str, needs: int | None) -> bytes:
    """The end of a body that asks for a reply under this schema, its texts bounded by `needs`."""
    form = json.loads(schema)
    form = form if needs is None else bound_texts(form, needs)
    inner = {"name": name, "strict": True, "schema": form}
    extra = {"response_format": {"type": "json_schema", "json_schema": inner}}
    return b"," + pydantic_core.to_json(extra)[1:]


def bound_texts(schema: dict[str, Any], needs: int) -> dict[str, Any]:
    """The schema with a `maxLength` for each text that has none: else a model that runs in a loop,
    under a grammar that lets no text end but by its own will, fills it up to the token limit.

    One of several texts may take its even share of `needs` tokens, at three characters a token, and
    600 at least: a small model that loops in every account of a judge's reply then still ends it
    within the token limit. One or two may take twice the whole: what ends a long turn is to be the
    token limit, which is noticed, and not the bound, which is not.
    """
    texts = _texts_in(schema, schema.get("$defs", {}))
    if not texts:
        return schema
    longest = max(needs * 6 if texts <= 2 else needs * 3 // texts, _SHORTEST_BOUND)
    limited: dict[str, Any] = _with_bound(schema, min(longest, _LONGEST_BOUND))
    return limited


def _unbounded_text(node: Mapping[str, Any]) -> bool:
    return node.get("type") == "string" and not {"maxLength", "enum", "const", "pattern"} & {*node}


def _texts_in(node: Any, types: Mapping[str, Any], inside: tuple[str, ...] = ()) -> int:
    """How many texts without a bound a reply holds; those of a list with one entry."""
    if isinstance(node, list):
        return sum(_texts_in(child, types, inside) for child in node)
    if not isinstance(node, dict):
        return 0
    if _unbounded_text(node):
        return 1
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in types and name not in inside:
        return _texts_in(types[name], types, (*inside, name))
    return sum(_texts_in(part, types, inside) for key, part in node.items() if key != "$defs")


def _with_bound(node: Any, longest: int) -> Any:
    if isinstance(node, list):
        return [_with_bound(child, longest) for child in node]
    if not isinstance(node, dict):
        return node
    bound = {"maxLength": longest} if _unbounded_text(node) else {}
    return {key: _with_bound(part, longest) for key, part in node.items()} | bound


def _count(document: Any) -> Any:
    """The server's count of tokens, whatever it is, by the names of `Usage`."""
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
    """A count that some servers send as 120.0."""
    return int(count) if isinstance(count, float) and count.is_integer() else count


def _reasoning_tokens(document: dict[str, Any]) -> float:
    usage = document.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    tokens = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return tokens if isinstance(tokens, int | float) else 0


def _read_reasoning(message: dict[str, Any]) -> str:
    """Reasoning beside the text, as vLLM, SGLang (and others by the second name) send it: paid for
    as any other."""
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return reasoning if isinstance(reasoning, str) else ""


def _read_content(content: Any) -> tuple[str, str]:
    """The text of a content, which is a string, nothing, or a list of parts, and the rest of its
    parts, such as thoughts."""
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
    """What a refusal teaches about this server; None if it teaches nothing."""
    lesson = lesson_of(status, data)
    if lesson == "bounds" and not quirks.takes_bounds:
        lesson = "schema"  # without them it is refused as well
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
"""OpenAI's dialect, and that of whoever follows it."""
