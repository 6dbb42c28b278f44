"""The first page, signing in and out, the health check, and the API's description."""

from __future__ import annotations

import math
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from sociolab.web.pages import page
from sociolab.web.security import sign_in, sign_out
from sociolab.web.site import Refused, site_of

router = APIRouter(tags=["front"])
researcher_router = APIRouter(tags=["front"])


@router.get("/healthz")
def health() -> dict[str, str]:
    """Whether the app answers."""
    return {"status": "ok"}


@researcher_router.get("/api/openapi.json")
def description(request: Request) -> JSONResponse:
    """All addresses of the app, as OpenAPI 3.1."""
    schema: dict[str, Any] = request.app.openapi()
    return JSONResponse(schema)


@router.get("/")
def first(request: Request, token: Annotated[str, Query(max_length=1000)] = "") -> Response:
    """Lead to the runs, the first page.

    With the token of the link that `sociolab web` prints, sign in on the way: the redirect takes
    the token out of the address, and with it out of the history and of what other pages are told.
    """
    if token and site_of(request).settings.admin_token is not None:
        return _sign_in_or_ask(request, token, "/runs")
    return RedirectResponse("/runs", 303)


@router.get("/login")
def login(request: Request, next: str = "/") -> Response:
    """The form that asks for the admin token."""
    return page(request, "login.html", next=_local_path(next), problem="")


@router.post("/login")
def enter(
    request: Request,
    token: Annotated[str, Form(max_length=1000)],
    next: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    """Sign in, and go on to where one wanted to go."""
    return _sign_in_or_ask(request, token, _local_path(next))


@router.post("/logout")
def leave(request: Request) -> Response:
    """Sign out."""
    answer = RedirectResponse("/login", 303)
    sign_out(request, answer)
    return answer


def _sign_in_or_ask(request: Request, token: str, next: str) -> Response:
    """Sign in and redirect, or show the form again where the token is wrong."""
    wait = site_of(request).attempts.take(request.client.host if request.client else "")
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"Too many attempts; try again in {seconds} s.", 429, seconds)
    answer: Response = RedirectResponse(next, 303)
    if sign_in(request, answer, token):
        return answer
    problem = "That is not the admin token. A printed link works until sociolab is restarted."
    answer = page(request, "login.html", next=next, problem=problem)
    answer.status_code = 403
    return answer


def _local_path(path: str) -> str:
    """The path if it is one of this app, else "/": a redirect must not lead to another site."""
    inside = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if inside and path.isprintable() else "/"
