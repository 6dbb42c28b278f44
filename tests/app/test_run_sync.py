"""A coroutine run from plain code, and from inside a running loop (a notebook's)."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import closing

import pytest

from sociolab.app.run_sync import run_sync


async def one() -> int:
    return 1


def test_it_gives_the_result_in_and_outside_of_a_running_loop() -> None:
    async def cell() -> int:
        return run_sync(one)

    assert run_sync(one) == asyncio.run(cell()) == 1


def test_an_interrupt_in_a_notebook_ends_the_work_before_it_is_told() -> None:
    told: list[str] = []
    main = threading.main_thread().ident
    assert main is not None

    async def work() -> None:
        try:
            signal.pthread_kill(main, signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            told.append("put in order")

    async def cell() -> None:
        with pytest.raises(KeyboardInterrupt):
            run_sync(work)
        told.append("interrupted")

    with closing(asyncio.new_event_loop()) as loop:  # as a kernel's: no handler of asyncio's
        loop.run_until_complete(cell())
    assert told == ["put in order", "interrupted"]
