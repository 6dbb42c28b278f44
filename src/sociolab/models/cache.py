"""A chat model whose replies are stored: a resumed run repeats no call that was answered."""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, replace

from sociolab.core.errors import ModelError
from sociolab.core.ports import Attempt, CallKey, ChatModel, ChatReply, Prompt, ReplyStore, Role
from sociolab.models.budget import Budget, Forecast, Price, bytes_of, counted, size_of


class CachedModel:
    """Looks a call up in the store, and makes, prices and keeps it if it is not there.

    The key holds endpoint, model, rendered prompt, settings, trial, seat and call index, so that
    a repeat of a trial is a new call, and a changed prompt too. `options` is what else is sent
    with every call, as text: "" if nothing. `writes`: the text of a reply costs tokens.
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
        self._address = address
        self._replies = replies
        self._budget = budget
        self._price = price
        self._options = options
        self._writes = writes
        self._forecasts: dict[Role, Forecast] = {}

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """The kept reply, or a new one that is kept from now on."""
        stored = reply_key(self._address, self.label, prompt, key, self._options)
        found = self._replies.find(stored)
        if self._price is None or self._budget.limit is None:
            return await self._made(stored, prompt, key) if found is None else found
        forecast = self._forecasts.get(key.role)
        if forecast is None:
            forecast = self._forecasts[key.role] = Forecast(self._price)
        if found is not None:
            forecast.learn(bytes_of(prompt), found.usage)
            return found
        if not forecast.known and prompt.max_tokens is None:
            async with forecast.first:
                if not forecast.known:
                    return await self._afforded(forecast, stored, prompt, key)
        return await self._afforded(forecast, stored, prompt, key)

    async def _afforded(
        self, forecast: Forecast, stored: str, prompt: Prompt, key: CallKey
    ) -> ChatReply:
        """A new reply, made when the budget has room for it."""
        size = bytes_of(prompt)
        usd = await self._budget.hold(lambda: forecast.most(size, prompt.max_tokens))
        try:
            reply = await self._made(stored, prompt, key)
            forecast.learn(size, reply.usage)
            return reply
        finally:
            self._budget.let_go(usd)

    async def _made(self, stored: str, prompt: Prompt, key: CallKey) -> ChatReply:
        began = time.perf_counter()
        try:
            reply = await self._model.complete(prompt, key)
        except ModelError as error:
            self._replies.keep_failure(key, self.label, error, time.perf_counter() - began)
            raise
        reply = _accounted(prompt, reply, size_of(reply.text) if self._writes else 0)
        if self._price is not None:
            usd = self._price.of(reply.usage)
            self._budget.spend(usd, estimated=reply.usage.estimated)
            reply = replace(reply, usd=usd)
        self._replies.keep(stored, key, self.label, prompt, reply)
        return reply


def _accounted(prompt: Prompt, reply: ChatReply, written: int) -> ChatReply:
    """The reply with a usage that can be priced and added up, whichever provider it is from."""
    told = reply.usage
    if told.estimated:
        return reply
    usage, fault = counted(asdict(told), prompt, written)
    return replace(reply, usage=usage, fault=fault or reply.fault) if usage != told else reply


def reply_key(address: str, model: str, prompt: Prompt, key: CallKey, options: str = "") -> str:
    """Identifies a call within a run: what is sent, where to, and what for."""
    settings = f"{prompt.temperature} {prompt.max_tokens} {prompt.penalties} {options}"
    sent = f"{prompt.fingerprint.hex()} {settings}"
    place = f"{key.turn} {key.attempt} {key.index}"
    parts = (address, model, sent, key.trial, key.role, key.seat, key.name, place)
    # The lengths say where one part ends and the next begins, whatever the texts hold.
    text = f"{[*map(len, parts)]}{''.join(parts)}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class NullReplyStore:
    """Finds nothing, keeps nothing."""

    def find(self, key: str) -> ChatReply | None:
        """Nothing is ever found."""
        return None

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Let it go."""

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Let it go."""

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        """Let it go."""
