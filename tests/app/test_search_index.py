"""The words of a run are taken in beside whatever else this process does."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sociolab.app import search_index
from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run_async
from sociolab.core.episode import Episode
from sociolab.store.store import Store


def test_the_event_loop_goes_on_while_words_are_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words_of, went_on = search_index.words_of, threading.Event()

    def slow(episode: Episode) -> str:
        assert went_on.wait(20), "the event loop stands still meanwhile"
        return words_of(episode)

    async def play() -> None:
        monkeypatch.setattr(search_index, "words_of", slow)
        config = RunConfig(world="sotopia", limit=2, name="r", store=tmp_path / "s.db")
        playing = asyncio.ensure_future(run_async(config))
        with Store.open(tmp_path / "s.db") as store:
            while not store.has_run("r") or len(store.search.unindexed()) < 2:
                await asyncio.sleep(0.01)
        went_on.set()
        await playing

    asyncio.run(asyncio.wait_for(play(), 60))
    with Store.open(tmp_path / "s.db") as store:
        assert store.search.indexed_share() == (2, 2)
