"""Who is the researcher: whoever signed in with the admin token, or, with `--no-token`, anybody."""

from __future__ import annotations

import hmac

from fastapi import Request
from starlette.requests import HTTPConnection
from starlette.responses import Response

from sociolab.web.refusals import NeedsLogin
from sociolab.web.security.visits import fresh_secret, renew_visit, visit_of
from sociolab.web.site import site_of

COOKIE = "sociolab-admin"
HOURS = 12
"""How long one stays signed in."""


def session_of(request: HTTPConnection) -> str:
    """What the browser has in its cookie; "" if it never signed in, or signed out."""
    return request.cookies.get(site_of(request).settings.cookie(COOKIE), "")


def is_admin(request: HTTPConnection) -> bool:
    """Whether the researcher asks."""
    site = site_of(request)
    if site.settings.admin_token is None:
        return True
    visit, since = site.sessions.get(session_of(request), ("", 0.0))
    return visit == visit_of(request) and site.clock() - since < HOURS * 3600


def researcher(request: Request) -> None:
    """Refuse everybody else; a dependency of the researcher's pages."""
    if not is_admin(request):
        raise NeedsLogin("This page is for the researcher; sign in with the admin token.")


def sign_in(request: Request, response: Response, given: str) -> bool:
    """Sign the browser in if the token is right.

    All that it was known by before is replaced: whoever planted a cookie in it knows nothing now.
    """
    site = site_of(request)
    token = site.settings.admin_token
    if token is None or not hmac.compare_digest(given.strip().encode(), token.encode()):
        return False
    _forget(request)
    session = fresh_secret()
    site.sessions[session] = (renew_visit(request), site.clock())
    response.set_cookie(
        site.settings.cookie(COOKIE),
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
        settings.cookie(COOKIE), httponly=True, secure=settings.secure, samesite="lax"
    )


def _forget(request: Request) -> None:
    """Remove this browser's session, and those that are over."""
    site = site_of(request)
    site.sessions.pop(session_of(request), None)
    for session, (_, since) in list(site.sessions.items()):
        if site.clock() - since >= HOURS * 3600:
            site.sessions.pop(session, None)
