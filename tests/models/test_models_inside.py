"""Units that are worth a test alone, from inside: models."""

from __future__ import annotations

from sociolab.core import (
    Message,
    Prompt,
    Schema,
)
from sociolab.models.budget import estimate_tokens


def test_tokens_are_a_quarter_of_the_characters() -> None:
    assert estimate_tokens(Prompt((Message("user", "x" * 4000),), Schema("S", "y" * 400))) == 1100
