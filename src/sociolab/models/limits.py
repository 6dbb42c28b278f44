"""How much one endpoint is asked at once: calls in flight, and calls a minute."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType


class Gate:
    """Lets a call through when there is room for it: `async with gate`.

    One for each endpoint and event loop. A call that waits for its minute holds its place.
    """

    def __init__(self, in_flight: int, per_minute: float | None = None) -> None:
        self._room = asyncio.Semaphore(in_flight)
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def __aenter__(self) -> None:
        await self._room.acquire()
        if not self._gap:
            return
        now = time.monotonic()
        wait, self._next = self._next - now, max(self._next, now) + self._gap
        if wait <= 0:
            return
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._room.release()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._room.release()
