"""Full text over the episodes of a store: taken in step by step, then searched."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from sociolab.app.watching.reading import words_of
from sociolab.core.errors import SociolabError, StorageError
from sociolab.store.search import BEGIN, END
from sociolab.store.store import Store

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
