"""The words of episodes for a search: taken in when a run or a study's episode ends, the rest when
somebody searches."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sociolab.app.transcripts import transcript_of
from sociolab.core.episode import Episode
from sociolab.core.errors import SociolabError, StorageError
from sociolab.store.store import Store

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


def index_step(store: Store, seconds: float = STEP, run: str | None = None) -> Indexed:
    """Take in the words of some episodes (of a run) that are not indexed yet; how far the index
    is."""
    end, stuck = time.monotonic() + seconds, False
    while time.monotonic() < end:
        batch = store.search.unindexed(_BATCH, run)
        if not batch:
            break
        words = [(name, trial, _read_words(store, name, trial)) for name, trial in batch]
        try:
            with store.transaction():
                # One may have been deleted since its words were read, and stays so.
                unindexed = {*store.search.unindexed(_BATCH, run)}
                for name, trial, text in words:
                    if (name, trial) in unindexed:
                        store.search.index(name, trial, text)
        except StorageError:
            stuck = True
            break
    done, of = store.search.indexed_share()
    return Indexed(done, of, stuck)


async def index_run(path: Path, run: str, seconds: float) -> None:
    """Take in the words of a run for so many seconds at most, in a thread with a connection of its
    own: whatever else goes on in this process goes on meanwhile. Cancelled, it ends within a step.
    """
    end = time.monotonic() + seconds

    def step() -> bool:
        with Store.open(path) as store:
            return not index_step(store, STEP, run).stuck and bool(store.search.unindexed(1, run))

    while await asyncio.to_thread(step) and time.monotonic() < end:
        pass


def words_of(episode: Episode) -> str:
    """All words of an episode, as a search looks through them."""
    read = transcript_of(episode)
    parts = chain(
        (read.title,),
        chain.from_iterable(read.scene),
        (line.text for line in read.lines),
        (note.text for note in read.notes),
    )
    return "\n".join(parts)


def plain(words: str) -> str:
    """The words without what no text holds that is indexed: control characters."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", words)


def _read_words(store: Store, run: str, trial: str) -> str:
    """The words of an episode; none where its world cannot show it, so that others go on."""
    try:
        text = words_of(store.episode(run, trial))
    except SociolabError:
        return ""
    return plain(text.encode("utf-8", "replace").decode())
