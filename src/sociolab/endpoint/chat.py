"""Chat completions and embeddings on the local endpoint: requests, replies, and errors in the form
of OpenAI's API.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sociolab.core.ports import ToolDefinition, Usage
from sociolab.prompting.prefixes import ROLES
from sociolab.protocols.chat_completions import read_choice, read_tool
from sociolab.protocols.request import read_list, read_record


class ChatMessage(NamedTuple):
    """A message; content in parts is joined."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A request for a chat completion.

    `schema` is the response format's JSON schema as compact JSON in its original order, "" if there
    is none; `fields` is the whole body; `key` is a hash of the seed, the body and, unless the
    temperature is 0, the call that it belongs to, if the client names it.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    schema: str
    fields: Mapping[str, Any]
    key: bytes
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: str = "auto"

    @property
    def stream(self) -> bool:
        return bool(self.fields.get("stream"))

    @property
    def cap(self) -> int | None:
        """The token limit of the reply; None without one."""
        cap: int | None = self.fields.get("max_completion_tokens") or self.fields.get("max_tokens")
        return cap

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]

    @property
    def prompt_characters(self) -> int:
        """The length of all message texts, of the schema and of the tools."""
        tools = sum(len(text) for tool in self.tools for text in tool.texts)
        return len(self.schema) + sum(map(len, self.texts)) + tools


def read_chat(raw: bytes, seed: int = 0, call: str = "") -> ChatBody:
    """Parse a request, whose key depends on `seed` and `call`; RefusalError (400) if invalid."""
    try:
        fields = json.loads(raw)
    except ValueError:
        raise bad_request("We could not parse the JSON body of your request.") from None
    if not isinstance(fields, dict):
        raise bad_request("The body of the request must be a JSON object.")
    return build_chat(
        fields, request_key(raw, seed, call if fields.get("temperature") != 0 else "")
    )


def request_key(raw: bytes, seed: int, call: str = "") -> bytes:
    """The key of the random draws for a request."""
    return hashlib.blake2b(raw + call.encode(), digest_size=16, key=str(seed).encode()).digest()


def build_chat(fields: Mapping[str, Any], key: bytes) -> ChatBody:
    """A request from the fields of its body; RefusalError (400) or InvalidRequestError if it is
    invalid."""
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise _missing("model")
    for name in ("logprobs", "top_logprobs", "logit_bias", "functions", "function_call", "audio"):
        if fields.get(name):
            raise unsupported_value(name, "any value", "none")
    if fields.get("n") not in (None, 1):
        raise unsupported_value("n", str(fields["n"]), "1")
    for name in ("max_tokens", "max_completion_tokens"):
        cap = fields.get(name)
        if cap is not None and (type(cap) is not int or cap < 1):
            raise bad_request(
                f"Invalid value for '{name}': expected a positive integer.",
                param=name,
                code="invalid_value",
            )
    tools = tuple(read_tool(row) for row in read_list(fields, "tools"))
    choice = read_choice(fields.get("tool_choice"))
    read_record(fields, "stream_options")
    return ChatBody(model, _read_messages(fields), _read_schema(fields), fields, key, tools, choice)


