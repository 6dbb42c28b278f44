"""Realistic servers: a rate limit, a context window that truncates silently, a model that loops."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace

from sociolab.endpoint.chat import ChatBody, RefusalError

LONGEST_LOOP = 16_384
"""Tokens after which a looping reply without a cap ends."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
"""A string in JSON; group 2 is the colon after the name of a property."""


class RequestBucket:
    """A token bucket: `burst` requests at once, `per_minute` in the long run."""

    def __init__(self, per_minute: float, burst: int, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._burst = burst
        self._clock = clock
        self._level = float(burst)
        self._filled_at = clock()

    def take(self) -> dict[str, str]:
        """Take a token for a request, and return the headers of its reply; RefusalError (429) if
        the bucket is empty."""
        now = self._clock()
        gained = (now - self._filled_at) * self._per_minute / 60
        self._level, self._filled_at = min(self._burst, self._level + gained), now
        # A tolerance, since rounding may leave the level a little below one.
        if missing := max(0.0, 1 - 1e-9 - self._level):
            seconds = missing * 60 / self._per_minute
            raise RefusalError(
                429,
                f"Rate limit reached on requests per min: limit {self._per_minute:g}. Please try "
                f"again in {_format_duration(seconds)}.",
                kind="requests",
                code="rate_limit_exceeded",
                headers=self._headers()
                | {
                    "retry-after": str(math.ceil(seconds)),
                    "retry-after-ms": str(math.ceil(seconds * 1000)),
                },
            )
        self._level -= 1
        return self._headers()

    def _headers(self) -> dict[str, str]:
        until_full = (self._burst - self._level) * 60 / self._per_minute
        return {
            "x-ratelimit-limit-requests": f"{self._per_minute:g}",
            "x-ratelimit-remaining-requests": str(max(0, math.floor(self._level + 1e-9))),
            "x-ratelimit-reset-requests": _format_duration(until_full),
        }


def _format_duration(seconds: float) -> str:
    """A duration in OpenAI's form: "120ms", "1.5s", "6m0s"."""
    milliseconds = math.ceil(seconds * 1000)
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{f'{minutes}m' if minutes else ''}{rest / 1000:g}s"


def cut_history(chat: ChatBody, tokens: int) -> ChatBody:
    """The request with only the last `tokens` of its messages, at four characters per token."""
    remaining, messages = 4 * tokens, []
    for message in reversed(chat.messages):
        if remaining > 0:
            messages.append(message._replace(text=message.text[-remaining:]))
            remaining -= len(message.text)
    return replace(chat, messages=tuple(reversed(messages)))


def endless_reply(text: str, tokens: int) -> str:
    """A reply that begins with this text and repeats itself up to so many tokens.

    A JSON text repeats its longest string, within it.
    """
    start, loop = text, text
    try:
        json.loads(text)
    except ValueError:
        pass
    else:
        if strings := [string for string in _STRING.finditer(text) if not string[2]]:
            longest = max(strings, key=lambda string: len(string[1]))
            start, loop = text[: longest.end(1)], longest[1]
    loop = f" {loop or 'and so on'}"
    length = 4 * tokens
    return (start + loop * (length // len(loop) + 1))[:length]
