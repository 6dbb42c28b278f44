"""A cache of results computed from a run, valid until the run changes, for the web app."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from sociolab.store.overview import Stamp, stamp_run
from sociolab.store.store import Store

T = TypeVar("T")

_MOST = 24
"""Maximum number of entries; for a run with 10,000 episodes, one can take tens of megabytes."""


class CachedResult(NamedTuple):
    """A cached result; it is `fresh` unless the run has changed since."""

    value: Any
    fresh: bool


class RunCache:
    """Results by store, run and a key of the caller's (`what`), for use by many threads.

    Threads that need the same result at the same time wait for the first of them; others do not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, tuple[Stamp, Any]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        # Computing a stamp takes 0.1 s for 10,000 episodes: reused while the files are unchanged.
        self._stamps: dict[tuple[str, int], tuple[_Files, Stamp]] = {}

    def get_or_make(self, store: Store, run: str, what: Hashable, make: Callable[[], T]) -> T:
        """The cached result of `make`, which is called only if the run has changed."""
        key, stamp = self._key(store, run, what), self._stamp(store, run)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                entry = self._entries.get(key)
                if entry is not None and entry[0] == stamp:
                    self._entries.move_to_end(key)
                    return cast("T", entry[1])
            value = make()
            self._add(key, stamp, value)
            return value

    def peek(self, store: Store, run: str, what: Hashable) -> CachedResult | None:
        """The cached result, even if the run has changed since; None if there is none."""
        stamp = self._stamp(store, run)
        with self._lock:
            entry = self._entries.get(self._key(store, run, what))
        return None if entry is None else CachedResult(entry[1], entry[0] == stamp)

    def _key(self, store: Store, run: str, what: Hashable) -> Hashable:
        return str(store.path), run, what

    def _add(self, key: Hashable, stamp: Stamp, value: object) -> None:
        with self._lock:
            self._entries[key] = (stamp, value)
            self._entries.move_to_end(key)
            while len(self._entries) > _MOST:
                dropped, _ = self._entries.popitem(last=False)
                self._making.pop(dropped, None)

    def _stamp(self, store: Store, run: str) -> Stamp:
        pk, files = store.run_pk(run), _file_stats(store.path)
        key = str(store.path), pk
        entry = self._stamps.get(key)
        if entry is not None and entry[0] == files and _is_settled(files):
            return entry[1]
        stamp = stamp_run(store, run)
        self._stamps[key] = (files, stamp)
        return stamp


_Files: TypeAlias = tuple[tuple[int, int], ...]
_SETTLED = 2.0
"""Seconds after which an unchanged modification time means unchanged content: file systems record
times in steps, so that a second write may leave the time as it was."""


def _file_stats(path: Path) -> _Files:
    """Modification time (ns) and size of the store's file and of its write-ahead log."""
    stats = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            at = file.stat()
        except OSError:
            stats.append((0, 0))
        else:
            stats.append((at.st_mtime_ns, at.st_size))
    return tuple(stats)


def _is_settled(files: _Files) -> bool:
    return all(abs(time.time() - written / 1e9) > _SETTLED for written, _ in files)


RUN_CACHE = RunCache()
"""Shared by the whole process."""
