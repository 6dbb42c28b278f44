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
    words_of, begun, went_on = search_index.words_of, threading.Event(), threading.Event()

    def slow(episode: Episode) -> str:
        begun.set()
        assert went_on.wait(20), "the event loop stands still meanwhile"
        return words_of(episode)

    async def go_on() -> None:
        assert await asyncio.to_thread(begun.wait, 20)
        went_on.set()

    async def play() -> None:
        monkeypatch.setattr(search_index, "words_of", slow)
        config = RunConfig(world="sotopia", limit=2, name="r", store=tmp_path / "s.db")
        await asyncio.gather(run_async(config), go_on())

    asyncio.run(asyncio.wait_for(play(), 60))
    with Store.open(tmp_path / "s.db") as store:
        assert store.search.indexed_share() == (2, 2)
