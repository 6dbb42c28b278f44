"""Access control: hosts, origins, sizes, rates and headers of requests; visits, sign-in, CSRF
tokens."""

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
    """32 random bytes as 43 URL-safe characters."""
    return secrets.token_urlsafe(32)


def visit_of(request: HTTPConnection) -> str:
    """The secret of the browser that makes a request; `Guard` ensures that there is one."""
    return str(request.scope["sociolab.visit"])


def renew_visit(request: HTTPConnection) -> str:
    """Give the browser a new secret, which `Guard` sends with the response."""
    request.scope["sociolab.visit"] = fresh = fresh_secret()
    return fresh


def visit_in_cookie(request: HTTPConnection, settings: WebSettings) -> str | None:
    """The secret in the visit cookie; None if there is none, or it is malformed."""
    secret = request.cookies.get(settings.cookie(VISIT_COOKIE), "")
    return secret if _SECRET.fullmatch(secret) else None


def secret_of(request: HTTPConnection) -> str:
    """The secret of a participant's browser, on their pages; "" anywhere else."""
    path: str = request.scope["path"]
    return request.cookies.get(participant_cookie(request), "") if path.startswith("/take/") else ""


def participant_cookie(request: HTTPConnection) -> str:
    return (
        f"__Secure-{PARTICIPANT_COOKIE}" if site_of(request).settings.secure else PARTICIPANT_COOKIE
    )


ADMIN_COOKIE = "sociolab-admin"
HOURS = 12
"""Hours until a sign-in expires."""


def session_of(request: HTTPConnection) -> str:
    """The session in the admin cookie; "" without one."""
    return request.cookies.get(site_of(request).settings.cookie(ADMIN_COOKIE), "")


def is_admin(request: HTTPConnection) -> bool:
    """Whether the researcher makes this request."""
    site = site_of(request)
    if site.settings.admin_token is None:
        return True
    visit, since = site.sessions.get(session_of(request), ("", 0.0))
    return visit == visit_of(request) and time.monotonic() - since < HOURS * 3600


def require_researcher(request: Request) -> None:
    """Refuse everybody else: a dependency of the researcher's pages."""
    if not is_admin(request):
        raise NeedsLogin("This page is for the researcher; sign in with the admin token.")


def sign_in(request: Request, response: Response, entered: str) -> bool:
    """Sign the browser in if the token is right.

    Its visit and session are replaced, so that cookies planted before are worthless (no session
    fixation).
    """
    site = site_of(request)
    token = site.settings.admin_token
    if token is None or not hmac.compare_digest(entered.strip().encode(), token.encode()):
        return False
    _drop_session(request)
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
    """End the browser's session, on the server too: a copied cookie is worthless."""
    _drop_session(request)
    settings = site_of(request).settings
    response.delete_cookie(
        settings.cookie(ADMIN_COOKIE), httponly=True, secure=settings.secure, samesite="lax"
    )


def _drop_session(request: Request) -> None:
    """Remove this browser's session, and expired ones."""
    site = site_of(request)
    site.sessions.pop(session_of(request), None)
    for session, (_, since) in list(site.sessions.items()):
        if time.monotonic() - since >= HOURS * 3600:
            site.sessions.pop(session, None)


FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")


def token_of(request: HTTPConnection) -> str:
    """The CSRF token of this browser, which its pages send with every change.

    It is an HMAC with the app's own key, and belongs to the researcher's session. On a
    participant's pages the key is the secret of their browser: open pages must keep working when
    the app restarts.
    """
    participant = secret_of(request)
    key = participant.encode("utf-8", "replace") if participant else site_of(request).key
    bound = "" if participant else f"{visit_of(request)}/{session_of(request)}"
    return hmac.new(key, b"csrf/" + bound.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


async def require_csrf_token(request: Request) -> None:
    """Refuse a change that comes from no page of ours: a dependency of every request.

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
    # Participants' links are secret, so sites that a page links to must not get them.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """ASGI middleware that checks every request. It refuses in plain text, as such requests come
    from no reader of pages."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._visits, self._addresses = Limiter(PAGES), Limiter(ADDRESS)
        self._served: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request = HTTPConnection(scope)
        visit = visit_in_cookie(request, self._settings)
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
        if scope["method"] == "HEAD":  # the routes know only GET; the server drops the body
            scope = {**scope, "method": "GET"}
        await self._app(
            scope, _limit_body(receive, LARGEST), self._with_headers(scope, send, visit)
        )

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

    def _with_headers(self, scope: Scope, send: Send, visit: str | None) -> Send:
        """Add the headers of every response, and the cookie of a new or renewed visit."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                static = scope["path"].startswith("/static/")
                if static and message["status"] == 200 and b"v=" in scope["query_string"]:
                    headers["Cache-Control"] = "public, max-age=31536000, immutable"
                elif static:
                    headers["Cache-Control"] = "no-cache"  # cached, and revalidated each time
                elif "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
                if scope["sociolab.visit"] != visit and not static:
                    headers.append("Set-Cookie", self._cookie(scope["sociolab.visit"]))
            await send(message)

        return send_with_headers

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
    """Whether a browser's headers name our own origin; programs send no such headers."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    return site in ("same-origin", "none") and (origin is None or urlsplit(origin).netloc == host)


def _limit_body(receive: Receive, most: int) -> Receive:
    """End the body at the limit, whatever length was announced."""
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
