"""Chance keyed by a request: the same request, seed and attempt draw the same numbers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

from sociolab.models.endpoint.settings import EndpointSettings

_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
_MASK = (1 << 128) - 1


class Chance:
    """The numbers of one attempt at a request, one for each purpose, in any order of asking."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes, attempt: int = 1) -> None:
        self._key = key + attempt.to_bytes(8, "big")

    def fraction(self, purpose: str) -> float:
        """A number in [0, 1)."""
        digest = hashlib.blake2b(purpose.encode(), digest_size=7, key=self._key).digest()
        return (int.from_bytes(digest, "big") >> 3) / (1 << 53)

    def pick(self, purpose: str, count: int) -> int:
        """A number from 0 to count - 1."""
        return int(self.fraction(purpose) * count)

    def stream(self, purpose: str) -> Callable[[], float]:
        """A source of its own for many numbers in [0, 1)."""
        # A generator of 128 bits (O'Neill's multiplier): `random.Random` takes longer to seed
        # than a reply to make.
        state = int(self.fraction(purpose) * 2**53) << 64 | 1

        def fraction() -> float:
            nonlocal state
            state = state * _MULTIPLIER & _MASK
            return (state >> 75) / (1 << 53)

        return fraction


def latency_seconds(settings: EndpointSettings, chance: Chance) -> float:
    """How long this reply takes; its mean over requests is `latency_ms`, whatever its shape."""
    mean = settings.latency_ms / 1000
    if mean == 0:
        return 0.0
    return mean * _SHAPES[settings.latency](settings.latency_sigma, chance)


def _constant(_sigma: float, _chance: Chance) -> float:
    return 1.0


def _uniform(_sigma: float, chance: Chance) -> float:
    return 2 * chance.fraction("latency")


def _lognormal(sigma: float, chance: Chance) -> float:
    # Box and Muller's normal number; exp(normal - sigma^2 / 2) has mean 1.
    radius = math.sqrt(-2 * math.log(1 - chance.fraction("latency")))
    normal = radius * math.cos(2 * math.pi * chance.fraction("latency angle"))
    return math.exp(sigma * normal - sigma * sigma / 2)


_SHAPES: dict[str, Callable[[float, Chance], float]] = {
    "constant": _constant,
    "uniform": _uniform,
    "lognormal": _lognormal,
}
