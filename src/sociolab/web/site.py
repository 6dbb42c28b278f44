"""What every request may need: settings, the store, rate limits, and reasons to refuse it."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from fastapi import Request
from jinja2 import Environment
from starlette.requests import HTTPConnection

from sociolab.core.errors import ConfigError, SociolabError, StoreError
from sociolab.store.store import Store
from sociolab.web.settings import WebSettings


class Stores:
    """Connections to one store file, one per thread; a missing store is created.

    `for_this_thread` may be called from any thread. People's actions are written here, so commits
    wait for the disk. StoreError where the file was replaced: nobody would see what is written to
    the old one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        Store.open(path).close()
        self._file_identity = _file_identity(path)

    @property
    def for_this_thread(self) -> Store:
        """The connection of the calling thread."""
        if _file_identity(self.path) != self._file_identity:
            raise StoreError(
                f"the store {self.path} was moved, deleted or replaced while it was served, so "
                "nothing is read or written any more; put it back, or start `sociolab web` again"
            )
        store: Store | None = getattr(self._local, "store", None)
        if store is not None and store.frozen and _state(self.path) != self._local.state:
            store.close()  # it reads the file as it was, and another process writes to it by now
            store = None
        if store is None:
            self._local.state = _state(self.path)
            store = self._local.store = Store.open(self.path, synced=True)
        store.refresh()  # a run may have been deleted and replaced by another
        return store

    def close(self) -> None:
        """Close the connection of this thread; those of other threads end with them."""
        store: Store | None = getattr(self._local, "store", None)
        if store is not None:
            store.close()
            self._local.store = None


def _state(path: Path) -> tuple[int, ...]:
    """Differs whenever somebody has written to a store, or begun to."""
    log = path.with_name(f"{path.name}-wal")
    stats = [file.stat() for file in (path, log) if file.exists()]
    return tuple(number for stat in stats for number in (stat.st_mtime_ns, stat.st_size))


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Identifies the file at a path; None if there is none, or it cannot be read."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


class Missing(ConfigError):  # noqa: N818  a state of affairs
    """The requested thing does not exist."""


class Refused(SociolabError):  # noqa: N818  a state of affairs
    """A request that is not served; `status` and `seconds` (until a retry) go into the response."""

    def __init__(self, message: str, status: int = 403, seconds: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.seconds = seconds


class NeedsLogin(SociolabError):  # noqa: N818  a state of affairs
    """A page for the researcher, requested by somebody who has not signed in."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` requests at once, and `a_minute` in the long run."""

    burst: int
    a_minute: float


PAGES = Rate(240, 1200)
"""All requests of one browser: a page takes a handful, a live episode one every few seconds."""
ADDRESS = Rate(4000, 40_000)
"""All requests of one address, which may be that of a whole class."""
SECRETS = Rate(10, 20)
"""Guesses at the admin token, by address."""
MESSAGES = Rate(5, 1)
"""Equal lines of the server's log."""


class Limiter:
    """Token buckets by key; beyond `most` keys, the least recently used ones are forgotten."""

    def __init__(
        self, rate: Rate, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Take a token; 0 if there was one, else the seconds until there is."""
        now, pace = self._clock(), self._rate.a_minute / 60
        level, at = self._buckets.pop(key, (float(self._rate.burst), now))
        level = min(self._rate.burst, level + (now - at) * pace)
        granted = level >= 1
        self._buckets[key] = (level - 1 if granted else level, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return 0.0 if granted else (1 - level) / pace


@dataclass(frozen=True, slots=True)
class Site:
    """The app's settings, store and templates.

    `attempts` at the admin token are limited by address, `requests` of participants by person.
    `sessions` of the researcher are in memory only, so a restart signs out: they map the secret in
    a cookie to its visit and start (`time.monotonic`, which no clock change affects). `key` signs
    forms.
    """

    settings: WebSettings
    stores: Stores
    templates: Environment
    attempts: Limiter
    requests: Limiter
    sessions: dict[str, tuple[str, float]] = field(default_factory=dict)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def store(self) -> Store:
        """The store, for the calling thread."""
        return self.stores.for_this_thread


def site_of(request: HTTPConnection) -> Site:
    return cast("Site", request.app.state.site)


def store_of(request: Request) -> Store:
    """The store, for the thread that serves this request."""
    return site_of(request).store
