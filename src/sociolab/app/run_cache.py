"""What was worked out of a run, kept until the run changes: pages are read more often than runs
are played."""

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
"""Results that are kept; of a run with 10,000 episodes, some take tens of megabytes."""


class CachedResult(NamedTuple):
    """A result that is kept, and whether the run is still as it was then."""

    value: Any
    fresh: bool


class RunCache:
    """Results by store, run and what they are of. Used by many threads.

    Two threads that want the same at the same time wait for one another; others do not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[Hashable, tuple[Stamp, Any]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        # A stamp takes 0.1 s for 10,000 episodes; where nothing was written, it is as it was.
        self._stamps: dict[tuple[str, int], tuple[_Files, Stamp]] = {}

    def of(self, store: Store, run: str, what: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, made anew only if the run has changed."""
        key, stamp = self._key(store, run, what), self._stamp(store, run)
        with self._lock:
            turn = self._making.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                entry = self._found.get(key)
                if entry is not None and entry[0] == stamp:
                    self._found.move_to_end(key)
                    return cast("T", entry[1])
            value = make()
            self._keep(key, stamp, value)
            return value

    def known(self, store: Store, run: str, what: Hashable) -> CachedResult | None:
        """What is kept, be it of an earlier state of the run; None if nothing is."""
        stamp = self._stamp(store, run)
        with self._lock:
            entry = self._found.get(self._key(store, run, what))
        return None if entry is None else CachedResult(entry[1], entry[0] == stamp)

    def _key(self, store: Store, run: str, what: Hashable) -> Hashable:
        return str(store.path), run, what

    def _keep(self, key: Hashable, stamp: Stamp, value: object) -> None:
        with self._lock:
            self._found[key] = (stamp, value)
            self._found.move_to_end(key)
            while len(self._found) > _MOST:
                dropped, _ = self._found.popitem(last=False)
                self._making.pop(dropped, None)

    def _stamp(self, store: Store, run: str) -> Stamp:
        pk, files = store.run_pk(run), _files(store.path)
        key = str(store.path), pk
        entry = self._stamps.get(key)
        if entry is not None and entry[0] == files and _is_settled(files):
            return entry[1]
        stamp = stamp_run(store, run)
        self._stamps[key] = (files, stamp)
        return stamp


_Files: TypeAlias = tuple[tuple[int, int], ...]
_SETTLED = 2.0
"""Seconds after which a file's time tells that nothing was written since: clocks have steps."""


def _files(path: Path) -> _Files:
    """Time of the last writing (ns) and size of the store's file and of its log."""
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
"""One for the whole process."""
