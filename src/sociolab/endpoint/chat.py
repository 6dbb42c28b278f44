"""A chat completion over HTTP: the request read and checked, the body of the reply, and errors in
the form in which OpenAI's API returns them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

ROLES = frozenset(("system", "developer", "user", "assistant", "tool"))
"""The roles that a message may have."""


class ChatMessage(NamedTuple):
    """One message; a content in parts is joined."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ChatBody:
    """What a request asks for.

    `schema` is the response format's JSON schema as compact JSON in the order in which it came,
    "" if there is none; `fields` is the whole body; `key` is a hash of the seed and the body.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    schema: str
    fields: Mapping[str, Any]
    key: bytes

    @property
    def prompt_characters(self) -> int:
        """Length of all message texts and of the schema."""
        return len(self.schema) + sum([len(message.text) for message in self.messages])


class ChatReader:
    """Reads requests; what follows `"response_format":` in a body is read once and remembered.

    A schema makes up much of a body and is nearly always an old acquaintance, so that cutting it
    off halves the work. `seed` enters the keys.
    """

    def __init__(self, seed: int) -> None:
        self._salt = str(seed).encode()
        self._tails: dict[bytes, tuple[dict[str, Any], str]] = {}

    def read(self, raw: bytes) -> ChatBody:
        """The request in these bytes; RefusalError (400) if it is none."""
        fields, schema = self._split(raw) or _whole(raw)
        model = fields.get("model")
        if not isinstance(model, str) or not model:
            raise _missing("model")
        if fields.get("stream"):
            raise _unsupported("stream", "true", "false")
        if fields.get("n") not in (None, 1):
            raise _unsupported("n", str(fields["n"]), "1")
        key = hashlib.blake2b(raw, digest_size=16, key=self._salt).digest()
        return ChatBody(model, _messages(fields), schema, fields, key)

    def _split(self, raw: bytes) -> tuple[dict[str, Any], str] | None:
        """The body read in two parts; None if it cannot be cut there.

        If both parts, closed and opened with a brace, are objects, the cut was at a border of the
        outermost object: no text of a message can contain the mark, which has bare quotes.
        """
        cut = raw.rfind(_MARK)
        comma = raw.rfind(b",", 0, max(cut, 0))
        if comma < 0 or raw[comma + 1 : cut].strip():
            return None
        tail = raw[cut:]
        try:
            head = json.loads(raw[:comma] + b"}")
            if tail not in self._tails:
                if len(self._tails) >= _MOST_TAILS:
                    self._tails.clear()
                fields = json.loads(b"{" + tail)
                self._tails[tail] = fields, _schema(fields)
        except ValueError:
            return None
        fields, schema = self._tails[tail]
        return head | fields, schema


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_MARK = b'"response_format":'

_MOST_TAILS = 200


def _whole(raw: bytes) -> tuple[dict[str, Any], str]:
    try:
        fields = json.loads(raw)
    except ValueError:
        raise bad_request("We could not parse the JSON body of your request.") from None
    if not isinstance(fields, dict):
        raise bad_request("The body of the request must be a JSON object.")
    return fields, _schema(fields)


def _messages(fields: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    rows = fields.get("messages")
    if rows is None:
        raise _missing("messages")
    if not isinstance(rows, list) or not rows:
        raise bad_request("'messages' must be an array of at least one message.", param="messages")
    return tuple([_message(index, row) for index, row in enumerate(rows)])


def _message(index: int, row: Any) -> ChatMessage:
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


def _schema(fields: Mapping[str, Any]) -> str:
    wanted = fields.get("response_format")
    if wanted is None:
        return ""
    if not isinstance(wanted, dict) or wanted.get("type") not in (
        "text",
        "json_object",
        "json_schema",
    ):
        raise bad_request(
            "Invalid value for 'response_format.type': expected text, json_object or json_schema.",
            param="response_format.type",
            code="invalid_value",
        )
    if wanted["type"] != "json_schema":
        return ""
    inner = wanted.get("json_schema")
    if not isinstance(inner, dict) or not isinstance(inner.get("schema"), dict):
        raise _missing("response_format.json_schema.schema")
    return _compact(inner["schema"])


def _missing(param: str) -> RefusalError:
    return bad_request(
        f"Missing required parameter: '{param}'.", param=param, code="missing_required_parameter"
    )


def _unsupported(param: str, found: str, wanted: str) -> RefusalError:
    return bad_request(
        f"Unsupported value: '{param}' does not support {found} here. Only {wanted} is supported.",
        param=param,
        code="unsupported_value",
    )


class TokenCounts(NamedTuple):
    """Token counts of one reply: a quarter of the characters, `cached` a part of `prompt`."""

    prompt: int
    completion: int
    cached: int


def usage_of(prompt_characters: int, repeated: int, text: str) -> TokenCounts:
    """Tokens at four characters each: rounded up, the cached ones down."""
    return TokenCounts(-(-prompt_characters // 4), -(-len(text) // 4), repeated // 4)


def completion(chat: ChatBody, text: str, finish_reason: str, usage: str) -> bytes:
    """A completion as JSON; it holds no clock, so that the same request gives the same bytes."""
    body = _TEMPLATE % (
        chat.key.hex(),
        json.dumps(chat.model),
        json.dumps(text),
        finish_reason,
        usage,
    )
    return body.encode()


def usage_json(usage: TokenCounts) -> str:
    """Counts of tokens, as a completion holds them."""
    total = usage.prompt + usage.completion
    return _USAGE % (usage.prompt, usage.completion, total, usage.cached)


_TEMPLATE = (
    '{"id":"chatcmpl-%s","object":"chat.completion","created":0,"model":%s,"choices":[{"index":0,'
    '"message":{"role":"assistant","content":%s,"refusal":null},"logprobs":null,'
    '"finish_reason":"%s"}],"usage":%s}'
)

_USAGE = (
    '{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,'
    '"prompt_tokens_details":{"cached_tokens":%d}}'
)


class RefusalError(Exception):
    """A request that is answered with an error: the status and the body to send."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        error = {"message": message, "type": kind, "param": param, "code": code}
        self.body = json.dumps({"error": error}).encode()


def bad_request(message: str, *, param: str | None = None, code: str | None = None) -> RefusalError:
    """A 400."""
    return RefusalError(400, message, param=param, code=code)


def wrong_key() -> RefusalError:
    """The 401 for a missing or wrong bearer token."""
    return RefusalError(401, "Incorrect API key provided.", code="invalid_api_key")


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
    """The 405 for a method that an address does not take."""
    return RefusalError(405, f"Not allowed to {method} on {path}.", code="method_not_supported")


def rate_limited(model: str, seconds: float) -> RefusalError:
    """The 429 of a full rate limit."""
    return RefusalError(
        429,
        f"Rate limit reached for {model}. Please try again in {seconds:g}s.",
        kind="requests",
        code="rate_limit_exceeded",
    )


def server_error() -> RefusalError:
    """The 500 of a server in trouble."""
    return RefusalError(
        500, "The server had an error while processing your request.", kind="server_error"
    )
