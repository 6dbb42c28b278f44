"""Run a coroutine to its end, from plain code as from inside a running event loop (Jupyter's)."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def run_sync(make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """The result of the coroutine that `make` returns; its errors reach the caller.

    Where a loop is running already, a thread with a loop of its own does it, and is waited for.
    Ctrl-C (Jupyter's stop) cancels it there, and reaches the caller once it has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    elsewhere = LoopThread()
    try:
        return elsewhere.run(make())
    finally:
        elsewhere.close()


def synchronous(
    function: Callable[Arguments, Coroutine[Any, Any, Result]],
) -> Callable[Arguments, Result]:
    """The same to be called from plain code, as from inside a running event loop."""

    @wraps(function)
    def called(*args: Arguments.args, **named: Arguments.kwargs) -> Result:
        return run_sync(lambda: function(*args, **named))

    return called


class LoopThread:
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
                target=_run_loop, args=(self._loop,), name="sociolab", daemon=True
            )
            thread.start()
            self._end = weakref.finalize(self, _stop_loop, self._loop, thread)
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


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """The thread's work: the loop, and at the end what is still under way in it."""
    try:
        loop.run_forever()
        loop.run_until_complete(_cancel_all())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        if not task.cancelling():  # a second time would break off its tidying up
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _stop_loop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:  # the last reference may go in the loop itself
        thread.join()
