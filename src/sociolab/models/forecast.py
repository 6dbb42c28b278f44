"""What a call took, as far as its provider can be believed, and what the next one may cost."""

from __future__ import annotations

import asyncio
import math

from pydantic import TypeAdapter, ValidationError

from sociolab.core.ports import Prompt, Usage
from sociolab.models.prices import Price

FIRST = 4
"""Replies from which on a length is taken to be known; until then, calls in flight at most."""

FIRST_REPLY_TOKENS = 2000
"""What each of the first replies is taken to need at most, where no `max_tokens` bounds it."""

SPREAD = 4.0
"""Standard deviations by which a length may pass the longest so far."""

BYTES_A_TOKEN = 3
"""UTF-8 bytes that make a token where the provider counts none.

Errs high: today's tokenizers take 4 to 5 bytes of English a token, about 3 of JSON, code and most
other scripts. Unlike `prices.CHARACTERS_A_TOKEN`, which is meant to be right on average.
"""

_USAGE = TypeAdapter(Usage)


def counted(told: object, prompt: Prompt, written: int) -> tuple[Usage, str]:
    """The usage of a call, and what is wrong with the provider's count of it, "" if nothing is.

    `told` is that count: a dict with the names of `Usage`, in which what was not counted is None
    or missing. `written` is the length of the whole reply in bytes, reasoning included. 0 tokens
    for a text that is not empty are no count. Impossible are values that are not whole numbers
    from 0 to `MOST_TOKENS`, and more cached tokens than the prompt has. What is missing or
    impossible is estimated at `BYTES_A_TOKEN`, and the usage is marked as an estimate.
    """
    if isinstance(told, dict):
        told = {name: count for name, count in told.items() if count is not None}
    try:
        usage, fault = _USAGE.validate_python(told), ""
        if usage.cached > usage.prompt:
            usage, fault = Usage(), f"{usage.cached} as cached tokens of {usage.prompt}"
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{first['loc'][0]} tokens" if first["loc"] else "usage"
        usage, fault = Usage(), f"{_shown(first['input'])} as {what}"
    if fault:
        fault = f"expected token counts from 0 to 2^31, found {fault}"
    if not usage.prompt or (written and not usage.completion):
        usage = Usage(
            usage.prompt or _tokens(bytes_of(prompt)),
            usage.completion or _tokens(written),
            usage.cached,
            estimated=True,
        )
    return usage, fault


def _tokens(size: int) -> int:
    return math.ceil(size / BYTES_A_TOKEN)


def _shown(count: object) -> str:
    """A count that cannot be; of what is no number only the type, for it goes into the store."""
    if isinstance(count, int) and abs(count) >= 10**20:
        return "a number beyond 10^20"
    return str(count) if isinstance(count, int | float) else f"a {type(count).__name__}"


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
    size = sum([size_of(message.text) for message in prompt.messages])
    return size + size_of(prompt.schema.text) if prompt.schema is not None else size


def size_of(text: str) -> int:
    """The length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
