"""An event loop in a thread of its own, for plain code and for code inside another loop."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class LoopElsewhere:
    """Runs coroutines one after the other; what one leaves running goes on during the next.

    It ends by `close`, or with the object or the program: what is under way is cancelled then.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """The coroutine's result; its errors reach the caller. The first call starts the thread."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            thread = threading.Thread(
                target=_turn, args=(self._loop,), name="sociolab", daemon=True
            )
            thread.start()
            self._end = weakref.finalize(self, _stop, self._loop, thread)
        running = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return running.result()
        except BaseException:  # Ctrl-C here: the work there must not go on by itself
            running.cancel()
            raise

    def close(self) -> None:
        """End the thread; a later call starts another."""
        if self._end is not None:
            self._end()
        self._loop = self._end = None


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    """The thread's work: the loop, and at the end what is still under way in it."""
    try:
        loop.run_forever()
        loop.run_until_complete(_cancel_all())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _cancel_all() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:  # the last reference may go in the loop itself
        thread.join()
