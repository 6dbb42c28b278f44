"""Sign in and out with the admin token."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from sociolab.web.pages import page
from sociolab.web.refusals import Refused
from sociolab.web.security.admin import COOKIE, sign_in
from sociolab.web.site import site_of

router = APIRouter(tags=["signing in"])


@router.get("/login")
def login(request: Request, next: str = "/") -> Response:
    """The form that asks for the admin token."""
    return page(request, "login.html", next=_ours(next), problem="")


@router.post("/login")
def enter(
    request: Request,
    token: Annotated[str, Form(max_length=1000)],
    next: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Sign in, and go on to where one wanted to go."""
    wait = site_of(request).attempts.take(request.client.host if request.client else "")
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"Too many attempts; try again in {seconds} s.", 429, seconds)
    answer: Response = RedirectResponse(_ours(next), 303)
    if sign_in(request, answer, token):
        return answer
    answer = page(request, "login.html", next=_ours(next), problem="That is not the admin token.")
    answer.status_code = 403
    return answer


@router.post("/logout")
def leave(request: Request) -> Response:
    """Sign out."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _ours(path: str) -> str:
    """The path, if it is one of this app; else the first page."""
    inside = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if inside and path.isprintable() else "/"
