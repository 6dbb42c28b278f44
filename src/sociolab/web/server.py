"""The app of a store, and the server that serves it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from fastapi.staticfiles import StaticFiles

from sociolab.web import errors, front, watch
from sociolab.web.pages import STATIC, templates
from sociolab.web.play import router as play
from sociolab.web.rate import routers as rate
from sociolab.web.security import signing_in
from sociolab.web.security.admin import researcher
from sociolab.web.security.csrf import proven
from sociolab.web.security.guard import Guard
from sociolab.web.security.limits import PAGES, SECRETS, Limiter
from sociolab.web.settings import WebSettings
from sociolab.web.site import Site
from sociolab.web.stores import Stores
from sociolab.web.study import routers as study
from sociolab.web.town import router as town


def create_app(settings: WebSettings) -> FastAPI:
    """The app that serves a store; ConfigError where the settings or the store are wrong."""
    site = Site(settings, Stores(settings.store), templates(), Limiter(SECRETS), Limiter(PAGES))
    app = FastAPI(
        title="sociolab",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # see front.py: for the researcher only
        dependencies=[Depends(proven)],
        lifespan=_lifespan,
    )
    app.state.site = site
    for router in _OPEN:
        app.include_router(router)
    for router in _GUARDED:
        app.include_router(router, dependencies=[Depends(researcher)])
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, settings=settings)
    errors.install(app)
    return app


_OPEN = (
    signing_in.router,
    front.open_pages,
    *study.OPEN,
    play.router,
    *rate.OPEN,
)
"""Pages for anybody: signing in, taking part with a link."""

_GUARDED = (front.pages, *study.GUARDED, watch.router, town.router, *rate.GUARDED)
"""Pages for the researcher only."""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    site: Site = app.state.site
    yield
    site.stores.close()


HTTP = "h11"
"""The parser of requests: it limits the length of their heads, which httptools does not."""


def serve(settings: WebSettings) -> None:
    """Serve until interrupted."""
    import uvicorn

    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        http=HTTP,
        access_log=False,  # addresses hold secret links
        server_header=False,
        ws_max_size=64 * 1024,
        timeout_graceful_shutdown=5,
    )
