"""A clock that nobody sets while the app is served."""

from __future__ import annotations

import time
from collections.abc import Callable


class SteadyClock:
    """Seconds since 1970: what the system's clock said at the start, counted evenly from there.

    For how long something holds, such as a session. What is to be read is dated by the system.
    """

    def __init__(
        self,
        system: Callable[[], float] = time.time,
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        self._even = even
        self._ahead = system() - even()

    def __call__(self) -> float:
        """The moment."""
        return self._even() + self._ahead
