"""Chat models without a network: a list of replies, or made-up ones that obey the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sociolab.core import CallKey, ChatReply, ModelError, Prompt, Usage, stream
from sociolab.prompting import Draw, sample_value


class FakeModel:
    """Gives these replies one after the other; an error among them is raised."""

    def __init__(self, *replies: str | ChatReply | ModelError) -> None:
        self.label = "fake/model"
        self._replies: Iterable[str | ChatReply | ModelError] = iter(replies)
        self.calls: list[tuple[Prompt, CallKey]] = []

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.calls.append((prompt, key))
        reply = next(iter(self._replies))
        if isinstance(reply, ModelError):
            raise reply
        return reply if isinstance(reply, ChatReply) else ChatReply(reply, usage=Usage(100, 10, 40))


class ImprovisingModel:
    """Makes a reply up that obeys the schema; alike for the same prompt and call."""

    def __init__(self) -> None:
        self.label = "fake/improvising"

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        chance = stream(0, key.trial, key.seat, key.turn, key.name, key.attempt, key.index)
        draw = Draw(chance, 60)
        if prompt.schema is None:
            return ChatReply("speak: Hello there.")
        return ChatReply(json.dumps(sample_value(json.loads(prompt.schema.text), draw)))
