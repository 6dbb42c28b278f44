"""The full-text index of episodes: extended when a run or a study's episode ends, and completed
when somebody searches."""

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
"""Approximate seconds of a step of indexing, for which a page of search results waits."""
_BATCH = 20
"""Episodes written in one transaction, for which a run in progress may have to wait."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """How many of the played episodes are indexed; `stuck` says that the store cannot be written,
    so that the index cannot grow."""

    done: int
    of: int
    stuck: bool = False

    @property
    def complete(self) -> bool:
        return self.done >= self.of


def index_step(store: Store, seconds: float = STEP, run: str | None = None) -> Indexed:
    """Index episodes, of one run if named, for about `seconds`; returns the state of the whole
    index."""
    end, stuck = time.monotonic() + seconds, False
    while time.monotonic() < end:
        batch = store.search.unindexed(_BATCH, run)
        if not batch:
            break
        words = [(name, trial, _read_words(store, name, trial)) for name, trial in batch]
        try:
            with store.transaction():
                # An episode may have been deleted while its words were read.
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
    """Index a run for at most `seconds`, in a thread with its own connection, so that the event
    loop is not blocked. Once cancelled, it ends within a step."""
    end = time.monotonic() + seconds

    def step() -> bool:
        with Store.open(path) as store:
            return not index_step(store, STEP, run).stuck and bool(store.search.unindexed(1, run))

    while await asyncio.to_thread(step) and time.monotonic() < end:
        pass


def words_of(episode: Episode) -> str:
    """The text of an episode that is searched: title, scene, lines and notes."""
    transcript = transcript_of(episode)
    parts = chain(
        (transcript.title,),
        chain.from_iterable(transcript.scene),
        (line.text for line in transcript.lines),
        (note.text for note in transcript.notes),
    )
    return "\n".join(parts)


def plain(words: str) -> str:
    """Text, indexed or searched for, without control characters."""
    return re.sub(r"[\x00-\x1f\x7f]", " ", words)


def _read_words(store: Store, run: str, trial: str) -> str:
    """The text of an episode; "" where its world cannot show it, so that indexing goes on."""
    try:
        text = words_of(store.episode(run, trial))
    except SociolabError:
        return ""
    return plain(text.encode("utf-8", "replace").decode())
