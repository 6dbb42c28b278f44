"""Somebody's coroutine, kept to its time; how long each step of it kept everything else waiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Generator
from dataclasses import dataclass
from typing import Any

from sociolab.core.blame import told
from sociolab.runner.blocking import Interrupted
from sociolab.runner.waits import Waits

LONGEST_REPLY = 600.0
"""Seconds until what is not ours is given up, unless a run says otherwise."""

LONGEST_STEP = 0.1
"""Seconds: who works on for longer, awaiting nothing, makes all others wait."""


LAST_WORDS = 5.0
"""Seconds that it may take to put its things in order, once it was given up."""


class LateError(Exception):
    """It was given up: its time was over."""


class QuitError(Exception):
    """It ended itself, by `sys.exit` or by a cancellation of its own, and nothing else."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Within which somebody's player or judge works: `whom` says who it is, `seconds` how long it
    may take each time (None: for ever), and `waits` is told where it blocks."""

    whom: str
    seconds: float | None
    waits: Waits

    async def result(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What it returns; LateError or QuitError, or whatever else it raises.

        Whoever catches the cancellation and goes on is let go `LAST_WORDS` seconds later. Whoever
        blocks, awaiting nothing, cannot be given up; Ctrl-C reaches it.
        """
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return await _Stepped(work, self)
        except Interrupted:  # Ctrl-C in its midst: this run stops, as soon as it can go on
            await asyncio.Event().wait()
            raise
        except TimeoutError as error:
            if not limit.expired():  # one of its own
                raise
            raise LateError from error
        except SystemExit as error:
            raise QuitError(told(error)) from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():  # it is this run that stops
                raise
            raise QuitError(told(error)) from error


class _Stepped:
    """Awaits a coroutine step by step, tells of each step that took too long, and lets go of it
    where it goes on although it was told to end."""

    __slots__ = ("_bounds", "_coroutine", "_insists", "_task", "_timer")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], bounds: Bounds) -> None:
        self._coroutine = coroutine
        self._bounds = bounds
        self._insists = False
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        try:
            return (yield from self._steps())
        finally:
            if self._timer is not None:
                self._timer.cancel()

    def _steps(self) -> Generator[Any, Any, Any]:
        coroutine, bounds = self._coroutine, self._bounds
        waits = bounds.waits
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            while waits.stopping and thrown is None:  # begun now, nothing could end it
                try:
                    yield
                except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                    thrown = error
            began = clock()
            waits.step_begins(bounds.whom, bounds.seconds)
            try:
                waits_for = coroutine.send(sent) if thrown is None else coroutine.throw(thrown)
            except StopIteration as end:
                return end.value
            finally:
                waits.step_ends()
                took = clock() - began
                if took > LONGEST_STEP:
                    waits.late(bounds.whom, took)
            sent = thrown = None
            try:
                sent = yield waits_for
            except GeneratorExit:
                coroutine.close()
                raise
            except asyncio.CancelledError as error:
                self._check_ends()
                thrown = error
            except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                thrown = error

    def _check_ends(self) -> None:
        """The first time it is told to end, it may; the CancelledError at hand goes on where it
        did not."""
        task = self._task
        if task is None:
            return
        if self._insists:
            task.uncancel()
            self._let_go()
            raise asyncio.CancelledError
        if self._timer is None or self._timer.when() <= task.get_loop().time():
            self._timer = task.get_loop().call_later(LAST_WORDS, self._insist)

    def _insist(self) -> None:
        """Unless it was its own time limit that was over, for something that it awaits."""
        if self._task is not None and self._task.cancelling():
            self._insists = True
            self._task.cancel()

    def _let_go(self) -> None:
        try:
            self._coroutine.close()
        except RuntimeError:  # it goes on in spite of that, too; nobody listens any more
            return


def clock() -> float:
    """Seconds on the clock that steps are measured by."""
    return time.perf_counter()
