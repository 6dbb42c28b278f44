"""Servers as one meets them: a limit of requests a minute, a context that cuts in silence, a model
that never ends.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace

from sociolab.endpoint.chat import ChatBody, RefusalError

LONGEST_LOOP = 16_384
"""Tokens after which a reply without a cap ends all the same."""

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
"""A text in JSON, or the name of a property with its colon."""


class RequestBucket:
    """A token bucket: `burst` requests at once, `per_minute` in the long run."""

    def __init__(self, per_minute: float, burst: int, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._burst = burst
        self._clock = clock
        self._level = float(burst)
        self._filled_at = clock()

    def take(self) -> dict[str, str]:
        """Let one request pass and return the headers of its reply; RefusalError (429) where the
        bucket is empty."""
        now = self._clock()
        gained = (now - self._filled_at) * self._per_minute / 60
        self._level, self._filled_at = min(self._burst, self._level + gained), now
        # As many sixtieths as make a request may add up to a little less than one.
        if missing := max(0.0, 1 - 1e-9 - self._level):
            seconds = missing * 60 / self._per_minute
            raise RefusalError(
                429,
                f"Rate limit reached on requests per min: limit {self._per_minute:g}. Please try "
                f"again in {_duration(seconds)}.",
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
            "x-ratelimit-reset-requests": _duration(until_full),
        }


def _duration(seconds: float) -> str:
    """As OpenAI writes it: "120ms", "1.5s", "6m0s"."""
    thousandths = math.ceil(seconds * 1000)
    if thousandths < 1000:
        return f"{thousandths}ms"
    minutes, rest = divmod(thousandths, 60_000)
    return f"{f'{minutes}m' if minutes else ''}{rest / 1000:g}s"


def cut_history(chat: ChatBody, tokens: int) -> ChatBody:
    """The same request with the last `tokens` of its messages alone."""
    remaining, messages = 4 * tokens, []
    for message in reversed(chat.messages):
        if remaining > 0:
            messages.append(message._replace(text=message.text[-remaining:]))
            remaining -= len(message.text)
    return replace(chat, messages=tuple(reversed(messages)))


def endless(text: str, tokens: int) -> str:
    """A reply that began as this one and never came to its end: cut after so many tokens. A JSON
    text goes on within its longest string."""
    start, words = text, text
    try:
        json.loads(text)
    except ValueError:
        pass
    else:
        if strings := [string for string in _STRING.finditer(text) if not string[2]]:
            longest = max(strings, key=lambda string: len(string[1]))
            start, words = text[: longest.end(1)], longest[1]
    words = f" {words or 'and so on'}"
    length = 4 * tokens
    return (start + words * (length // len(words) + 1))[:length]
