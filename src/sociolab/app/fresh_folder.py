"""A folder that is written beside its place, and put there only when it is complete."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NoReturn

from sociolab.core.errors import ConfigError

PREFIX, FRESH, OLD = ".building", "data", "old"


@contextmanager
def fresh_folder(target: Path) -> Iterator[Path]:
    """A folder to write, which takes the target's place once all is well.

    Left early, by an error, by Ctrl-C or by SIGTERM, it leaves the target as it was. What a process
    that was killed has left beside the target is removed. ConfigError where nothing can be written.
    """
    with _terminable():
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target.parent)
            scratch = TemporaryDirectory(dir=target.parent, prefix=f"{_signed(os.getpid())}-")
        with scratch as folder:
            fresh = Path(folder) / FRESH
            yield fresh
            with writing(target):
                _swap(fresh, target, Path(folder) / OLD)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """What the system refuses while this is written, as ConfigError."""
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"expected a folder that can be written, found {target}: "
            f"{error.strerror or error}; name another, or make it writable"
        ) from error


def _swap(fresh: Path, target: Path, old: Path) -> None:
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends what is done as Ctrl-C does; only a main thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_: int, __: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


# ------------------------------------------------------------------ what others left


def _signed(process: int) -> str:
    """The beginning of the name of what a process writes, by this computer's name and its own."""
    host = re.sub(r"\W", "_", platform.node()) or "here"
    return f"{PREFIX}-{host}-{process}"


def _sweep(folder: Path) -> None:
    """Remove what processes of this computer have left that are no more.

    But for what was to be replaced, where the process ended before its place was taken.
    """
    for left in folder.glob(f"{PREFIX}-*-*-*"):
        process = left.name.split("-")[2]
        ours = process.isdigit() and left.name.startswith(f"{_signed(int(process))}-")
        needed = (left / OLD).exists() and (left / FRESH).exists()
        if ours and not needed and not _is_alive(int(process)):
            shutil.rmtree(left, ignore_errors=True)


def _is_alive(process: int) -> bool:
    """Whether there is such a process; where that cannot be asked, there may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
