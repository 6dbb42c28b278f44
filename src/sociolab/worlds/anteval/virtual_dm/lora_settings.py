"""How an adapter is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """`rank` is the width of what is added to every linear layer."""

    epochs: int = 3
    batch: int = 8
    learning_rate: float = 2e-4
    rank: int = 16
    seed: int = 0
