"""The ASGI app of a store, and the server that serves it."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import h11
import uvicorn
from fastapi import Depends, FastAPI
from fastapi.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from sociolab.core.errors import ConfigError
from sociolab.report.html import STATIC as REPORT_STATIC
from sociolab.web import (
    home,
    pages,
    participant_pages,
    play,
    rate,
    rate_results,
    study_form,
    study_pages,
    town,
)
from sociolab.web.pages import STATIC, templates
from sociolab.web.security import Guard, require_csrf_token, require_researcher
from sociolab.web.settings import WebSettings
from sociolab.web.site import MESSAGES, PAGES, SECRETS, Limiter, Site, Stores
from sociolab.web.watch import api, calls, conclusions, episode, episodes, runs, search


def create_app(settings: WebSettings) -> FastAPI:
    """ConfigError where the settings or the store are wrong."""
    site = Site(settings, Stores(settings.store), templates(), Limiter(SECRETS), Limiter(PAGES))
    app = FastAPI(
        title="sociolab",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # see home.py: for the researcher only
        dependencies=[Depends(require_csrf_token)],
        lifespan=_lifespan,
    )
    app.state.site = site
    for router in _OPEN:
        app.include_router(router)
    for router in _GUARDED:
        app.include_router(router, dependencies=[Depends(require_researcher)])
    app.mount("/static/report", StaticFiles(directory=REPORT_STATIC), name="report")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, settings=settings)
    pages.install_error_handlers(app)
    return app


_OPEN = (
    home.router,
    participant_pages.router,
    play.router,
    rate.rating_router,
    rate.impression_router,
    rate.review_router,
)
"""Pages for everybody: signing in, taking part with a link."""

_GUARDED = (
    home.researcher_router,
    study_form.router,  # before the pages of a study, as /studies/new is not one
    study_pages.router,
    *(part.router for part in (runs, conclusions, episodes, episode, calls, search, api)),
    town.router,
    rate_results.ratings_router,
    rate_results.impressions_router,
    rate_results.reviews_router,
)
"""Pages for the researcher only."""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    site: Site = app.state.site
    yield
    site.stores.close()


class Connection(H11Protocol):
    """A connection that is closed if its client keeps the server waiting.

    uvicorn waits for the rest of a request for ever. Here a request must arrive completely, and a
    client must accept some of a response, within `WebSettings.request_seconds`. If an address has
    too many connections, or there are too many in total, a new one replaces the one that has kept
    the server waiting for longest; if none does, the new one is refused. So unfinished requests
    lock nobody out, not even others at the same address.

    It uses h11, which limits the length of headers; httptools does not.
    """

    _deadline: asyncio.TimerHandle | None = None
    """When to close, while the client owes a request, or has to accept a response."""
    _settings: WebSettings

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or refuse it if there are too many."""
        super().connection_made(transport)
        self._settings = cast("FastAPI", self.config.app).state.site.settings
        self._watch()
        if not self._has_room():
            transport.write(_FULL)
            transport.close()
            self.connections.discard(self)
            self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._watch()

    def _watch(self) -> None:
        """Start or cancel the deadline of a client that the server waits for."""
        ours = self in self.connections  # neither closed nor upgraded to a WebSocket
        waiting = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or self.flow.write_paused
        if not (ours and waiting):
            if self._deadline is not None:
                self._deadline.cancel()
            self._deadline = None
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._settings.request_seconds, self._drop)

    def _drop(self) -> None:
        self.connections.discard(self)
        self._watch()
        self.transport.abort()

    def _has_room(self) -> bool:
        everyone: Collection[Any] = self.connections
        peer = self.client[0] if self.client else ""
        if not self._settings.trusts(peer):
            peers = [other for other in everyone if other.client and other.client[0] == peer]
            if not self._fits(peers, self._settings.connections_per_address):
                return False
        return self._fits(everyone, self._settings.most_connections)

    def _fits(self, among: Collection[Any], most: int) -> bool:
        """Whether there are at most `most`, or another one could be closed for this one."""
        if len(among) <= most:
            return True
        waiting = {
            other: other._deadline.when()
            for other in among
            if isinstance(other, Connection) and other._deadline and other is not self
        }
        if not waiting:
            return False
        min(waiting, key=waiting.__getitem__)._drop()
        return True


_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: 22\r\n\r\nToo many connections.\n"
)


def create_server(settings: WebSettings) -> uvicorn.Server:
    """ConfigError where the settings or the store are wrong."""
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        http=Connection,
        access_log=False,  # addresses hold secret links
        server_header=False,
        forwarded_allow_ips=list(settings.proxies),
        # This many are accepted at once before any of them can be refused.
        backlog=max(settings.most_connections // 4, 1),
        ws_max_size=64 * 1024,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def serve(settings: WebSettings, announce: Callable[[], None]) -> None:
    """Serve until interrupted.

    `announce` is called only once the port is ours: an address printed earlier could lead to
    another program that listens there.
    """
    server = create_server(settings)
    log_limit = Limiter(MESSAGES)
    for name in ("asyncio", "uvicorn.error"):
        # A client that could fill the log could fill the disk that the store is on.
        logging.getLogger(name).addFilter(
            lambda record: not log_limit.take(record.getMessage().partition("\n")[0])
        )
    with open_listener(settings.host, settings.port) as listener, suppress(KeyboardInterrupt):
        announce()
        server.run(sockets=[listener])


def open_listener(host: str, port: int) -> socket.socket:
    """ConfigError where nothing can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]  # Python adds the address there
        raise ConfigError(
            f"cannot listen on {host}, port {port} ({why}); name another --port or --host"
        ) from error
