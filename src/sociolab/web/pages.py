"""Templates to pages: strict, everything escaped, no text that could turn its neighbours around."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined
from starlette.responses import HTMLResponse

from sociolab.report.html import STATIC as REPORT_STATIC
from sociolab.report.html import spec_json, upright
from sociolab.report.words import sanitize
from sociolab.web.security.admin import is_admin
from sociolab.web.security.csrf import token_of
from sociolab.web.site import site_of

STATIC = Path(__file__).parent / "static"


def templates() -> Environment:
    """The templates: a missing variable is an error, and all text is escaped.

    `legible` makes a text of others safe to look at: what cannot be seen in it is shown. Those of
    reports are there too, as `report/NAME`.
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
    # For the report's templates, which escape in their own way.
    environment.filters["upright"] = lambda text: sanitize(upright(text))
    environment.filters["spec"] = spec_json
    environment.filters["when"] = when
    environment.filters["date"] = date
    return environment


def page(request: Request, name: str, /, **values: Any) -> HTMLResponse:
    """A template as a page. Beside `values` it has `csrf`, `path` and `admin` (has signed in)."""
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
    """The address of a static file. It changes with the content, so that browsers may keep it.

    Not so for our scripts: they import each other by plain names, and one that had two addresses
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
    """A moment (seconds since 1970) as `datetime` of a <time> element, in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def date(seconds: float) -> str:
    """A moment (seconds since 1970) to read: "22 Nov 2026, 14:05" in UTC."""
    moment = datetime.fromtimestamp(int(seconds), UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M}"
