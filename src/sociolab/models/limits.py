"""How much one endpoint is asked at once: calls in flight, and calls a minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from types import TracebackType


class Gate:
    """Lets a call through when there is room for it: `async with gate`; first come, first served.

    One for each endpoint and event loop. A call that waits for its minute holds its place.
    asyncio's Semaphore does the same at three times the cost, which each call pays.
    """

    def __init__(self, in_flight: int, per_minute: float | None = None) -> None:
        self._room = in_flight
        self._queue: deque[asyncio.Future[None]] = deque()
        self._gap = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0

    async def __aenter__(self) -> None:
        if self._room:
            self._room -= 1
        else:
            await self._turn()
        if self._gap:
            await self._minute()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()

    async def _turn(self) -> None:
        """Wait until a call that ends hands its place on."""
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the place came as well: somebody else's
                self._release()
            raise

    async def _minute(self) -> None:
        now = time.monotonic()
        wait, self._next = self._next - now, max(self._next, now) + self._gap
        if wait <= 0:
            return
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            self._release()
            raise

    def _release(self) -> None:
        """Hand the place to who has waited longest; free it if nobody waits."""
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._room += 1
