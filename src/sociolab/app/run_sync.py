"""Run a coroutine to its end, from plain code as from inside a running event loop (Jupyter's)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import wraps
from queue import SimpleQueue
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
    under_way: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = SimpleQueue()

    async def main() -> Result:
        task = asyncio.current_task()
        assert task is not None
        under_way.put((asyncio.get_running_loop(), task))
        return await make()

    result: Future[Result] = Future()

    def work() -> None:
        try:
            result.set_result(asyncio.run(main()))
        except BaseException as error:  # noqa: BLE001  handed to the caller's thread, not swallowed
            result.set_exception(error)

    try:
        threading.Thread(target=work, name="sociolab").start()
        return result.result()
    except KeyboardInterrupt:
        if not result.done():  # it is this thread that was interrupted
            loop, task = under_way.get()
            with suppress(RuntimeError):  # it has ended in between
                loop.call_soon_threadsafe(task.cancel)
            wait([result])  # an interrupted Thread.join would not wait again
        raise


def synchronous(
    function: Callable[Arguments, Coroutine[Any, Any, Result]],
) -> Callable[Arguments, Result]:
    """The same to be called from plain code, as from inside a running event loop."""

    @wraps(function)
    def called(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
        return run_sync(lambda: function(*given, **named))

    return called