def _read_messages(fields: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    rows = fields.get("messages")
    if rows is None:
        raise _missing("messages")
    if not isinstance(rows, list) or not rows:
        raise bad_request("'messages' must be an array of at least one message.", param="messages")
    return tuple([_read_message(index, row) for index, row in enumerate(rows)])


def _read_message(index: int, row: Any) -> ChatMessage:
    if not isinstance(row, dict) or row.get("role") not in ROLES:
        raise bad_request(
            f"Invalid value for 'messages[{index}].role': expected one of "
            f"{', '.join(sorted(ROLES))}.",
            param=f"messages[{index}].role",
            code="invalid_value",
        )
    content = row.get("content")
    if isinstance(content, str):
        return ChatMessage(row["role"], content)
    try:
        return ChatMessage(row["role"], "".join(part["text"] for part in content or ()))
    except (TypeError, KeyError):
        raise bad_request(
            f"Invalid value for 'messages[{index}].content': expected a string or an array of "
            "text parts.",
            param=f"messages[{index}].content",
            code="invalid_type",
        ) from None


def _read_schema(fields: Mapping[str, Any]) -> str:
    form = fields.get("response_format")
    if form is None:
        return ""
    if not isinstance(form, dict) or form.get("type") not in (
        "text",
        "json_object",
        "json_schema",
    ):
        raise bad_request(
            "Invalid value for 'response_format.type': expected text, json_object or json_schema.",
            param="response_format.type",
            code="invalid_value",
        )
    if form["type"] != "json_schema":
        return ""
    inner = form.get("json_schema")
    if not isinstance(inner, dict) or not isinstance(inner.get("schema"), dict):
        raise _missing("response_format.json_schema.schema")
    return _compact(inner["schema"])


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _missing(param: str) -> RefusalError:
    return bad_request(
        f"Missing required parameter: '{param}'.", param=param, code="missing_required_parameter"
    )


def unsupported_value(param: str, value: str, choices: str) -> RefusalError:
    """The 400 for a value that this server does not accept."""
    return bad_request(
        f"Unsupported value: '{param}' does not support {value} here. Only {choices} is supported.",
        param=param,
        code="unsupported_value",
    )


def count_usage(prompt_characters: int, repeated: int, text: str) -> Usage:
    """The usage of a completion, at four characters per token: rounded up, cached tokens down."""
    return Usage(-(-prompt_characters // 4), -(-len(text) // 4), repeated // 4)


class RefusalError(Exception):
    """A request that gets an error: the status, headers and body to send."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.code = code
        error = {"message": message, "type": kind, "param": param, "code": code}
        self.body = json.dumps({"error": error}).encode()


def bad_request(message: str, *, param: str | None = None, code: str | None = None) -> RefusalError:
    return RefusalError(400, message, param=param, code=code)


def unknown_model(model: str) -> RefusalError:
    """The 404 for a model that does not exist."""
    return RefusalError(
        404,
        f"The model `{model}` does not exist or you do not have access to it.",
        param="model",
        code="model_not_found",
    )


def unknown_url(method: str, path: str) -> RefusalError:
    """The 404 for an address that does not exist."""
    return RefusalError(404, f"Invalid URL ({method} {path})", code="unknown_url")


def wrong_method(method: str, path: str) -> RefusalError:
    """The 405 for a method that an address does not accept."""
    return RefusalError(405, f"Not allowed to {method} on {path}.", code="method_not_supported")


# ------------------------------------------------------------------ embeddings


DIMENSIONS = 64
"""Of a vector, where the request does not set them."""


@dataclass(frozen=True, slots=True)
class EmbeddingBody:
    """A request for embeddings; `key` is a hash of the seed and the body."""

    model: str
    texts: tuple[str, ...]
    dimensions: int
    key: bytes


def read_embeddings(raw: bytes, seed: int = 0) -> EmbeddingBody:
    """Parse a request; RefusalError (400) if it is invalid."""
    try:
        fields = json.loads(raw)
        model, inputs = fields["model"], fields["input"]
        size = fields.get("dimensions", DIMENSIONS)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise bad_request("Expected a JSON object with 'model' and 'input'.") from None
    texts = [inputs] if isinstance(inputs, str) else inputs
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) and t for t in texts):
        raise bad_request("'input' must be a text or an array of texts, none empty.", param="input")
    if not isinstance(model, str) or not isinstance(size, int) or not 1 <= size <= 4096:
        raise bad_request("'model' must be a text, 'dimensions' a number from 1 to 4096.")
    return EmbeddingBody(model, tuple(texts), size, request_key(raw, seed))


def write_embeddings(body: EmbeddingBody, usage: Usage) -> bytes:
    """The response as JSON, with a unit vector for each text."""
    rows = [
        {"object": "embedding", "index": index, "embedding": _vector(text, body.dimensions)}
        for index, text in enumerate(body.texts)
    ]
    used = {"prompt_tokens": usage.prompt, "total_tokens": usage.prompt}
    return json.dumps({"object": "list", "data": rows, "model": body.model, "usage": used}).encode()


def _vector(text: str, dimensions: int) -> list[float]:
    """The sum of one vector per word, scaled to length one: texts that share words are similar."""
    vector = [0.0] * dimensions
    for word in text.lower().split():
        digest = hashlib.shake_128(word.encode(errors="surrogatepass")).digest(dimensions)
        vector = [value + byte - 127.5 for value, byte in zip(vector, digest, strict=True)]
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]
