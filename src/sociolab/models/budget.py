"""The budget of a run: usage and cost of calls, forecasts for the next ones, and the limit."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import TypeAdapter, ValidationError

from sociolab.core.errors import BudgetSpent, Cause
from sociolab.core.ports import Prompt, Usage

if TYPE_CHECKING:
    from sociolab.store.calls import Totals


class Budget:
    """Lets a call start only if its cost cannot take the run over the limit. US dollars.

    A call that does not fit beside those in flight waits for them, since most cost less than was
    held for them. Once one does not fit although none is in flight, the budget is used up for all.
    Without a limit (None) every call fits. Calls of a model whose replies may still be of any
    length go one at a time, through `first`.
    """

    def __init__(self, limit: float | None = None, before: Totals | None = None) -> None:
        self.limit = limit
        self.spent = 0.0
        self._spent_before = 0.0
        self._estimated = False
        if before is not None:
            self.carry_over(before)
        self._held = 0.0
        self._in_flight = 0
        self._used_up = False
        self.first = asyncio.Semaphore(1)
        self._queue: deque[asyncio.Future[None]] = deque()

    async def hold(self, most: Callable[[], float]) -> float:
        """Hold the most that a call may cost; the dollars to `release` when it is over.

        `most` is called again after each wait. BudgetSpent where there is not enough.
        """
        waited = False
        if self._queue:
            await self._wait_turn(at_front=False)
            waited = True
        while True:
            usd = most()
            fits = self.limit is None or self.spent + self._held + usd <= self.limit
            if fits and not self._used_up:
                break
            if self._used_up or not self._in_flight:
                raise self._spent_error(usd)
            await self._wait_turn(at_front=waited)
            waited = True
        self._held += usd
        self._in_flight += 1
        if waited:
            self._wake()  # there may be room for one more
        return usd

    def release(self, usd: float) -> None:
        """Release what was held for a call that is over; book its cost before."""
        self._in_flight -= 1
        self._held = self._held - usd if self._in_flight else 0.0
        self._wake()

    def carry_over(self, before: Totals) -> None:
        """Set what is spent to the cost of earlier parts of the run."""
        self.spent, self._estimated = before.usd or 0.0, before.estimated
        self._spent_before = self.spent

    def spend(self, usd: float, *, estimated: bool = False) -> None:
        """Book the cost of a call."""
        self.spent += usd
        self._estimated = self._estimated or estimated

    async def _wait_turn(self, *, at_front: bool) -> None:
        """Wait until a call is over, or until the one before in the queue has found room."""
        turn = asyncio.get_running_loop().create_future()
        (self._queue.appendleft if at_front else self._queue.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # its turn came as well: pass it on
                self._wake()
            raise

    def _wake(self) -> None:
        """Have the next in the queue look for room; cancelled ones are skipped."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _spent_error(self, usd: float) -> BudgetSpent:
        self._used_up = True
        self._wake()  # a call that is woken raises too, and wakes the next
        limit = self.limit or 0.0
        mark = "~" if self._estimated else ""
        spent, over = f"{mark}${self.spent:.4f} spent", self.spent - limit
        if self._spent_before > limit:
            spent += (
                f", {mark}${self._spent_before:.4f} of it before; a budget is for the whole run"
            )
        elif over > 0:
            spent += f" ({mark}${over:.4f} above it: a reply was longer than could be foreseen)"
        advice = "resume with a larger --budget"
        amount = f"{limit:.{2 if limit == round(limit, 2) else 4}f}"
        if not self.spent:
            return BudgetSpent(
                f"the budget of ${amount} is too small: nothing is spent yet, and a call may "
                f"cost ${usd:.4f}; {advice}, or limit its reply (?max_tokens=...)"
            )
        return BudgetSpent(
            f"the budget of ${amount} is used up: {spent}, and the next call may cost "
            f"${usd:.4f}; {advice}"
        )


CHARACTERS_A_TOKEN = 4.0
"""A rule of thumb for English, used where no provider has counted yet."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens: of prompts, of completions, read from the provider's cache and
    written into it. Without their own price, cached tokens cost what other input costs.

    >>> from sociolab.core import Usage
    >>> from sociolab.models import Price
    >>> price = Price(input=2.5, output=10)
    >>> price.cost_of(Usage(prompt=1_000_000, completion=200_000))
    4.5
    """

    input: float
    output: float
    cached: float | None = None
    into_cache: float | None = None

    def cost_of(self, usage: Usage) -> float:
        """The cost of a call in US dollars."""
        cached = self.input if self.cached is None else self.cached
        into = self.input if self.into_cache is None else self.into_cache
        fresh = max(0, usage.prompt - usage.cached - usage.written)
        read = fresh * self.input + usage.cached * cached + usage.written * into
        return (read + usage.completion * self.output) / 1e6


def estimate_tokens(prompt: Prompt) -> int:
    """Estimate a prompt's tokens, its schema included, at `CHARACTERS_A_TOKEN`."""
    return round(sum(map(len, prompt.texts)) / CHARACTERS_A_TOKEN)


FIRST = 4
"""Replies after which forecasts rely on the lengths seen so far."""

FIRST_REPLY_TOKENS = 2000
"""The most that each of the first replies is assumed to take, where no `max_tokens` bounds it."""

SPREAD = 4.0
"""Standard deviations by which a length may exceed the longest so far."""

