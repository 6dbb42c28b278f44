"""The store, one connection for each thread: pages are made in threads, plays go on in the loop."""

from __future__ import annotations

import threading
from pathlib import Path

from sociolab.core.errors import StoreError
from sociolab.store.store import Store


class Stores:
    """Connections to one store file; a store that is not there is made.

    `here` may be called from any thread, and is that thread's own. What people do is written here:
    a commit waits until the disk has it. StoreError where the file is no longer the one that was
    opened: what is written to that is seen by nobody.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._here = threading.local()
        Store.open(path).close()
        self._file = _file(path)

    @property
    def here(self) -> Store:
        """The connection of the thread that asks."""
        if _file(self.path) != self._file:
            raise StoreError(
                f"the store {self.path} was moved, deleted or replaced while it was served, so "
                "nothing is read or written any more; put it back, or start `sociolab web` again"
            )
        store: Store | None = getattr(self._here, "store", None)
        if store is not None and store.frozen and _state(self.path) != self._here.state:
            store.close()  # it reads the file as it was, and somebody else plays in it by now
            store = None
        if store is None:
            self._here.state = _state(self.path)
            store = self._here.store = Store.open(self.path, synced=True)
        store.renew()  # a run may have been deleted, and another have taken its place
        return store

    def close(self) -> None:
        """Close the connection of this thread; those of others end with them."""
        store: Store | None = getattr(self._here, "store", None)
        if store is not None:
            store.close()
            self._here.store = None


def _state(path: Path) -> tuple[int, ...]:
    """Changes whenever somebody writes to a store, or begins to."""
    log = path.with_name(f"{path.name}-wal")
    files = [one.stat() for one in (path, log) if one.exists()]
    return tuple(number for one in files for number in (one.st_mtime_ns, one.st_size))


def _file(path: Path) -> tuple[int, int] | None:
    """Which file is at a path; None if there is none, or it cannot be looked at."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
