"""Nothing changes at the request of another site: each form and script proves that it is ours."""

from __future__ import annotations

import hashlib
import hmac

from fastapi import Request
from starlette.requests import HTTPConnection

from sociolab.web.refusals import Refused
from sociolab.web.security.admin import session_of
from sociolab.web.security.visits import visit_of
from sociolab.web.site import site_of
from sociolab.web.taking import secret_of

FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


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
    given = request.headers.get(HEADER, "")
    if not given and request.headers.get("content-type", "").startswith(_FORMS):
        field = (await request.form()).get(FIELD)
        given = field if isinstance(field, str) else ""
    if not hmac.compare_digest(given.encode(), token_of(request).encode()):
        raise Refused(
            "This form was not made for this browser, or its cookies were removed; "
            "load the page again and repeat what you did."
        )
