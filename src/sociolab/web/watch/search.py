"""Full-text search over all episodes, or over those of one run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.app.watching import searching
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import Label, PageNumber, Words, known_run

router = APIRouter(tags=["watch"])


@router.get("/search", response_class=HTMLResponse)
def search(
    request: Request,
    q: Words = "",
    run: Label = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> HTMLResponse:
    """Episodes that hold all words of `q`. What is not indexed yet is taken in on the way."""
    store = store_of(request)
    if run:
        known_run(store, run)
    indexed = searching.index_step(store) if q.strip() else None
    hits, more = searching.search(store, q, run or None, number) if q.strip() else ((), False)
    return page(
        request,
        "watch/search.html",
        words=q,
        run=run,
        hits=hits,
        more=more,
        number=number,
        indexed=indexed,
    )


@router.get("/search/index", response_class=HTMLResponse)
def index(request: Request) -> Response:
    """Index a little more, and say how far that is; the page is made anew when all is indexed."""
    indexed = searching.index_step(store_of(request))
    made = page(request, "watch/indexed.html", indexed=indexed)
    if indexed.complete:
        made.headers["HX-Refresh"] = "true"
    return made
