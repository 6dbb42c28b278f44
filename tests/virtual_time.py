"""An event loop whose clock jumps to the next timer, so that minutes of waiting take no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class _JumpingSelector(selectors.SelectSelector):
    """Never waits: what it would have waited is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if not events and timeout:
            self.passed += timeout
        return events


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """For coroutines that wait for timers alone; no input, output or threads."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.passed


def run_in_virtual_time(work: Coroutine[Any, Any, Result]) -> Result:
    """The coroutine's result; `asyncio.get_running_loop().time()` tells the seconds that passed."""
    loop = VirtualTimeLoop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
