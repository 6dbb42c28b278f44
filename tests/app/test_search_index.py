"""The words of a run are taken in beside whatever else this process does."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sociolab import RunConfig, run_async
from sociolab.app import search_index
from sociolab.core import Episode
from sociolab.store import Store


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


def test_an_episode_that_is_deleted_while_its_words_are_read_stays_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(run_async(RunConfig(world="sotopia", limit=2, name="r", store=tmp_path / "s.db")))
    words_of = search_index.words_of

    def deleted_meanwhile(episode: Episode) -> str:
        with Store.open(tmp_path / "s.db") as other:
            if episode.trial.id == first:
                other.reset_trial("r", first)
        return words_of(episode)

    with Store.open(tmp_path / "s.db") as store:
        first, _ = (row.trial.id for row in store.trials("r"))
        store.execute("DELETE FROM episode_words")
        monkeypatch.setattr(search_index, "words_of", deleted_meanwhile)
        search_index.index_step(store, run="r")
        assert store.search.indexed_share() == (1, 1)
        assert store.row("SELECT count(*) FROM episode_words")[0] == 1
