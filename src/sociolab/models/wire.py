"""The wire format of chat completions: request bodies out, replies and refusals in; and what the
formats of other families of servers (`messages`) must offer, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import pydantic_core

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Message, Prompt
from sociolab.models.budget import counted, size_of


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


ROOM_FOR_THOUGHTS = 16_384
"""Tokens that a model which thinks may spend on it, beside those of its reply."""

_LONGEST_BOUND = 2_000
"""Characters: llama.cpp's grammars ignore a longer `maxLength` without a word."""

_SHORTEST_BOUND = 600


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one family of servers is spoken to.

    `headers` are made of the key. `lacks` has the options that it does not know, by name, and what
    to do instead.
    """

    path: str
    headers: Callable[[str | None], dict[str, str]]
    body_of: Callable[[str, Prompt, Quirks, Mapping[str, Any]], bytes]
    read_reply: Callable[[bytes, Prompt, float, int], ChatReply]
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
        messages = messages if schema.told else with_schema(messages, schema.text)
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
    cap = prompt.max_tokens
    if cap is None and prompt.needs is not None:
        effort = (options or {}).get("reasoning_effort")
        thinks = quirks.thinks or effort not in (None, "none")
        cap = prompt.needs + ROOM_FOR_THOUGHTS * thinks
    if cap is not None:
        body[quirks.token_limit_name] = cap
    if options:
        body.update(options)
    encoded = encoded_body(body)
    if schema is None:
        return encoded
    needs = prompt.needs if quirks.takes_bounds else None
    return encoded[:-1] + _response_format(schema.name, schema.text, needs)


def read_reply(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The reply to a prompt in a response body; ModelError (retryable) if it is no completion.

    A refusal by the model's own safety training (OpenAI's `refusal`) counts as withheld. Usage
    that is missing or impossible costs no reply that was paid for: it is estimated, and what was
    impossible is the reply's `fault`.
    """
    try:
        document = document_of(data)
        choice = document["choices"][0]
        message = choice["message"]
        text, finish = _text(message.get("content")), _finish(choice.get("finish_reason"))
        if not text and message.get("refusal"):
            text, finish = str(message["refusal"]), "content filter"
        written = size_of(text) + _reasoning(message)
        usage, fault = counted(_told(document.get("usage")), prompt, written)
        return ChatReply(text, finish, usage, seconds, tries, fault=fault)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise malformed("a chat completion", data) from error


def malformed(wanted: str, data: bytes) -> ModelError:
    """That a body is not what it should be."""
    shown = data[:80].decode(errors="replace")
    problem = f"expected {wanted} as JSON, found {shown!r}"
    return ModelError(problem, cause="malformed reply", retryable=True)


