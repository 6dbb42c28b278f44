"""Fault injection: which fault a request gets, how it corrupts the reply, the latency, and the
requests that a server with these settings refuses.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from sociolab.endpoint.chat import (
    ChatBody,
    RefusalError,
    bad_request,
    unknown_model,
    unsupported_value,
)
from sociolab.endpoint.settings import FAULTS, EndpointSettings, Fault

HANG_SECONDS = 600.0


def draw_fault(settings: EndpointSettings, chance: Chance) -> Fault | None:
    """The fault of this attempt, by the rates of the settings; None for a good reply."""
    rates = [getattr(settings, fault) for fault in FAULTS]
    if not any(rates):
        return None
    point = chance.stream("fault").random()
    for fault, rate in zip(FAULTS, rates, strict=True):
        point -= rate
        if point < 0:
            return fault
    return None


def drop_choices(body: bytes, as_message: bool = False) -> bytes:
    """The response body without its reply; its usage stays."""
    empty: dict[str, Any] = {"content": None} if as_message else {"choices": []}
    return json.dumps(json.loads(body) | empty).encode()


def make_malformed_body(chance: Chance, as_message: bool = False) -> tuple[bytes, str]:
    """A body that is not a completion (or a message), and its content type."""
    body, kind = chance.stream("malformed body").choice(_BODIES)
    if as_message:
        body = body.replace(b'"choices":[]', b'"content":null').replace(b'"choices"', b'"content"')
    return body, "text/html" if kind == "html" else "application/json"


def truncate_text(text: str, chance: Chance) -> str:
    """The beginning of a text, a fifth to four fifths of it."""
    return text[: int(len(text) * (0.2 + 0.6 * chance.stream("cut").random()))]


def corrupt_json(text: str, chance: Chance) -> str:
    """JSON with a mistake that models make; prose becomes the start of an object."""
    if not text.startswith(("{", "[")):
        return '{"text": "' + text
    mistakes = (
        text[:-1],
        text[:-1] + "," + text[-1],
        text.replace('"', "'"),
        text.replace('": ', '" ', 1),
        text.replace('": "', '": "So-called "', 1),
        f'{text[:1]}"number": {"9" * 5000}, {text[1:]}',  # too many digits for Python to parse
    )
    corrupted = chance.stream("mistake").choice(mistakes)
    return text[:-1] if _is_json(corrupted) else corrupted


def add_thinking(text: str, thought: str) -> str:
    return f"<think>\n{thought}\n</think>\n\n{text}"


def add_fence(text: str) -> str:
    """Put a JSON reply into a code fence with chatter around it; prose stays as it is."""
    if not _is_json(text):
        return text
    return f"Sure, here is my reply:\n\n```json\n{text}\n```\n\nLet me know if you need more."


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


_BODIES = (
    (b"<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>", "html"),
    (b'{"object":"error","detail":"upstream sent nothing"}', "json"),
    (b'{"id":"chatcmpl-0","object":"chat.completion","choices":[]}', "json"),
    (b'{"id":"chatcmpl-0","object":"chat.completion","choices":[{"index":0}]}', "json"),
    (b'{"choices":' + b'[{"message":' * 10_000, "json"),
    (b'{"choices":[{"message":{"content":' + b"9" * 10_000 + b"}}]}", "json"),
)


def refuse_unsupported(settings: EndpointSettings, chat: ChatBody, tuned: tuple[str, ...]) -> None:
    """RefusalError (404 or 400) if a server with these settings would refuse the request.

    `tuned` are the models fine-tuned here, which are served beside those of the settings.
    """
    fields = chat.fields
    if settings.models and chat.model not in (*settings.models, *tuned):
        raise unknown_model(chat.model)
    if settings.wants_max_completion_tokens and fields.get("max_tokens") is not None:
        raise _unsupported("max_tokens", "Use 'max_completion_tokens' instead.")
    if settings.fixed_temperature and fields.get("temperature") not in (None, 1):
        raise unsupported_value("temperature", str(fields["temperature"]), "the default (1) value")
    for param in ("frequency_penalty", "presence_penalty") if settings.no_penalties else ():
        if fields.get(param) is not None:
            raise _unsupported(param)
    for index, message in enumerate(chat.messages if settings.no_system_role else ()):
        if message.role == "system":
            raise unsupported_value(f"messages[{index}].role", "'system'", "another role")
    if settings.no_json_schema and chat.schema:
        raise bad_request(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
            "this model.",
            param="response_format",
        )
    limit, characters = settings.context_characters, chat.prompt_characters
    if limit is not None and characters > limit:
        raise bad_request(
            f"This model's maximum context length is {limit // 4} tokens. However, your messages "
            f"resulted in {-(-characters // 4)} tokens. Please reduce the length of the messages.",
            param="messages",
            code="context_length_exceeded",
        )


def _unsupported(param: str, advice: str = "") -> RefusalError:
    return bad_request(
        f"Unsupported parameter: '{param}' is not supported with this model. {advice}".strip(),
        param=param,
        code="unsupported_parameter",
    )


class Chance:
    """The random draws for one attempt; the same for the same request, seed and attempt."""

    def __init__(self, key: bytes, attempt: int = 1) -> None:
        self._key = key + attempt.to_bytes(8, "big")

    def stream(self, purpose: str) -> Random:
        """A generator for one purpose, independent of other draws."""
        return Random(self._key + purpose.encode())


def latency_seconds(settings: EndpointSettings, chance: Chance) -> float:
    """The latency of this reply; its mean over requests is `latency_ms` for every shape."""
    mean, sigma = settings.latency_ms / 1000, settings.latency_sigma
    if mean == 0 or settings.latency_shape == "constant":
        return mean
    drawn = chance.stream("latency")
    if settings.latency_shape == "uniform":
        return drawn.uniform(0, 2 * mean)
    return mean * drawn.lognormvariate(-sigma * sigma / 2, sigma)  # of mean 1
