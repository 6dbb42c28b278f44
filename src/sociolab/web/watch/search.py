"""Full text over the episodes of a store: taken in step by step, then searched."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.core.errors import SociolabError, StorageError
from sociolab.store.search import BEGIN, END
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.episode import words_of
from sociolab.web.watch.parameters import Label, PageNumber, Words, known_run

PAGE = 20
"""Hits on a page."""
STEP = 0.4
"""Seconds that one step of indexing takes, about: nobody waits longer for a page."""
_BATCH = 20
"""Episodes that are written at once: a run that is being played waits for so many at most."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """How many of the played episodes are indexed. `stuck`: the index cannot grow, since the store
    cannot be written."""

    done: int
    of: int
    stuck: bool = False

    @property
    def complete(self) -> bool:
        """Whether a search looks through all of them."""
        return self.done >= self.of


@dataclass(frozen=True, slots=True)
class FoundIn:
    """An episode that holds the words; `excerpt` is cut in pieces, those searched for marked."""

    run: str
    trial: str
    task: str
    excerpt: tuple[tuple[str, bool], ...]


def index_step(store: Store, seconds: float = STEP) -> Indexed:
    """Take in the words of some episodes that are not indexed yet; how far the index is."""
    end, stuck = time.monotonic() + seconds, False
    while time.monotonic() < end:
        batch = store.search.unindexed(_BATCH)
        if not batch:
            break
        words = [(run, trial, _words(store, run, trial)) for run, trial in batch]
        try:
            with store.transaction():
                for run, trial, text in words:
                    store.search.index(run, trial, text)
        except StorageError:
            stuck = True
            break
    done, of = store.search.indexed_share()
    return Indexed(done, of, stuck)


def search(
    store: Store, words: str, run: str | None = None, page: int = 1
) -> tuple[tuple[FoundIn, ...], bool]:
    """A page of hits, best first, and whether there are more."""
    hits = store.search.find(plain(words), run, PAGE + 1, (page - 1) * PAGE)
    found = tuple(
        FoundIn(
            hit.run,
            hit.trial,
            store.episode(hit.run, hit.trial).trial.task.id,
            pieces(hit.excerpt),
        )
        for hit in hits[:PAGE]
    )
    return found, len(hits) > PAGE


def plain(words: str) -> str:
    """The words without what no text holds that is indexed: control characters."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", words)


def pieces(excerpt: str) -> tuple[tuple[str, bool], ...]:
    """An excerpt in pieces, each with whether it was searched for."""
    parts = re.split(f"([{BEGIN}{END}])", excerpt)
    found, marked = [], False
    for part in parts:
        if part in (BEGIN, END):
            marked = part == BEGIN
        elif part:
            found.append((part, marked))
    return tuple(found)


def _words(store: Store, run: str, trial: str) -> str:
    """The words of an episode; none where its world cannot show it, so that others go on."""
    try:
        text = words_of(store.episode(run, trial))
    except SociolabError:
        return ""
    return plain(text.encode("utf-8", "replace").decode())


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
        known_run(store, run)
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
    made = page(request, "watch/indexed.html", indexed=indexed)
    if indexed.complete:
        made.headers["HX-Refresh"] = "true"
    return made
