"""Who is the researcher: whoever knows the admin token, or, without one, whoever is on this
machine."""

from __future__ import annotations

import hashlib
import hmac
import re

from fastapi import Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from sociolab.web.refusals import NeedsLogin
from sociolab.web.security.visits import visit_of
from sociolab.web.settings import is_loopback
from sociolab.web.site import site_of

COOKIE = "sociolab-admin"
HOURS = 12
"""How long one stays signed in."""

_FORWARDED = re.compile(r"(x-)?forwarded(-.*)?|x-real-ip|(.*-)?(client|connecting)-ip|via")
"""Headers that proxies add."""


def is_admin(request: HTTPConnection) -> bool:
    """Whether the researcher asks."""
    token = site_of(request).settings.admin_token
    if token is None:
        client = request.client.host if request.client else ""
        return is_loopback(client) and not _by_proxy(request)
    issued, _, signature = request.cookies.get(COOKIE, "").partition(".")
    if not issued.isdecimal() or len(issued) > 12:
        return False
    fresh = 0 <= site_of(request).clock() - int(issued) < HOURS * 3600
    wanted = _signature(token, visit_of(request), issued)
    return fresh and hmac.compare_digest(signature.encode(), wanted.encode())


def _by_proxy(request: HTTPConnection) -> bool:
    """Whether a proxy forwards the request, which is then not from this machine, whatever its last
    step was. No browser speaks HTTP/1.0 any more, but nginx does so to whom it forwards to."""
    old = request.scope.get("http_version") == "1.0"
    return old or any(_FORWARDED.fullmatch(name) for name in request.headers)


def researcher(request: Request) -> None:
    """Refuse everybody else; a dependency of the researcher's pages."""
    if not is_admin(request):
        raise NeedsLogin("This page is for the researcher; sign in with the admin token.")


def sign_in(request: Request, response: Response, given: str) -> bool:
    """Sign the browser in if the token is right."""
    settings = site_of(request).settings
    token = settings.admin_token
    if token is None or not hmac.compare_digest(given.encode(), token.encode()):
        return False
    issued = str(int(site_of(request).clock()))
    response.set_cookie(
        COOKIE,
        f"{issued}.{_signature(token, visit_of(request), issued)}",
        max_age=HOURS * 3600,
        httponly=True,
        secure=settings.secure,
        samesite="lax",
    )
    return True


def _signature(token: str, visit: str, issued: str) -> str:
    return hmac.new(token.encode(), f"{visit}.{issued}".encode(), hashlib.sha256).hexdigest()
