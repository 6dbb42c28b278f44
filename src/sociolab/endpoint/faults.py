"""What befalls a request: chance keyed by it, the delay, the fault that is drawn and how it spoils
a text or a body, and what a server of these settings refuses.
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from sociolab.endpoint.chat import ChatBody, bad_request, unknown_model
from sociolab.endpoint.settings import FAULTS, EndpointSettings, Fault

HANG_SECONDS = 600.0


class FaultTable:
    """Draws at most one fault for an attempt, by the rates of the settings."""

    def __init__(self, settings: EndpointSettings) -> None:
        rates = [(fault, getattr(settings, fault)) for fault in FAULTS]
        self._faults: tuple[Fault, ...] = tuple(fault for fault, rate in rates if rate > 0)
        self._bounds = tuple(accumulate(rate for _, rate in rates if rate > 0))

    def drawn(self, chance: Chance) -> Fault | None:
        """The fault of this attempt; None for a good one."""
        if not self._faults:
            return None
        at = bisect_right(self._bounds, chance.fraction("fault"))
        return self._faults[at] if at < len(self._faults) else None


def malformed_body(chance: Chance) -> tuple[bytes, str]:
    """A body that is no chat completion, and its content type."""
    body, kind = _BODIES[chance.pick("malformed body", len(_BODIES))]
    return body, "text/html" if kind == "html" else "application/json"


def truncated(text: str, chance: Chance) -> str:
    """The beginning of a text: between a fifth and four fifths of it."""
    return text[: int(len(text) * (0.2 + 0.6 * chance.fraction("cut")))]


def nearly_json(text: str, chance: Chance) -> str:
    """A JSON text with a mistake of the kind that models make; prose gets an open brace."""
    if not text.startswith(("{", "[")):
        return '{"text": "' + text
    mistakes = (
        text[:-1],
        text[:-1] + "," + text[-1],
        text.replace('"', "'"),
        text.replace('": ', '" ', 1),
        text.replace('": "', '": "So-called "', 1),
        f'{text[:1]}"number": {"9" * 5000}, {text[1:]}',  # a loop of digits: too long to be read
    )
    spoilt = mistakes[chance.pick("mistake", len(mistakes))]
    return text[:-1] if _is_json(spoilt) else spoilt


def after_thinking(text: str, thought: str) -> str:
    """A reply behind a <think> block."""
    return f"<think>\n{thought}\n</think>\n\n{text}"


def in_a_fence(text: str) -> str:
    """A JSON reply in a fence with chatter around it; prose stays as it is."""
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


def refuse_what_is_unsupported(
    settings: EndpointSettings, chat: ChatBody, tuned: tuple[str, ...]
) -> None:
    """RefusalError (404 or 400) if the server that the settings describe would not take this.

    `tuned` are the models that were fine-tuned here: they exist beside those of the settings.
    """
    fields = chat.fields
    if settings.models and chat.model not in (*settings.models, *tuned):
        raise unknown_model(chat.model)
    if settings.wants_max_completion_tokens and fields.get("max_tokens") is not None:
        raise bad_request(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        )
    if settings.fixed_temperature and fields.get("temperature") not in (None, 1):
        raise bad_request(
            f"Unsupported value: 'temperature' does not support {fields['temperature']} with this "
            "model. Only the default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        )
    if settings.no_penalties:
        _refuse_penalties(chat)
    if settings.no_system_role:
        _refuse_system_role(chat)
    if settings.no_json_schema and chat.schema:
        raise bad_request(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with "
            "this model.",
            param="response_format",
        )
    if settings.context_characters is not None:
        _refuse_long_prompt(chat, settings.context_characters)


def _refuse_penalties(chat: ChatBody) -> None:
    for param in ("frequency_penalty", "presence_penalty"):
        if chat.fields.get(param) is not None:
            raise bad_request(
                f"Unsupported parameter: '{param}' is not supported with this model.",
                param=param,
                code="unsupported_parameter",
            )


def _refuse_system_role(chat: ChatBody) -> None:
    for index, message in enumerate(chat.messages):
        if message.role == "system":
            raise bad_request(
                f"Unsupported value: 'messages[{index}].role' does not support 'system' with "
                "this model.",
                param=f"messages[{index}].role",
                code="unsupported_value",
            )


def _refuse_long_prompt(chat: ChatBody, limit: int) -> None:
    if chat.prompt_characters > limit:
        raise bad_request(
            f"This model's maximum context length is {limit // 4} tokens. However, your messages "
            f"resulted in {-(-chat.prompt_characters // 4)} tokens. Please reduce the length of "
            "the messages.",
            param="messages",
            code="context_length_exceeded",
        )


_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645

_MASK = (1 << 128) - 1


class Chance:
    """The numbers of one attempt at a request, one for each purpose, in any order of asking."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes, attempt: int = 1) -> None:
        self._key = key + attempt.to_bytes(8, "big")

    def fraction(self, purpose: str) -> float:
        """A number in [0, 1)."""
        digest = hashlib.blake2b(purpose.encode(), digest_size=7, key=self._key).digest()
        return (int.from_bytes(digest, "big") >> 3) / (1 << 53)

    def pick(self, purpose: str, count: int) -> int:
        """A number from 0 to count - 1."""
        return int(self.fraction(purpose) * count)

    def stream(self, purpose: str) -> Callable[[], float]:
        """A source of its own for many numbers in [0, 1)."""
        # A generator of 128 bits (O'Neill's multiplier): `random.Random` takes longer to seed
        # than a reply to make.
        state = int(self.fraction(purpose) * 2**53) << 64 | 1

        def fraction() -> float:
            nonlocal state
            state = state * _MULTIPLIER & _MASK
            return (state >> 75) / (1 << 53)

        return fraction


def latency_seconds(settings: EndpointSettings, chance: Chance) -> float:
    """How long this reply takes; its mean over requests is `latency_ms`, whatever its shape."""
    mean = settings.latency_ms / 1000
    if mean == 0 or settings.latency == "constant":
        return mean
    if settings.latency == "uniform":
        return 2 * mean * chance.fraction("latency")
    # Box and Muller's normal number; exp(normal - sigma^2 / 2) has mean 1.
    radius = math.sqrt(-2 * math.log(1 - chance.fraction("latency")))
    normal = radius * math.cos(2 * math.pi * chance.fraction("latency angle"))
    sigma = settings.latency_sigma
    return mean * math.exp(sigma * normal - sigma * sigma / 2)
