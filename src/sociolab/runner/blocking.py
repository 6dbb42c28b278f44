"""A player or judge that works on and awaits nothing: where it is, how Ctrl-C reaches it."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import extract_stack
from types import FrameType

from sociolab.core.blame import in_file, users_own


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a player or judge blocked: the run is being cancelled, and only this one is in
    its way."""


def blocks_at(thread: int) -> str:
    """Where in somebody's own file a thread is, such as " (my_agent.py, line 12, in reply)"; "" if
    it is in none."""
    frame = sys._current_frames().get(thread)
    frames = [one for one in extract_stack(frame) if users_own(one)] if frame else []
    return f" ({in_file(frames[-1])})" if frames else ""


@contextmanager
def interruptible(blocked: Callable[[], bool]) -> Iterator[None]:
    """While this is open, the first Ctrl-C reaches a player or judge that blocks, too.

    asyncio's own handler cancels the run, which happens once the loop goes on: with code that
    awaits nothing, never. Where `blocked` then says that the run is cancelled while somebody is at
    work, `Interrupted` is raised in its midst. Other threads get no signals.
    """
    former = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread()
    if not ours or not callable(former):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        former(number, frame)
        if blocked():
            raise Interrupted

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
