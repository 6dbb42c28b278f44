"""A chat model whose replies are stored, so that a resumed run repeats no completed call."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Protocol, runtime_checkable

from sociolab.core.errors import BudgetSpent, Cause, ModelError
from sociolab.core.ports import (
    Attempt,
    Billed,
    CallKey,
    ChatModel,
    ChatReply,
    Prompt,
    ReplyStore,
    Role,
    Usage,
)
from sociolab.models.budget import Budget, Forecast, Meter, Price, bytes_of, size_of, validate_usage


class CachedModel:
    """Looks a call up in the store; makes, prices and stores it if it is not there.

    Calls are identified by endpoint, model, rendered prompt, settings, trial, seat and call index,
    so that a repeat of a trial is a new call, and so is one with a changed prompt. `options` is
    what else is sent with every call, as text. `writes`: the text of a reply costs tokens.
    """

    def __init__(
        self,
        model: ChatModel,
        address: str,
        replies: ReplyStore,
        budget: Budget,
        price: Price | None = None,
        options: str = "",
        *,
        writes: bool = True,
    ) -> None:
        self.label = model.label
        self._model = model
        self._metered = model if isinstance(model, MeteredModel) else None
        self._address = address
        self._replies = replies
        self._budget = budget
        self._price = price
        self._options = options
        self._writes = writes
        self._forecasts: dict[Role, Forecast] = defaultdict(Forecast)

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """The stored reply, or a new one, which is stored."""
        stored = reply_key(self._address, self.label, prompt, key, self._options)
        reply = self._replies.find(stored)
        forecast, size = self._forecasts[key.role], bytes_of(prompt)
        if reply is not None:
            forecast.learn(size, reply.usage)
            return reply
        unbounded = self._budget.limit is not None and self._price and prompt.max_tokens is None
        if unbounded and not forecast.is_ready:
            async with self._budget.first:
                if not forecast.is_ready:
                    return await self._call_and_store(stored, prompt, key, forecast, size)
        return await self._call_and_store(stored, prompt, key, forecast, size)

    async def _call_and_store(
        self, stored: str, prompt: Prompt, key: CallKey, forecast: Forecast, size: int
    ) -> ChatReply:
        keep = partial(self._replies.keep_attempt, key, self.label)
        meter = _CallMeter(
            self._budget, self._price, forecast, size, self._replies.begin_attempt, keep
        )
        began = time.perf_counter()
        try:
            reply = await self._call(prompt, key, meter)
        except BudgetSpent:
            raise
        except ModelError as error:
            self._replies.keep_failure(key, self.label, error, time.perf_counter() - began)
            raise
        forecast.learn(size, reply.usage, reply.served.cap)
        reply = replace(reply, usd=meter.record_reply(reply.usage))
        self._replies.keep(stored, key, self.label, prompt, reply)
        return reply

    async def _call(self, prompt: Prompt, key: CallKey, meter: _CallMeter) -> ChatReply:
        if self._metered is not None:
            return await self._metered.complete_metered(prompt, key, meter)
        await meter.hold(prompt.max_tokens)
        try:
            reply = await self._model.complete(prompt, key)
        except ModelError as error:
            meter.record_failure(error.cause, may_be_billed=error.may_be_billed)
            raise
        except asyncio.CancelledError:
            meter.record_failure("interrupted", may_be_billed=True)
            raise
        if reply.usage.estimated:
            return reply
        written = size_of(reply.text) if self._writes else 0
        usage, fault = validate_usage(asdict(reply.usage), prompt, written)
        if usage == reply.usage:
            return reply
        return replace(reply, usage=usage, fault=fault or reply.fault)


@runtime_checkable
class MeteredModel(Protocol):
    """A chat model whose calls are several requests, each of which may cost something."""

    async def complete_metered(self, prompt: Prompt, key: CallKey, meter: Meter) -> ChatReply:
        """As `ChatModel.complete`, with a validated usage.

        The meter is told of each request, except the one that brings the reply.
        """
        ...


@dataclass(slots=True)
class _CallMeter:
    """The meter of one call, at a price and from a budget.

    `begin` is called with each request, and `keep` with the possible cost of one without a reply.
    """

    budget: Budget
    price: Price | None
    forecast: Forecast
    size: int
    begin: Callable[[], None]
    keep: Callable[[Attempt], None]
    number: int = 0
    _most: Usage = field(default_factory=Usage)
    _held: float = 0.0
    _began: float = 0.0

    async def hold(self, cap: int | None) -> None:
        self._held = await self.budget.hold(lambda: self._greatest_cost(cap))
        self.number += 1
        self._began = time.perf_counter()
        self.begin()

    def _greatest_cost(self, cap: int | None) -> float:
        self._most = self.forecast.most(self.size, cap)
        if self.price is None:
            return 0.0
        into_cache = self._most.prompt if self.price.into_cache else 0
        return self.price.cost_of(replace(self._most, written=into_cache))

    def record_failure(self, cause: Cause, *, may_be_billed: bool) -> None:
        if may_be_billed:
            self._keep(cause, "possible", self._most, self._held)
        else:
            self._keep(cause, "no", Usage(), 0.0)

    def record_useless(self, usage: Usage | None, cause: Cause) -> None:
        if usage is None:
            self.record_failure(cause, may_be_billed=True)
            return
        usd = self.price.cost_of(usage) if self.price else 0.0
        self._keep(cause, "estimated" if usage.estimated else "told", usage, usd)

    def record_reply(self, usage: Usage) -> float | None:
        """Book the request with the reply; its cost, None without a price."""
        usd = self.price.cost_of(usage) if self.price else None
        if usd is not None:
            self.budget.spend(usd, estimated=usage.estimated)
        self.budget.release(self._held)
        return usd

    def _keep(self, cause: Cause, billed: Billed, usage: Usage, usd: float) -> None:
        if usd:
            self.budget.spend(usd, estimated=billed != "told")
        self.budget.release(self._held)
        seconds = time.perf_counter() - self._began
        cost = usd if self.price else None
        self.keep(Attempt(self.number, seconds, cause, billed, usage, cost))


def reply_key(address: str, model: str, prompt: Prompt, key: CallKey, options: str = "") -> str:
    """A digest that identifies a call within a run: what is sent, to whom, and what for."""
    settings = f"{prompt.temperature} {prompt.max_tokens} {prompt.penalties} {options}"
    sent = f"{prompt.fingerprint.hex()} {settings}"
    place = f"{key.turn} {key.attempt} {key.index}"
    parts = (address, model, sent, key.trial, key.role, key.seat, key.name, place)
    # The lengths say where one part ends and the next begins, whatever the texts hold.
    text = f"{[*map(len, parts)]}{''.join(parts)}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class NullReplyStore:
    """A `ReplyStore` that stores nothing."""

    def find(self, key: str) -> ChatReply | None:
        return None

    def keep(
        self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply
    ) -> None: ...

    def keep_failure(
        self, call: CallKey, model: str, error: ModelError, seconds: float
    ) -> None: ...

    def begin_attempt(self) -> None: ...

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None: ...
