"""What a call costs, from a price list in dollars a million tokens."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.ports import Prompt, Usage

CHARACTERS_A_TOKEN = 4.0
"""A rule of thumb for English, used where no provider has counted yet."""


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens: read, read from the provider's cache, and written."""

    input: float
    output: float
    cached: float | None = None

    def of(self, usage: Usage) -> float:
        """The price of a call in dollars."""
        cached = self.input if self.cached is None else self.cached
        fresh = max(0, usage.prompt - usage.cached)
        return (fresh * self.input + usage.cached * cached + usage.completion * self.output) / 1e6


def tokens_in(prompt: Prompt) -> int:
    """An estimate of a prompt's tokens, its schema included."""
    characters = sum(len(message.text) for message in prompt.messages)
    if prompt.schema is not None:
        characters += len(prompt.schema.text)
    return round(characters / CHARACTERS_A_TOKEN)
