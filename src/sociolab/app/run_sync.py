"""Run a coroutine to its end, from plain code as from inside a running event loop (Jupyter's)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_sync(make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """The result of the coroutine that `make` returns; its errors reach the caller.

    Where a loop is running already, a thread with a loop of its own does it, and is waited for.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(asyncio.run(make()))
        except BaseException as error:  # noqa: BLE001  handed to the caller's thread, not swallowed
            errors.append(error)

    thread = threading.Thread(target=work, name="sociolab")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
