"""Every browser has a secret of its own in a cookie; what is signed for it serves nobody else."""

from __future__ import annotations

import re
import secrets

from starlette.requests import HTTPConnection

from sociolab.web.settings import WebSettings

COOKIE = "sociolab"
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
    found = request.cookies.get(settings.cookie(COOKIE), "")
    return found if _SECRET.fullmatch(found) else None
