"""A terminal that several seats share: what is shown, and lines read without blocking the loop."""

from __future__ import annotations

import asyncio
import io
import os
import threading
import unicodedata
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from typing import TextIO

_MOST_BYTES = 65536


class GoneError(Exception):
    """The person is gone: the input has ended (Ctrl-D)."""


class Terminal:
    """Shows text and reads lines; whoever holds `turn` has the person's attention."""

    def __init__(self, source: TextIO, screen: TextIO) -> None:
        self._lines = _Lines(source)
        self._screen = screen
        self._turn: asyncio.Lock | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def turn(self) -> asyncio.Lock:
        """One person answers one question at a time."""
        loop = asyncio.get_running_loop()
        if self._turn is None or self._loop is not loop:
            self._loop, self._turn = loop, asyncio.Lock()
        return self._turn

    def show(self, text: str = "") -> None:
        """Show a text and begin a new line."""
        self._write(f"{text}\n")

    async def ask(self, prompt: str) -> str:
        """The next line, without white space around it; GoneError when there is none."""
        self._write(prompt)
        line = await self._lines.next()
        if not line:
            self._write("\n")
            raise GoneError
        return line.strip()

    def _write(self, text: str) -> None:
        self._screen.write("".join(_printable(character) for character in text))
        self._screen.flush()


@cache
def terminal(source: TextIO, screen: TextIO) -> Terminal:
    """The terminal of these streams: one for all who use them."""
    return Terminal(source, screen)


class _Lines:
    """Lines of a stream, read in a thread that neither the loop nor the interpreter waits for.

    A line that was asked for and not waited for (the wait was cancelled) goes to who asks next.
    """

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._descriptor = _descriptor(source)
        self._held = b""
        self._pending: Future[str] | None = None

    async def next(self) -> str:
        """The next line with its end; empty at the end of the input."""
        pending = self._pending
        if pending is None:
            pending = self._pending = Future()
            # Not asyncio.to_thread: the interpreter would wait for that thread, and so for a
            # person, before it exits.
            thread = threading.Thread(target=self._read_into, args=(pending,), daemon=True)
            thread.start()
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()

        def tell(_: Future[str]) -> None:
            with suppress(RuntimeError):  # the loop that waited is closed
                loop.call_soon_threadsafe(arrived.set)

        pending.add_done_callback(tell)
        await arrived.wait()
        self._pending = None
        return pending.result()

    def _read_into(self, pending: Future[str]) -> None:
        try:
            line = self._source.readline() if self._descriptor is None else self._read_bytes()
        except (OSError, ValueError):  # the terminal is closed
            line = ""
        pending.set_result(line)

    def _read_bytes(self) -> str:
        """A line from the descriptor itself.

        A thread that is blocked in `sys.stdin.readline` holds its lock, and the interpreter aborts
        where it meets that lock on exit; os.read holds none.
        """
        assert self._descriptor is not None
        while b"\n" not in self._held:
            read = os.read(self._descriptor, _MOST_BYTES)
            if not read:
                line, self._held = self._held, b""
                return line.decode(errors="replace")
            self._held += read
        line, _, self._held = self._held.partition(b"\n")
        return line.decode(errors="replace") + "\n"


def _descriptor(source: TextIO) -> int | None:
    try:
        return source.fileno()
    except (OSError, AttributeError, io.UnsupportedOperation):
        return None


def _printable(character: str) -> str:
    """The character, unless it steers the terminal or cannot be written: others chose it."""
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"):
        return character
    return "\N{REPLACEMENT CHARACTER}"
