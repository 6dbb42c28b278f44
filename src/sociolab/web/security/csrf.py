"""Nothing changes at the request of another site: each form and script proves that it is ours."""

from __future__ import annotations

import hashlib
import hmac

from fastapi import Request

from sociolab.web.refusals import Refused
from sociolab.web.security.visits import visit_of

FIELD, HEADER = "csrf", "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def token_of(visit: str) -> str:
    """What a page served to this browser sends back with every change."""
    return hmac.new(visit.encode(), b"csrf", hashlib.sha256).hexdigest()


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
    if not hmac.compare_digest(given.encode(), token_of(visit_of(request)).encode()):
        raise Refused(
            "This form was not made for this browser, or its cookies were removed; "
            "load the page again and repeat what you did."
        )
