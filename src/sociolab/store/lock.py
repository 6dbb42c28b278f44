"""A lock that keeps two processes off one run; the system releases it when a process dies."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sociolab.core.errors import StorageError, StoreError
from sociolab.store.connect import FREE_SOME
from sociolab.store.names import checked_name

_RACES = 100
"""How often a lock file may vanish under us: each time, another process just let go of it."""


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def lock_run(path: Path, name: str, *, on_full_disk: bool = False) -> Iterator[None]:
    """Hold the run `name` of the store at `path`; StoreError with the holder's process id.

    The lock file lies in `<store>-locks/` and is removed afterwards; one that a killed process
    left behind holds nothing. `on_full_disk`: go without where the disk has no room for a new
    file. Nobody else holds the run then, and nobody can begin to until there is room.
    """
    store = path.resolve()
    file = store.with_name(f"{store.name}-locks") / f"{checked_name(name)}.lock"
    descriptor = _take(file, name, on_full_disk)
    if descriptor is None:
        yield
        return
    try:
        yield
    finally:
        # Removed while still held: whoever opened it meanwhile finds that it is gone.
        with suppress(OSError):
            file.unlink()
        os.close(descriptor)
        with suppress(OSError):
            file.parent.rmdir()


def _take(file: Path, name: str, on_full_disk: bool) -> int | None:
    problem: OSError | None = None
    for _ in range(_RACES):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except (FileNotFoundError, FileExistsError) as error:
            problem = error  # the folder was removed just now, or can never be made
            continue
        except OSError as error:
            if on_full_disk and error.errno in _NO_ROOM:
                return None
            raise _cannot_lock(file, error) from error
        if _hold(descriptor, file, name):
            return descriptor
        os.close(descriptor)
    raise _cannot_lock(file, problem)


def _hold(descriptor: int, file: Path, name: str) -> bool:
    """Lock the open file and sign it; False if it is no longer the one at its path."""
    try:
        if not _locked(descriptor):
            raise StoreError(
                f'run "{name}" is in use by {_holder(descriptor)}; '
                "wait until that has ended, or play under another --name"
            )
        if not _is_at(descriptor, file):
            return False
        os.ftruncate(descriptor, 0)
        try:
            os.write(descriptor, str(os.getpid()).encode())
        except OSError as error:  # unsigned, it is held all the same
            if error.errno not in _NO_ROOM:
                raise
    except OSError as error:
        os.close(descriptor)
        raise _cannot_lock(file, error) from error
    except StoreError:
        os.close(descriptor)
        raise
    return True


if sys.platform == "win32":
    import msvcrt

    _BEYOND = 1 << 20
    """Windows lets nobody read a locked byte, so the byte that is locked lies past the text."""

    def _locked(descriptor: int) -> bool:
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> str:
    found = os.read(descriptor, 20).decode(errors="replace")
    return f"process {found}" if found.isdigit() else "another process"


def _cannot_lock(file: Path, error: OSError | None) -> StoreError:
    if error is not None and error.errno in _NO_ROOM:
        return StorageError(f"the disk has no room for {file}; {FREE_SOME}", full=True)
    why = error.strerror if error else "it vanishes again and again"
    return StoreError(
        f"the lock file {file} cannot be used ({why}); "
        "the store needs a local disk where you may write"
    )
