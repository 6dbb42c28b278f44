"""The store fails while people play: nothing is lost, and nobody is told what is none of theirs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import aiohttp
import pytest

from play_clients import Client, answer_to, lay_out, my_turn, say
from sociolab.store import Store
from sociolab.studies import invite
from study_browser import Browser
from web_serving import served


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program writes to the store, for longer than anybody waits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.store.connect.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("sociolab.web.play.BUSY_SECONDS", 0.05)


def test_a_turn_that_could_not_be_written_is_sent_again_and_the_play_goes_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    (me,) = lay_out(path, limit=1)

    async def story(address: str) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, me)
            await client.open()
            await client.begin()
            screen = await client.until(my_turn)
            turn = answer_to(screen, say("Nothing may be lost."))
            with locked(path):
                status, body = await client.call("POST", "act", turn)
                assert status == 503, "the page sends it again"
                assert str(tmp_path) not in body["detail"]
                status, _ = await client.call("POST", "act", turn)
                assert status == 503
            status, body = await client.call("POST", "act", turn)
            while status == 503:  # what was under way is being taken up
                status, body = await client.call("POST", "act", turn)
            assert status == 200, body
            screen = await client.until(my_turn)
            assert [line["text"] for line in screen["scene"]["history"] if line["you"]] == [
                "You: Nothing may be lost."
            ]

    with served(path) as address:
        asyncio.run(asyncio.wait_for(story(address), 20))


def test_participants_are_not_told_of_files_and_processes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)
    with Store.open(path) as store:
        (link,) = invite(store, "chat", 1)
    with served(path) as address, caplog.at_level(logging.WARNING):
        browser = Browser(address)
        browser.get(link.path)
        with locked(path):
            found = browser.post(link.path)
        assert found.status == 503
        assert "send it again in a minute" in found.problem
        assert str(tmp_path) not in found.text
    assert "database is locked" in caplog.text
    assert link.secret not in caplog.text
