"""What every request may need: settings, store, templates, limits. One for each app."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from fastapi import Request
from jinja2 import Environment
from starlette.requests import HTTPConnection

from sociolab.store.store import Store
from sociolab.web.clock import SteadyClock
from sociolab.web.security.limits import Limiter
from sociolab.web.settings import WebSettings
from sociolab.web.stores import Stores


@dataclass(frozen=True, slots=True)
class Site:
    """The app's settings, its store and its templates.

    `clock` says how long a session has lasted. `attempts` at the admin token are counted by
    address, `requests` of participants by person. `sessions` of the researcher are kept in memory
    only, so a restart signs out: for each secret in a cookie the visit it belongs to, and since
    when. `key` signs forms.
    """

    settings: WebSettings
    stores: Stores
    templates: Environment
    attempts: Limiter
    requests: Limiter
    clock: Callable[[], float] = field(default_factory=SteadyClock)
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
