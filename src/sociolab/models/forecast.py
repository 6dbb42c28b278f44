"""What the next call to a model may cost, learned from the calls so far."""

from __future__ import annotations

import asyncio
import math

from sociolab.core.ports import Prompt, Usage
from sociolab.models.prices import Price

FIRST = 4
"""Replies from which on a length is taken to be known; until then, calls in flight at most."""

FIRST_REPLY_TOKENS = 2000
"""What each of the first replies is taken to need at most, where no `max_tokens` bounds it."""

SPREAD = 4.0
"""Standard deviations by which a length may pass the longest so far."""


class Longest:
    """Numbers seen one by one, and a bound for the next."""

    __slots__ = ("_mean", "_squares", "count", "most")

    def __init__(self) -> None:
        self.count = 0
        self.most = 0.0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """One more (Welford's way to a variance)."""
        self.count += 1
        off = value - self._mean
        self._mean += off / self.count
        self._squares += off * (value - self._mean)
        self.most = max(self.most, value)

    @property
    def bound(self) -> float:
        """The largest so far and `SPREAD` standard deviations; 0 before there is any."""
        if self.count < 2:
            return self.most
        return self.most + SPREAD * math.sqrt(self._squares / (self.count - 1))


class Forecast:
    """What a call of one model in one role may cost, in dollars.

    `first` is the way in for calls while it is not `known` how long replies are.
    """

    def __init__(self, price: Price) -> None:
        self.first = asyncio.Semaphore(FIRST)
        self._price = price
        self._replies = Longest()
        self._tokens_a_byte = Longest()

    @property
    def known(self) -> bool:
        """Whether enough replies have come back."""
        return self._replies.count >= FIRST

    def most(self, size: int, max_tokens: int | None) -> float:
        """Dollars for a prompt of `size` bytes; until lengths are known, at least a token a byte
        and, without `max_tokens`, `FIRST_REPLY_TOKENS`."""
        seen = self._tokens_a_byte
        a_byte = seen.bound if self.known else max(1.0, seen.most)
        written = max_tokens or math.ceil(self._unlimited())
        return self._price.of(Usage(math.ceil(size * a_byte), written))

    def learn(self, size: int, usage: Usage) -> None:
        """What a call took."""
        self._replies.add(usage.completion)
        self._tokens_a_byte.add(usage.prompt / max(size, 1))

    def _unlimited(self) -> float:
        if self.known:
            return self._replies.bound
        return max(FIRST_REPLY_TOKENS, self._replies.most)


def bytes_of(prompt: Prompt) -> int:
    """The length of a prompt in UTF-8, its schema included."""
    size = sum([_size(message.text) for message in prompt.messages])
    return size + _size(prompt.schema.text) if prompt.schema is not None else size


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
