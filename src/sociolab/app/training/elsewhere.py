"""An event loop in a thread of its own, for plain code and for code inside another loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopElsewhere:
    """Runs coroutines one after the other; what one leaves running goes on during the next."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result; its errors reach the caller. The first call starts the thread."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="sociolab", daemon=True
            )
            self._thread.start()
        running = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return running.result()
        except BaseException:  # Ctrl-C here: the work there must not go on by itself
            running.cancel()
            raise

    def close(self) -> None:
        """End the thread; a later call starts another."""
        if self._loop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = self._thread = None
