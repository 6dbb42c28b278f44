"""The store, one connection for each thread: pages are made in threads, plays go on in the loop."""

from __future__ import annotations

import threading
from pathlib import Path

from sociolab.store.sqlite import Store


class Stores:
    """Connections to one store file; a store that is not there is made.

    `here` may be called from any thread, and is that thread's own.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._here = threading.local()
        Store.open(path).close()

    @property
    def here(self) -> Store:
        """The connection of the thread that asks."""
        store: Store | None = getattr(self._here, "store", None)
        if store is None:
            store = self._here.store = Store.open(self.path)
        return store

    def close(self) -> None:
        """Close the connection of this thread; those of others end with them."""
        store: Store | None = getattr(self._here, "store", None)
        if store is not None:
            store.close()
            self._here.store = None
