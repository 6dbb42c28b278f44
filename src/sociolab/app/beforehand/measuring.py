"""What an estimate measures: made-up calls by model and role, and how long real ones last took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sociolab.app.beforehand.stand_ins import MadeUpModel, Spend
from sociolab.core.errors import StoreError
from sociolab.core.ports import CallKey, ChatReply, Prompt, Role
from sociolab.models.endpoint.chat import ChatBody, ChatMessage
from sociolab.models.endpoint.prefixes import PromptPrefixes
from sociolab.models.prices import CHARACTERS_A_TOKEN, tokens_in
from sociolab.store.sqlite import Store

_LAST = 200
"""Calls whose mean is what a call takes."""

_LOOKED_AT = 20_000
"""Calls of the store, the latest, among which they are looked for."""


@dataclass(slots=True)
class Part:
    """Calls and tokens of one model in one role; `cached` repeats the beginning of an earlier
    prompt."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def times(self, factor: float) -> Part:
        """As many more of it."""
        return Part(
            round(self.calls * factor),
            round(self.prompt * factor),
            round(self.cached * factor),
            round(self.completion * factor),
        )


@dataclass(slots=True)
class Measured:
    """What a sample of the plan asks of one model, by role, and how often in each trial."""

    parts: dict[Role, Part] = field(default_factory=dict)
    trials: Counter[str] = field(default_factory=Counter)
    prefixes: PromptPrefixes = field(default_factory=PromptPrefixes)

    def add(self, prompt: Prompt, key: CallKey, reply: ChatReply) -> None:
        """One call."""
        part = self.parts.setdefault(key.role, Part())
        part.calls += 1
        part.prompt += tokens_in(prompt)
        part.cached += int(self.prefixes.repeated(_as_sent(prompt)) / CHARACTERS_A_TOKEN)
        part.completion += round(len(reply.text) / CHARACTERS_A_TOKEN)
        self.trials[key.trial] += 1


@dataclass(frozen=True, slots=True)
class MeasuringModel:
    """A chat model that makes its replies up and has them measured.

    What is asked again is not: that a made-up reply was of no use says nothing of a real one.
    """

    label: str
    spend: Spend
    measured: Measured

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """A reply of the right form."""
        if key.attempt > 1:
            return await MadeUpModel(self.label, Spend()).complete(prompt, key)
        reply = await MadeUpModel(self.label, self.spend).complete(prompt, key)
        self.measured.add(prompt, key, reply)
        return reply


def last_seconds(store: Path) -> Callable[[str], float | None]:
    """How long the latest calls to a model took, on average; None where the store has none."""
    found: dict[str, float | None] = {}

    def seconds(model: str) -> float | None:
        if model not in found:
            found[model] = _last_seconds(store, model)
        return found[model]

    return seconds


def _last_seconds(path: Path, model: str) -> float | None:
    if not path.is_file():
        return None
    try:
        with closing(Store.open(path, create=False)) as store:
            row = store.row(
                "SELECT avg(seconds) FROM (SELECT seconds FROM (SELECT model, seconds, pk "
                "FROM calls ORDER BY pk DESC LIMIT ?) WHERE model = ? ORDER BY pk DESC LIMIT ?)",
                (_LOOKED_AT, model, _LAST),
            )
    except StoreError:  # the run itself will say what is wrong with it
        return None
    return None if row is None else row[0]


def _as_sent(prompt: Prompt) -> ChatBody:
    messages = tuple(ChatMessage(message.role, message.text) for message in prompt.messages)
    schema = prompt.schema.text if prompt.schema is not None else ""
    return ChatBody("", messages, schema, {}, b"")