def with_schema(messages: tuple[Message, ...], schema: str) -> tuple[Message, ...]:
    """The messages, with the schema at their end."""
    *others, last = messages
    text = f"{last.text}\n\nReply with one JSON object and nothing else.\nJSON schema: {schema}"
    return (*others, replace(last, text=text))


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
        whole = json.dumps(body, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return whole.decode("utf-16", "replace").encode()


@lru_cache(maxsize=256)
def _response_format(name: str, schema: str, needs: int | None) -> bytes:
    """The end of a body that asks for a reply under this schema, its texts bounded by `needs`."""
    form = json.loads(schema)
    form = form if needs is None else bounded(form, needs)
    inner = {"name": name, "strict": True, "schema": form}
    wanted = {"response_format": {"type": "json_schema", "json_schema": inner}}
    return b"," + pydantic_core.to_json(wanted)[1:]


def bounded(schema: dict[str, Any], needs: int) -> dict[str, Any]:
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
    found: dict[str, Any] = _with_bound(schema, min(longest, _LONGEST_BOUND))
    return found


def _unbounded_text(node: Mapping[str, Any]) -> bool:
    return node.get("type") == "string" and not {"maxLength", "enum", "const", "pattern"} & {*node}


def _texts_in(node: Any, types: Mapping[str, Any], inside: tuple[str, ...] = ()) -> int:
    """How many texts without a bound a reply holds; those of a list with one entry."""
    if isinstance(node, list):
        return sum(_texts_in(one, types, inside) for one in node)
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
        return [_with_bound(one, longest) for one in node]
    if not isinstance(node, dict):
        return node
    bound = {"maxLength": longest} if _unbounded_text(node) else {}
    return {key: _with_bound(part, longest) for key, part in node.items()} | bound


def document_of(data: bytes) -> Any:
    """The JSON of a body; ValueError or RecursionError if it is none."""
    try:
        return pydantic_core.from_json(data)
    except ValueError:
        return json.loads(data)  # takes half a surrogate pair, as a text that was cut may have


def _told(usage: Any) -> Any:
    """The server's count of tokens, whatever it is, by the names of `Usage`."""
    if usage is None:
        return {}
    if not isinstance(usage, dict):
        return usage
    details = usage.get("prompt_tokens_details")
    return {
        "prompt": usage.get("prompt_tokens"),
        "completion": usage.get("completion_tokens"),
        "cached": details.get("cached_tokens") if isinstance(details, dict) else details,
    }


def _reasoning(message: dict[str, Any]) -> int:
    """Bytes of reasoning beside the text, as vLLM, SGLang (and others by the second name) send
    it: paid for as any other."""
    told = message.get("reasoning_content") or message.get("reasoning")
    return size_of(told) if isinstance(told, str) else 0


def _text(content: Any) -> str:
    """Content as text: a string, nothing, or a list of parts."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    if not isinstance(content, str):
        raise TypeError(f"content is a {type(content).__name__}")
    return content


def _finish(reason: str | None) -> Literal["stop", "length", "content filter"]:
    if reason in ("length", "max_tokens"):
        return "length"
    return "content filter" if reason == "content_filter" else "stop"


_TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "context limit",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "input is too long",
)
_FILTERED = ("content_filter", "content management policy")
_NO_SYSTEM = ("system role", "'system'", '"system"', "system mess")
_NO_PENALTIES = ("frequency_penalty", "presence_penalty")
_NO_BOUNDS = ("maxlength", "minitems", "grammar", "schema")
_NO_SCHEMA = ("response_format", "json_schema", "guided")


def read_error(
    status: int, data: bytes, model: str, address: str, options: Mapping[str, Any] | None = None
) -> ModelError:
    """What a refusal means: its cause, and whether trying again may help.

    A refusal that names one of the options that are sent with every call is fatal.
    """
    said = error_message(data)
    where = f"{address} answered {status}: {said}"
    if 300 <= status < 400:
        advice = "redirects are not followed; give the final address as base URL"
        return ModelError(f"{where}; {advice}", cause="refused", fatal=True)
    if status in (401, 403):
        advice = "check the key in the environment variable that is named for this endpoint"
        return ModelError(f"{where}; {advice}", cause="credentials", fatal=True)
    if status == 404:
        advice = f'check the model name "{model}" and the base URL'
        return ModelError(f"{where}; {advice}", cause="unknown model", fatal=True)
    empty = ("insufficient_quota",) if status == 429 else ("credit balance is too low",)
    if status == 402 or _about(said, empty):
        return ModelError(f"{where}; the account has no credit", cause="refused", fatal=True)
    if status == 429:
        return ModelError(where, cause="rate limit", retryable=True)
    if status >= 500 or status in (408, 409, 425):
        return ModelError(where, cause="server error", retryable=True)
    if status == 413 or _about(said, _TOO_LONG):
        return ModelError(where, cause="context overflow")
    if _about(said, _FILTERED):
        return ModelError(where, cause="content filter")
    for name, value in (options or {}).items():
        if _names(said, name):
            advice = f"it was sent {name} = {json.dumps(value)}, as configured: leave that out"
            return ModelError(f"{where}; {advice}", cause="refused", fatal=True)
    return ModelError(where, cause="refused")


def learn(quirks: Quirks, status: int, data: bytes) -> Quirks | None:
    """What a refusal teaches about this server; None if it teaches nothing."""
    if status not in (400, 404, 422):
        return None
    said = error_message(data).lower()
    if _about(said, _TOO_LONG):
        return None  # some servers name every token setting in this message
    if quirks.token_limit_name == "max_tokens" and "max_completion_tokens" in said:
        return replace(quirks, token_limit_name="max_completion_tokens")
    if quirks.takes_temperature and "temperature" in said:
        return replace(quirks, takes_temperature=False)
    if quirks.takes_penalties and _about(said, _NO_PENALTIES):
        return replace(quirks, takes_penalties=False)
    if quirks.takes_bounds and _about(said, _NO_BOUNDS) and "response_format" not in said:
        return replace(quirks, takes_bounds=False)
    if quirks.takes_schema and _about(said, _NO_SCHEMA):
        return replace(quirks, takes_schema=False)
    if quirks.takes_system and _about(said, _NO_SYSTEM):
        return replace(quirks, takes_system=False)
    return None


def error_message(data: bytes) -> str:
    """What the server said, on one line; of a body that is no JSON error, its beginning."""
    try:
        error = pydantic_core.from_json(data)["error"]  # json.loads breaks on deep nesting
        if isinstance(error, str):
            error = {"message": error}
        parts = [error.get("message"), error.get("code"), error.get("param")]
        text = " / ".join(str(part) for part in parts if part)
    except (ValueError, KeyError, TypeError, AttributeError):
        text = data[:2000].decode(errors="replace")
    return " ".join(text.split())[:300]


CHAT = Dialect(
    "/chat/completions",
    lambda key: {"authorization": f"Bearer {key}"} if key else {},
    body_of,
    read_reply,
    learn,
    {"thinking": "set reasoning_effort, or what the server calls it under extra in models.toml"},
)
"""OpenAI's dialect, and that of whoever follows it."""


def _about(said: str, words: tuple[str, ...]) -> bool:
    said = said.lower()
    return any(word in said for word in words)


def _names(said: str, option: str) -> bool:
    """Whether a message names an option; one that is an everyday word must stand in quotes."""
    if "_" in option:
        return option in said
    return re.search(rf"""["'`]{re.escape(option)}["'`]|/ {re.escape(option)}$""", said) is not None
