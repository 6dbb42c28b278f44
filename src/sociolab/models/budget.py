"""The money of a run: what a call took and costs, what the next may cost, what is spent and held
for calls in flight, and the limit.
"""

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
    """Lets a call begin only if its cost cannot carry the run over the limit. Dollars.

    A call that does not fit beside those in flight waits for them: they mostly cost less than was
    held for them. Once one does not fit although none is in flight, the budget is used up for
    all. Without a limit (None) nothing need be held. `first` is the way in for a call of a model
    whose replies may be of any length yet: one at a time.
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
        """Hold what a call may cost at most; dollars, to be let go when it is over.

        `most` is asked again after each wait. BudgetSpent where there is not enough.
        """
        waited = False
        if self._queue:
            await self._turn(at_front=False)
            waited = True
        while True:
            usd = most()
            if not self._used_up and self._fits(usd):
                break
            if self._used_up or not self._in_flight:
                raise self._end(usd)
            await self._turn(at_front=waited)
            waited = True
        self._held += usd
        self._in_flight += 1
        if waited:
            self._wake()  # there may be room for one more
        return usd

    def let_go(self, usd: float) -> None:
        """A call is over; book its cost before."""
        self._in_flight -= 1
        self._held = self._held - usd if self._in_flight else 0.0
        self._wake()

    def carry_over(self, before: Totals) -> None:
        """Book what earlier parts of the run cost, in place of anything else."""
        self.spent, self._estimated = before.usd or 0.0, before.estimated
        self._spent_before = self.spent

    def spend(self, usd: float, *, estimated: bool = False) -> None:
        """Book what a call did cost."""
        self.spent += usd
        self._estimated = self._estimated or estimated

    def _fits(self, usd: float) -> bool:
        return self.limit is None or self.spent + self._held + usd <= self.limit

    async def _turn(self, *, at_front: bool) -> None:
        """Wait until a call is over, or until who came before has found room."""
        turn = asyncio.get_running_loop().create_future()
        (self._queue.appendleft if at_front else self._queue.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came as well: somebody else's
                self._wake()
            raise

    def _wake(self) -> None:
        """The next in the queue looks for room; one that was cancelled is passed over."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    def _end(self, usd: float) -> BudgetSpent:
        self._used_up = True
        self._wake()  # who is woken raises too, and wakes the next
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
    """Dollars for a million tokens: read, written by the model, read from the provider's cache,
    and written into that cache; without a price of their own, cached tokens cost as others."""

    input: float
    output: float
    cached: float | None = None
    into_cache: float | None = None

    def of(self, usage: Usage) -> float:
        """The price of a call in dollars."""
        cached = self.input if self.cached is None else self.cached
        into = self.input if self.into_cache is None else self.into_cache
        fresh = max(0, usage.prompt - usage.cached - usage.written)
        read = fresh * self.input + usage.cached * cached + usage.written * into
        return (read + usage.completion * self.output) / 1e6


def estimate_tokens(prompt: Prompt) -> int:
    """An estimate of a prompt's tokens, its schema included."""
    characters = sum(len(message.text) for message in prompt.messages)
    if prompt.schema is not None:
        characters += len(prompt.schema.text)
    return round(characters / CHARACTERS_A_TOKEN)


FIRST = 4
"""Replies from which on a length is taken to be known."""

FIRST_REPLY_TOKENS = 2000
"""What each of the first replies is taken to need at most, where no `max_tokens` bounds it."""

SPREAD = 4.0
"""Standard deviations by which a length may pass the longest so far."""

BYTES_A_TOKEN = 3
"""UTF-8 bytes that make a token where the provider counts none.

Errs high: today's tokenizers take 4 to 5 bytes of English a token, about 3 of JSON, code and most
other scripts. Unlike `CHARACTERS_A_TOKEN`, which is meant to be right on average.
"""

_USAGE = TypeAdapter(Usage)


def counted(counts: object, prompt: Prompt, written: int) -> tuple[Usage, str]:
    """The usage of a call, and what is wrong with the provider's count of it, "" if nothing is.

    `counts` is that count: a dict with the names of `Usage`, in which what was not counted is None
    or missing. `written` is the length of the whole reply in bytes, reasoning included. 0 tokens
    for a text that is not empty are no count. Impossible are values that are not whole numbers
    from 0 to `MOST_TOKENS`, and more cached tokens than the prompt has. What is missing or
    impossible is estimated at `BYTES_A_TOKEN`, and the usage is marked as an estimate.
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
    """A count that cannot be; of what is no number only the type, for it goes into the store."""
    if isinstance(count, int) and abs(count) >= 10**20:
        return "a number beyond 10^20"
    return str(count) if isinstance(count, int | float) else f"a {type(count).__name__}"


class RunningBound:
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
    """What a call of one model in one role may take at most, in tokens."""

    def __init__(self) -> None:
        self._replies = RunningBound()
        self._tokens_a_byte = RunningBound()
        self._heeds_caps = True

    @property
    def is_ready(self) -> bool:
        """Whether enough replies have come back."""
        return self._replies.count >= FIRST

    def most(self, size: int, cap: int | None) -> Usage:
        """For a prompt of `size` bytes; until lengths are known, at least a token a byte and,
        without a cap, `FIRST_REPLY_TOKENS`. A cap that was passed before is none."""
        ratio = self._tokens_a_byte
        a_byte = ratio.bound if self.is_ready else max(1.0, ratio.most)
        written = self._unlimited()
        if cap is not None and self._heeds_caps:
            written = min(cap, written) if self.is_ready else cap
        return Usage(math.ceil(size * a_byte), math.ceil(written), estimated=True)

    def learn(self, size: int, usage: Usage, cap: int | None = None) -> None:
        """What a call took."""
        self._replies.add(usage.completion)
        self._tokens_a_byte.add(usage.prompt / max(size, 1))
        if cap is not None and usage.completion > 1.1 * cap:
            self._heeds_caps = False

    def _unlimited(self) -> float:
        if self.is_ready:
            return self._replies.bound
        return max(FIRST_REPLY_TOKENS, self._replies.most)


class Meter(Protocol):
    """The money of one call, request by request: held before each, booked after it."""

    async def hold(self, cap: int | None) -> None:
        """Hold what a request may cost whose reply has at most `cap` tokens; BudgetSpent where
        there is not enough."""
        ...

    def failed(self, cause: Cause, *, may_be_billed: bool) -> None:
        """The request that was held for brought nothing."""
        ...

    def useless(self, usage: Usage | None, cause: Cause) -> None:
        """It brought a body that is of no use, which tells this usage, or none."""
        ...


class _Free:
    """Counts nothing."""

    async def hold(self, cap: int | None) -> None:
        """Nothing is held."""

    def failed(self, cause: Cause, *, may_be_billed: bool) -> None:
        """Nothing is booked."""

    def useless(self, usage: Usage | None, cause: Cause) -> None:
        """Nothing is booked."""


FREE: Meter = _Free()
"""Of calls that nobody counts."""


def bytes_of(prompt: Prompt) -> int:
    """The length of a prompt in UTF-8, its schema included."""
    size = sum([size_of(message.text) for message in prompt.messages])
    return size + size_of(prompt.schema.text) if prompt.schema is not None else size


def size_of(text: str) -> int:
    """The length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
