"""How often a client may ask: a bucket that fills again at a steady pace (token bucket)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` at once, and `a_minute` in the long run."""

    burst: int
    a_minute: float


PAGES = Rate(240, 1200)
"""Everything, for one browser: a page is a handful of requests, a play one every few seconds."""
ADDRESS = Rate(4000, 40_000)
"""Everything, for one address: a whole class may sit behind it."""
SECRETS = Rate(10, 20)
"""Attempts at what could be guessed, by address: the admin token."""
MESSAGES = Rate(5, 1)
"""Lines of the server's log that say the same."""


class Limiter:
    """Buckets by key; those that were not used for longest are forgotten when there are many."""

    def __init__(
        self, rate: Rate, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one; 0 if there was one, else the seconds until there is."""
        now, pace = self._clock(), self._rate.a_minute / 60
        level, at = self._buckets.pop(key, (float(self._rate.burst), now))
        level = min(self._rate.burst, level + (now - at) * pace)
        taken = level >= 1
        self._buckets[key] = (level - 1 if taken else level, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if taken else (1 - level) / pace