BYTES_A_TOKEN = 3
"""UTF-8 bytes per token where the provider does not count them.

The estimate errs high: today's tokenizers take 4 to 5 bytes of English a token, and about 3 of
JSON, code and most other scripts. `CHARACTERS_A_TOKEN` is meant to be right on average.
"""

_USAGE = TypeAdapter(Usage)


def validate_usage(counts: object, prompt: Prompt, written: int) -> tuple[Usage, str]:
    """The usage of a call, and what is wrong with the provider's counts, "" if nothing is.

    `counts` is a dict with the names of `Usage`, in which a missing count is None or left out.
    `written` is the length of the reply in bytes, reasoning included. 0 tokens for a text that is
    not empty count as missing. Counts are impossible if they are not whole numbers from 0 to
    `MOST_TOKENS`, or name more cached tokens than the prompt has. What is missing or impossible is
    estimated at `BYTES_A_TOKEN`, and the usage is marked as an estimate.
    """
    if isinstance(counts, dict):
        counts = {name: count for name, count in counts.items() if count is not None}
    try:
        usage, fault = _USAGE.validate_python(counts), ""
        cached = usage.cached + usage.written
        if cached > usage.prompt:
            usage, fault = Usage(), f"{cached} as cached tokens of {usage.prompt}"
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{first['loc'][0]} tokens" if first["loc"] else "usage"
        usage, fault = Usage(), f"{_describe_count(first['input'])} as {what}"
    if fault:
        fault = f"expected token counts from 0 to 2^31, found {fault}"
    if not usage.prompt or (written and not usage.completion):
        usage = Usage(
            usage.prompt or _tokens(bytes_of(prompt)),
            usage.completion or _tokens(written),
            usage.cached,
            estimated=True,
            written=usage.written,
        )
    return usage, fault


def _tokens(size: int) -> int:
    return math.ceil(size / BYTES_A_TOKEN)


def _describe_count(count: object) -> str:
    """An impossible count; only its type if it is no number, since the text is stored."""
    if isinstance(count, int) and abs(count) >= 10**20:
        return "a number beyond 10^20"
    return str(count) if isinstance(count, int | float) else f"a {type(count).__name__}"


class RunningBound:
    """An upper bound for the next of a series of numbers."""

    __slots__ = ("_mean", "_squares", "count", "most")

    def __init__(self) -> None:
        self.count = 0
        self.most = 0.0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """Add a number (Welford's algorithm for the variance)."""
        self.count += 1
        off = value - self._mean
        self._mean += off / self.count
        self._squares += off * (value - self._mean)
        self.most = max(self.most, value)

    @property
    def bound(self) -> float:
        """The largest so far plus `SPREAD` standard deviations; 0 without numbers."""
        if self.count < 2:
            return self.most
        return self.most + SPREAD * math.sqrt(self._squares / (self.count - 1))


class Forecast:
    """An upper bound for the usage of a call of one model in one role, from earlier calls."""

    def __init__(self) -> None:
        self._replies = RunningBound()
        self._tokens_a_byte = RunningBound()
        self._heeds_caps = True

    @property
    def is_ready(self) -> bool:
        """Whether there were enough replies to rely on their lengths."""
        return self._replies.count >= FIRST

    def most(self, size: int, cap: int | None) -> Usage:
        """The most that a call may take, with a prompt of `size` bytes and a token limit `cap`.

        Until `is_ready`, at least a token per byte and, without a cap, `FIRST_REPLY_TOKENS`. A cap
        is ignored once the model has exceeded one.
        """
        replies, ratio = self._replies, self._tokens_a_byte
        a_byte = ratio.bound if self.is_ready else max(1.0, ratio.most)
        written = replies.bound if self.is_ready else max(FIRST_REPLY_TOKENS, replies.most)
        if cap is not None and self._heeds_caps:
            written = min(cap, written) if self.is_ready else cap
        return Usage(math.ceil(size * a_byte), math.ceil(written), estimated=True)

    def learn(self, size: int, usage: Usage, cap: int | None = None) -> None:
        """Record the usage of a call."""
        self._replies.add(usage.completion)
        self._tokens_a_byte.add(usage.prompt / max(size, 1))
        if cap is not None and usage.completion > 1.1 * cap:
            self._heeds_caps = False


class Meter(Protocol):
    """The cost of one call, request by request: held before each, booked after it."""

    async def hold(self, cap: int | None) -> None:
        """Hold the most that a request may cost if its reply has at most `cap` tokens; BudgetSpent
        where there is not enough."""
        ...

    def record_failure(self, cause: Cause, *, may_be_billed: bool) -> None:
        """Book the request without a reply; `may_be_billed`: at the amount held."""
        ...

    def record_useless(self, usage: Usage | None, cause: Cause) -> None:
        """Book the request with an unusable reply, at its usage or else at the amount held."""
        ...


class _Free:
    async def hold(self, cap: int | None) -> None: ...

    def record_failure(self, cause: Cause, *, may_be_billed: bool) -> None: ...

    def record_useless(self, usage: Usage | None, cause: Cause) -> None: ...


FREE: Meter = _Free()
"""The meter of calls whose cost nobody counts."""


def bytes_of(prompt: Prompt) -> int:
    """The length of a prompt in bytes of UTF-8, its schema and tools included."""
    return sum(map(size_of, prompt.texts))


def size_of(text: str) -> int:
    """The length of a text in bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
