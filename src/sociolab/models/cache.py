"""A chat model whose replies are kept: a resumed run repeats no call that was answered."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Prompt, ReplyStore
from sociolab.models.budget import Budget
from sociolab.models.prices import EXPECTED_REPLY_TOKENS, Price


class KeptModel:
    """Looks a call up in the store, and makes, prices and keeps it if it is not there.

    The key holds endpoint, model, rendered prompt, settings, trial, seat and call index, so that
    a repeat of a trial is a new call, and a changed prompt too.
    """

    def __init__(
        self,
        model: ChatModel,
        address: str,
        replies: ReplyStore,
        budget: Budget,
        price: Price | None = None,
    ) -> None:
        self.label = model.label
        self._model = model
        self._address = address
        self._replies = replies
        self._budget = budget
        self._price = price
        self._longest = EXPECTED_REPLY_TOKENS

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """The kept reply, or a new one that is kept from now on."""
        stored = reply_key(self._address, self.label, prompt, key)
        found = self._replies.find(stored)
        if found is not None:
            return found
        began = time.perf_counter()
        with self._budget.promise(self._most(prompt)):
            try:
                reply = await self._model.complete(prompt, key)
            except ModelError as error:
                seconds = time.perf_counter() - began
                self._replies.keep_failure(key, self.label, error, seconds)
                raise
        if self._price is not None:
            usd = self._price.of(reply.usage)
            self._budget.spend(usd)
            self._longest = max(self._longest, reply.usage.completion)
            reply = replace(reply, usd=usd)
        self._replies.keep(stored, key, self.label, prompt, reply)
        return reply

    def _most(self, prompt: Prompt) -> float:
        """What a call may cost: its reply is taken to be as long as the longest so far."""
        return 0.0 if self._price is None else self._price.guess(prompt, self._longest)


def reply_key(address: str, model: str, prompt: Prompt, key: CallKey) -> str:
    """Identifies a call within a run: what is sent, where to, and what for."""
    sent = f"{prompt.fingerprint.hex()} {_settings(prompt)}"
    place = f"{key.turn} {key.attempt} {key.index}"
    parts = (address, model, sent, key.trial, key.role, key.seat, key.name, place)
    # The lengths say where one part ends and the next begins, whatever the texts hold.
    text = f"{[*map(len, parts)]}{''.join(parts)}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _settings(prompt: Prompt) -> str:
    """Penalties only where they are set, so that replies kept before there were any are found."""
    settings = f"{prompt.temperature} {prompt.max_tokens}"
    return settings if prompt.penalties is None else f"{settings} {prompt.penalties}"
