"""How the encoder is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Passes over the examples, how many tokens of each are read, and the seed.

    The values were chosen on a split of real play by episodes (benchmarks/bench_encoder.py reports
    what comes of them).
    """

    epochs: int = 4
    longest: int = 128
    seed: int = 0
