"""How long ago something was, whatever becomes of the system's clock meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Work: TypeAlias = tuple[Path, int, str]
"""What somebody is at: the store, the participant, the item."""


class Clock:
    """Ages of people's last words on what they are at, in seconds.

    Those that this process has heard are counted by an even clock, which nobody sets. Of those from
    before it began there is only the system's time in the store.
    """

    def __init__(
        self,
        system: Callable[[], float] = time.time,
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        self._system, self._even = system, even
        self._heard: dict[Work, float] = {}

    def hear(self, work: Work) -> None:
        """Somebody is at it now."""
        self._heard[work] = self._even()

    def age(self, work: Work, at: float) -> float:
        """Seconds since the last word on it, which the store holds with the time `at`."""
        heard = self._heard.get(work)
        return self._system() - at if heard is None else self._even() - heard


CLOCK = Clock()
"""Of this process."""
