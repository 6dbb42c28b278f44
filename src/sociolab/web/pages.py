"""Render pages from templates, read forms, and answer errors as a page or JSON; everything is
escaped."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from sociolab.core.errors import ConfigError, SociolabError, StoreError
from sociolab.core.redaction import redact
from sociolab.report.html import STATIC as REPORT_STATIC, spec_json, upright
from sociolab.report.words import person_name, sanitize, spelled
from sociolab.web.security import FORM_TYPES, HEADERS, SAFE, is_admin, token_of
from sociolab.web.site import Missing, NeedsLogin, Refused, site_of


async def _read_fields(request: Request) -> Mapping[str, str]:
    if not request.headers.get("content-type", "").startswith(FORM_TYPES):
        return {}
    form = await request.form(max_fields=2000)
    return {name: value for name, value in form.items() if isinstance(value, str)}


Fields: TypeAlias = Annotated[Mapping[str, str], Depends(_read_fields)]
"""The text fields of a submitted form; of several with the same name, the last."""
STATIC = Path(__file__).parent / "static"


def templates() -> Environment:
    """The template environment: a missing variable is an error, and all text is escaped.

    The filter `legible` makes invisible characters visible. The report's templates are included as
    `report/NAME`.
    """
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("sociolab.web"),
                PrefixLoader({"report": PackageLoader("sociolab.report")}),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    environment.globals["static"] = static
    environment.filters["legible"] = sanitize
    environment.filters["person"] = lambda name: sanitize(person_name(name))
    environment.filters["spelled"] = lambda name: sanitize(spelled(name))
    # For the report's templates, which escape in their own way.
    environment.filters["upright"] = lambda text: sanitize(upright(text))
    environment.filters["spec"] = spec_json
    environment.filters["when"] = when
    environment.filters["date"] = date
    return environment


def page(request: Request, name: str, /, **values: Any) -> HTMLResponse:
    """Render a template as a page. Besides `values` it gets `csrf`, `path`, `guarded` (a token is
    needed) and `admin` (the researcher has signed in)."""
    shared: Mapping[str, Any] = {
        "csrf": token_of(request),
        "path": request.url.path,
        "admin": is_admin(request),
        "guarded": site_of(request).settings.admin_token is not None,
    }
    template = site_of(request).templates.get_template(name)
    text = template.render({**shared, **values})
    return HTMLResponse(text.encode("utf-8", "replace"))  # half a surrogate pair is no UTF-8


@cache
def static(name: str) -> str:
    """The address of a static file. It changes with the content, so that browsers may cache it.

    Not so for our scripts: they import each other by plain names, and a script with two addresses
    would run twice.
    """
    if name.startswith("js/"):
        return f"/static/{name}"
    file = (
        REPORT_STATIC / name.removeprefix("report/")
        if name.startswith("report/")
        else STATIC / name
    )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:10]
    return f"/static/{name}?v={digest}"


def when(seconds: float) -> str:
    """A time (seconds since 1970) as the `datetime` of a <time> element, in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def date(seconds: float) -> str:
    """A time (seconds since 1970) for readers, in UTC: "22 Nov 2026, 14:05"."""
    moment = datetime.fromtimestamp(int(seconds), UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}"


log = logging.getLogger("sociolab.web")

_TITLES = {
    400: "That could not be used",
    401: "Please sign in",
    403: "Not for you",
    404: "Not found",
    405: "Not possible here",
    409: "That has changed meanwhile",
    413: "Too large",
    422: "That could not be used",
    429: "Too many requests",
    503: "Not at the moment",
}

_TITLES_FOR_PARTICIPANTS = {403: "You cannot go on here", 410: "This study is over"}

_PARTICIPANTS = ("/take/", "/join/", "/recruit/")
"""Participants' pages: details of the researcher's files and runs go to the log only."""

_NOT_NOW = (
    "This cannot go on at the moment. What you did so far is kept. Try again in a minute; if it "
    "stays so, tell those who invited you."
)

_NOT_STORED = (
    "This could not be stored, and does not count as sent. {again} in a minute; if it stays so, "
    "tell those who invited you."
)
_AGAIN = "Go back (what you wrote is still there) and send it again"
_AGAIN_HERE = "It is still here: send it again"
"""For a page that sends without being left."""


def install_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(SociolabError, _answer_own_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(ClientDisconnect, _answer_disconnect)
    app.add_exception_handler(Exception, _answer_crash)


def wants_json(request: Request) -> bool:
    """Whether a program asks: under /api, or one that accepts JSON and not HTML."""
    accept = request.headers.get("accept", "")
    return request.url.path.startswith("/api/") or (
        "application/json" in accept and "text/html" not in accept
    )


def error_answer(
    request: Request, status: int, message: str, seconds: int | None = None
) -> Response:
    """An error as a response; `seconds` says when to try again."""
    message = redact(message)
    headers = {"Retry-After": str(seconds)} if seconds is not None else None
    if wants_json(request):
        return JSONResponse({"detail": message}, status, headers)
    takes_part = request.url.path.startswith(_PARTICIPANTS)
    titles = _TITLES | _TITLES_FOR_PARTICIPANTS if takes_part else _TITLES
    title = titles.get(status, "Something went wrong")
    response = page(
        request, "error.html", title=title, message=message, status=status, takes_part=takes_part
    )
    response.status_code = status
    response.headers.update(headers or {})
    return response


async def _answer_own_error(request: Request, error: Exception) -> Response:
    if isinstance(error, NeedsLogin):
        if wants_json(request) or request.method != "GET" or "hx-request" in request.headers:
            return error_answer(request, 401, str(error))
        return RedirectResponse(f"/login?next={request.url.path}", 303)
    if isinstance(error, Refused):
        return error_answer(request, error.status, str(error), error.seconds)
    if isinstance(error, Missing):
        return error_answer(request, 404, str(error))
    if request.url.path.startswith(_PARTICIPANTS) and isinstance(error, ConfigError):
        log.warning("%s: %s", _route(request), error)
        if not isinstance(error, StoreError):
            return error_answer(request, 400, _NOT_NOW)
        again = _AGAIN_HERE if wants_json(request) else _AGAIN
        message = _NOT_NOW if request.method in SAFE else _NOT_STORED.format(again=again)
        return error_answer(request, 503, message, 10)
    return error_answer(request, 400, str(error))


async def _answer_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    item = error.errors()[0]
    place = ".".join(str(part) for part in item["loc"][1:]) or "the request"
    return error_answer(request, 422, f"{place}: {item['msg'][:1].lower()}{item['msg'][1:]}")


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = {404: "There is nothing at this address.", 405: "This page takes no such request."}
    return error_answer(
        request, error.status_code, message.get(error.status_code, str(error.detail))
    )


async def _answer_disconnect(request: Request, error: Exception) -> Response:
    """Nobody reads this: the request did not arrive completely. It is not logged."""
    return error_answer(request, 400, "The request was cut off.")


async def _answer_crash(request: Request, error: Exception) -> Response:
    """A bug of ours: its details go to the server's log only."""
    log.error("%s %s failed", request.method, _route(request), exc_info=error)
    response = error_answer(request, 500, "The server met a fault of its own; its log says which.")
    response.headers.update(HEADERS)  # it is sent past the guard
    return response


def _route(request: Request) -> str:
    """The route of the request; not its address, since those of participants are secret."""
    return str(getattr(request.scope.get("route"), "path", "a page"))
