"""Run a coroutine from synchronous code, even inside a running event loop (as in Jupyter)."""

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
    """Run the coroutine that `make` returns, and return its result; its errors reach the caller.

    If a loop is running already, the coroutine runs in a thread with its own loop, and this blocks.
    Ctrl-C (Jupyter's stop) cancels it there, and reaches the caller once it has ended.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    thread = LoopThread()
    try:
        return thread.run(make())
    finally:
        thread.close()


def synchronous(
    function: Callable[Arguments, Coroutine[Any, Any, Result]],
) -> Callable[Arguments, Result]:
    """Decorate a coroutine function so that it can be called from synchronous code, as `run_sync`
    does it."""

    @wraps(function)
    def wrapper(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return run_sync(lambda: function(*args, **kwargs))

    return wrapper


class LoopThread:
    """A thread with an event loop that runs coroutines one after the other; tasks that one leaves
    behind go on during the next.

    The thread ends with `close`, with this object, or with the program; tasks are cancelled then.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: weakref.finalize[Any, Any] | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine and return its result; its errors reach the caller. The first call starts
        the thread."""
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
        """End the thread; a later `run` starts another."""
        if self._end is not None:
            self._end()
        self._loop = self._end = None


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(_cancel_all())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        if not task.cancelling():  # cancelling it again would interrupt its cleanup
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _stop_loop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    if threading.current_thread() is not thread:  # the object may be collected in the loop itself
        thread.join()
