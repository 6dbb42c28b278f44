"""Full-text search in the episodes of a store, which are indexed step by step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.app.search_index import index_step, plain
from sociolab.store.search import BEGIN, END
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.episodes import cast_text
from sociolab.web.watch.parameters import Label, PageNumber, Words, require_run

PAGE = 20
"""Hits on a page."""


@dataclass(frozen=True, slots=True)
class FoundIn:
    """An episode with a match; `excerpt` is split into (text, whether it matches)."""

    run: str
    trial: str
    task: str
    cast: str
    repeat: int
    excerpt: tuple[tuple[str, bool], ...]


def search(
    store: Store, words: str, run: str | None = None, page: int = 1
) -> tuple[tuple[FoundIn, ...], bool]:
    """A page of hits, best match first, and whether there are more."""
    hits = store.search.find(plain(words), run, PAGE + 1, (page - 1) * PAGE)
    trials = [(hit, store.episode(hit.run, hit.trial).trial) for hit in hits[:PAGE]]
    excerpts = tuple(
        FoundIn(
            hit.run,
            hit.trial,
            trial.task.id,
            cast_text([(member.seat, member.agent) for member in trial.cast]),
            trial.repeat,
            split_excerpt(hit.excerpt.strip()),
        )
        for hit, trial in trials
    )
    return excerpts, len(hits) > PAGE


def split_excerpt(excerpt: str) -> tuple[tuple[str, bool], ...]:
    """Split an excerpt into (text, whether it matches)."""
    parts = re.split(f"([{BEGIN}{END}])", excerpt)
    segments, marked = [], False
    for part in parts:
        if part in (BEGIN, END):
            marked = part == BEGIN
        elif part:
            segments.append((part, marked))
    return tuple(segments)


router = APIRouter(tags=["watch"])


@router.get("/search", response_class=HTMLResponse)
def search_page(
    request: Request,
    q: Words = "",
    run: Label = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> HTMLResponse:
    """Episodes that hold all words of `q`. What is not indexed yet is taken in on the way."""
    store = store_of(request)
    if run:
        require_run(store, run)
    indexed = index_step(store) if q.strip() else None
    hits, more = search(store, q, run or None, number) if q.strip() else ((), False)
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
def index_page(request: Request) -> Response:
    """Index a little more, and say how far that is; the page is made anew when all is indexed."""
    indexed = index_step(store_of(request))
    response = page(request, "watch/indexed.html", indexed=indexed)
    if indexed.complete:
        response.headers["HX-Refresh"] = "true"
    return response
