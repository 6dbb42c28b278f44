"""What may every request need? Settings, the store, limits, clocks, and reasons to refuse it."""

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
        store.refresh()  # a run may have been deleted, and another have taken its place
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
    stats = [file.stat() for file in (path, log) if file.exists()]
    return tuple(number for stat in stats for number in (stat.st_mtime_ns, stat.st_size))


def _file(path: Path) -> tuple[int, int] | None:
    """Which file is at a path; None if there is none, or it cannot be looked at."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


class Missing(ConfigError):  # noqa: N818  a state of affairs
    """What a request asks for is not there."""


class Refused(SociolabError):  # noqa: N818  a state of affairs
    """A request that may not be served, with the status that says why."""

    def __init__(self, message: str, status: int = 403, seconds: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.seconds = seconds


class NeedsLogin(SociolabError):  # noqa: N818  a state of affairs
    """A page for the researcher, asked for by somebody who has not signed in."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `burst` at once, and `a_minute` in the long run."""

    burst: int
    a_minute: float


PAGES = Rate(240, 1200)
"""Everything, for one browser: a page is a handful of requests, a play one every few seconds."""
ADDRESS = Rate(4000, 40_000)
"""Everything, for one address: a whole class may sit behind it."""
SECRETS = Rate(10, 20)
"""Attempts at what could be guessed, by address: the admin token."""
MESSAGES = Rate(5, 1)
"""Lines of the server's log that say the same."""


class Limiter:
    """Buckets by key; those that were not used for longest are forgotten when there are many."""

    def __init__(
        self, rate: Rate, most: int = 20_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._most = most
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> float:
        """Take one; 0 if there was one, else the seconds until there is."""
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
    """The app's settings, its store and its templates.

    `attempts` at the admin token are counted by
    address, `requests` of participants by person. `sessions` of the researcher are kept in memory
    only, so a restart signs out: for each secret in a cookie the visit it belongs to, and since
    when (`time.monotonic`, which nobody sets). `key` signs forms.
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
        """The store, for the thread that asks."""
        return self.stores.here


def site_of(request: HTTPConnection) -> Site:
    """The site that a request is made to."""
    return cast("Site", request.app.state.site)


def store_of(request: Request) -> Store:
    """The store, for the thread that serves this request."""
    return site_of(request).store
