"""What holds for every request, before any page is asked: hosts, origins, sizes, rates, headers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sociolab.web.security.csrf import SAFE
from sociolab.web.security.limits import ADDRESS, PAGES, Limiter
from sociolab.web.security.visits import COOKIE, fresh_secret, known_visit
from sociolab.web.settings import WebSettings

LARGEST = 256 * 1024
"""Bytes of a request's body."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Links of participants are secrets, and must not be told to where a page leads.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """ASGI middleware. Refuses in plain text, since what asks so is no reader of pages."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._visits, self._addresses = Limiter(PAGES), Limiter(ADDRESS)
        self._served: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request that is in order."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        visit = known_visit(request, self._settings)
        scope["sociolab.visit"] = visit or fresh_secret()
        refusal = self._refusal(request, visit)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        client = _client(request)
        self._served[client] += 1
        try:
            await self._serve(scope, receive, send, visit)
        finally:
            self._served[client] -= 1
            if not self._served[client]:
                del self._served[client]

    async def _serve(self, scope: Scope, receive: Receive, send: Send, visit: str | None) -> None:
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # pages know only GET; the server leaves the body away
            scope = {**scope, "method": "GET"}
        await self._app(scope, _bounded(receive, LARGEST), self._signed(scope, send, visit))

    def _refusal(self, request: HTTPConnection, visit: str | None) -> PlainTextResponse | None:
        host = request.headers.get("host", "")
        if not self._settings.serves(host):
            return PlainTextResponse(
                "This app is not served under that name; start it with --public-url.", 421
            )
        client = _client(request)
        if self._served[client] >= self._settings.connections_per_address:
            return PlainTextResponse(
                "Too many requests at a time from one address.", 503, {"Retry-After": "5"}
            )
        wait = self._addresses.take(client)
        if visit is not None and not wait:
            wait = self._visits.take(visit)
        if wait:
            again = math.ceil(wait)
            return PlainTextResponse(
                f"Too many requests; try again in {again} s.", 429, {"Retry-After": str(again)}
            )
        changes = request.scope["type"] == "websocket" or request.scope["method"] not in SAFE
        if changes and not _same_origin(request, host):
            return PlainTextResponse("Requests of other sites are refused.", 403)
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:12]) > LARGEST:
            return PlainTextResponse(f"At most {LARGEST} bytes are taken.", 413)
        return None

    def _signed(self, scope: Scope, send: Send, visit: str | None) -> Send:
        """Add the headers that every answer has, and the cookie of a visit that is new or was
        renewed."""

        async def signed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                static = scope["path"].startswith("/static/")
                if static and message["status"] == 200 and b"v=" in scope["query_string"]:
                    headers["Cache-Control"] = "public, max-age=31536000, immutable"
                elif static:
                    headers["Cache-Control"] = "no-cache"  # kept, and asked for anew each time
                elif "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
                if scope["sociolab.visit"] != visit and not static:
                    headers.append("Set-Cookie", self._cookie(scope["sociolab.visit"]))
            await send(message)

        return signed

    def _cookie(self, secret: str) -> str:
        name = self._settings.cookie(COOKIE)
        cookie: SimpleCookie = SimpleCookie({name: secret})
        morsel = cookie[name]
        morsel["path"], morsel["samesite"], morsel["httponly"] = "/", "Lax", True
        morsel["max-age"] = 400 * 24 * 3600
        morsel["secure"] = self._settings.secure
        return morsel.OutputString()


def _client(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def _same_origin(request: HTTPConnection, host: str) -> bool:
    """Whether a browser says that a page of ours asks; programs say nothing of the kind."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    return site in ("same-origin", "none") and (origin is None or urlsplit(origin).netloc == host)


def _bounded(receive: Receive, most: int) -> Receive:
    """A body that was announced shorter than it is, or not at all, ends at the limit."""
    taken = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            return {"type": "http.disconnect"}
        return message

    return bounded


async def _refuse(refusal: PlainTextResponse, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    refusal.headers.update(HEADERS)
    await refusal(scope, receive, send)
