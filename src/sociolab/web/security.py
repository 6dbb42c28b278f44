"""Who may do what? Hosts, origins, sizes, rates and headers of requests; visits, sign-in, CSRF."""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import secrets
import time
from collections import Counter
from collections.abc import MutableMapping
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sociolab.web.settings import WebSettings
from sociolab.web.site import ADDRESS, PAGES, Limiter, NeedsLogin, Refused, site_of

VISIT_COOKIE = "sociolab"
PARTICIPANT_COOKIE = "sociolab-participant"
"""One for each participant: its path is that of the participant's pages."""
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def fresh_secret() -> str:
    """32 random bytes as 43 characters that fit into an address."""
    return secrets.token_urlsafe(32)


def visit_of(request: HTTPConnection) -> str:
    """The secret of the browser that asks; `Guard` sees to it that there is one."""
    return str(request.scope["sociolab.visit"])


def renew_visit(request: HTTPConnection) -> str:
    """Give the browser a new secret; `Guard` sends it along with the answer."""
    request.scope["sociolab.visit"] = fresh = fresh_secret()
    return fresh


def known_visit(request: HTTPConnection, settings: WebSettings) -> str | None:
    """The secret in the cookie; None if there is none, or no such secret."""
    secret = request.cookies.get(settings.cookie(VISIT_COOKIE), "")
    return secret if _SECRET.fullmatch(secret) else None


def secret_of(request: HTTPConnection) -> str:
    """The secret of a participant's browser, on their pages; "" anywhere else."""
    path: str = request.scope["path"]
    return request.cookies.get(participant_cookie(request), "") if path.startswith("/take/") else ""


def participant_cookie(request: HTTPConnection) -> str:
    """What the cookie of a participant's browser is called."""
    return (
        f"__Secure-{PARTICIPANT_COOKIE}" if site_of(request).settings.secure else PARTICIPANT_COOKIE
    )


ADMIN_COOKIE = "sociolab-admin"
HOURS = 12
"""How long one stays signed in."""


def session_of(request: HTTPConnection) -> str:
    """What the browser has in its cookie; "" if it never signed in, or signed out."""
    return request.cookies.get(site_of(request).settings.cookie(ADMIN_COOKIE), "")


def is_admin(request: HTTPConnection) -> bool:
    """Whether the researcher asks."""
    site = site_of(request)
    if site.settings.admin_token is None:
        return True
    visit, since = site.sessions.get(session_of(request), ("", 0.0))
    return visit == visit_of(request) and time.monotonic() - since < HOURS * 3600


def researcher(request: Request) -> None:
    """Refuse everybody else; a dependency of the researcher's pages."""
    if not is_admin(request):
        raise NeedsLogin("This page is for the researcher; sign in with the admin token.")


def sign_in(request: Request, response: Response, entered: str) -> bool:
    """Sign the browser in if the token is right.

    All that it was known by before is replaced: whoever planted a cookie in it knows nothing now.
    """
    site = site_of(request)
    token = site.settings.admin_token
    if token is None or not hmac.compare_digest(entered.strip().encode(), token.encode()):
        return False
    _forget(request)
    session = fresh_secret()
    site.sessions[session] = (renew_visit(request), time.monotonic())
    response.set_cookie(
        site.settings.cookie(ADMIN_COOKIE),
        session,
        max_age=HOURS * 3600,
        httponly=True,
        secure=site.settings.secure,
        samesite="lax",
    )
    return True


def sign_out(request: Request, response: Response) -> None:
    """End the browser's session: its cookie, and any copy of it, opens nothing any more."""
    _forget(request)
    settings = site_of(request).settings
    response.delete_cookie(
        settings.cookie(ADMIN_COOKIE), httponly=True, secure=settings.secure, samesite="lax"
    )


def _forget(request: Request) -> None:
    """Remove this browser's session, and those that are over."""
    site = site_of(request)
    site.sessions.pop(session_of(request), None)
    for session, (_, since) in list(site.sessions.items()):
        if time.monotonic() - since >= HOURS * 3600:
            site.sessions.pop(session, None)


FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")


def token_of(request: HTTPConnection) -> str:
    """What a page served to this browser sends back with every change.

    It is signed with the app's own key and belongs to the researcher's session. On the pages of a
    participant the secret that was given to that browser is the key: their open pages must go on
    working when the app is restarted.
    """
    participant = secret_of(request)
    key = participant.encode("utf-8", "replace") if participant else site_of(request).key
    bound = "" if participant else f"{visit_of(request)}/{session_of(request)}"
    return hmac.new(key, b"csrf/" + bound.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


async def proven(request: Request) -> None:
    """Refuse a change that does not come from a page of ours; a dependency of every request.

    The token is the form's field `csrf` or the header `X-CSRF-Token`.
    """
    if request.method in SAFE:
        return
    supplied = request.headers.get(HEADER, "")
    if not supplied and request.headers.get("content-type", "").startswith(FORM_TYPES):
        field = (await request.form()).get(FIELD)
        supplied = field if isinstance(field, str) else ""
    if not hmac.compare_digest(supplied.encode(), token_of(request).encode()):
        raise Refused(
            "This form was not made for this browser, or its cookies were removed; "
            "load the page again and repeat what you did."
        )


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
        name = self._settings.cookie(VISIT_COOKIE)
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
    received = 0

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            return {"type": "http.disconnect"}
        return message

    return bounded


async def _refuse(refusal: PlainTextResponse, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    refusal.headers.update(HEADERS)
    await refusal(scope, receive, send)
