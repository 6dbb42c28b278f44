"""The disk is full, or the store may not be written: nothing seems sent that was not stored."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import rating_runs
from play_clients import Client, answer_to, lay_out, my_turn, say
from rater_client import Client as Rater
from sociolab.core import Json
from sociolab.store import Store, connect
from sociolab.studies import create_study, invite
from study_browser import Browser
from study_samples import settings
from web_serving import served

LONG = "other words " * 320


@pytest.fixture(params=["full", "read-only"])
def trouble(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def unwritable(path: Path, trouble: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Connections that are made inside cannot write, or not make the file any larger; the one that
    is given can."""
    with Store.open(path) as store:
        store.scrub()  # no free pages, which could be written to
        with monkeypatch.context() as patched:
            if trouble == "full":
                pragmas = (*connect._PRAGMAS, "PRAGMA max_page_count = 1")
                patched.setattr(connect, "_PRAGMAS", pragmas)
            else:
                patched.setattr(sqlite3, "connect", _reading(sqlite3.connect))
            yield store


def _reading(really: Any) -> Any:
    def connected(path: Path, **options: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = really(f"file:{path}?mode=ro", uri=True, **options)
        return made

    return connected


def turns(store: Store) -> int:
    return sum(len(store.events("chat", row.trial.id)) for row in store.trials("chat"))


async def taken_up(client: Client, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """What the screen shows as soon as plays were taken up again."""
    while True:
        status, screen = await client.call("GET", "state")
        if status == 200 and wanted(screen):
            return screen


def test_a_turn_that_is_not_stored_is_asked_for_until_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, settings={"turns": "20"})

    async def begun(address: str) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, "p1")
            await client.open()
            await client.begin()
            await client.until(my_turn)

    async def refused(address: str) -> int:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, "p1")
            await client.open()
            while True:
                screen = await client.until(my_turn)
                status, body = await client.call("POST", "act", answer_to(screen, say(LONG)))
                if status != 200:
                    break
            assert status == 503, body
            assert "sent again" in body["detail"] or "not count as sent" in body["detail"]
            assert str(tmp_path) not in str(body)
            now = await taken_up(client, my_turn)
            assert now["asking"] | {"seconds_left": 0} == screen["asking"] | {"seconds_left": 0}
            assert len(now["scene"]["history"]) == len(screen["scene"]["history"])
            return len(screen["scene"]["history"])

    with served(path) as address:
        asyncio.run(asyncio.wait_for(begun(address), 20))
    with unwritable(path, trouble, monkeypatch) as store:
        with served(path) as address:
            shown = asyncio.run(asyncio.wait_for(refused(address), 20))
        assert turns(store) == shown


def test_a_turn_is_committed_and_synced_before_the_page_hears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)
    levels: list[int] = []

    class WatchedPlayer(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement == "COMMIT":
                levels.append(super().execute("PRAGMA synchronous").fetchone()[0])
            return super().execute(statement, *values)

    async def story(address: str) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, "p1")
            await client.open()
            await client.begin()
            for text in ("One.", "Two.", "Three."):
                await client.act(await client.until(my_turn), say(text))
                with closing(sqlite3.connect(path)) as other:
                    found = "SELECT count(*) FROM events WHERE body LIKE ?"
                    assert other.execute(found, (f"%{text}%",)).fetchone() == (1,)

    async def unindexed(*_: object) -> None:
        """The index of words can be made anew: its own connection need not be synced."""

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=WatchedPlayer))
        patched.setattr("sociolab.studies.live_episodes.index_run", unindexed)
        with served(path) as address:
            levels.clear()
            asyncio.run(asyncio.wait_for(story(address), 20))
            assert len(levels) > 3
            assert set(levels) == {2}, "FULL"


def test_nobody_seems_to_wait_for_a_play_that_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def story(address: str) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, "p1")
            await client.open()
            status, body = await client.call("POST", "begin")
            assert (status, "does not count as sent" in body["detail"]) == (503, True)
            assert (await taken_up(client, bool))["phase"] == "ready"

    with unwritable(path, "read-only", monkeypatch) as store:
        with served(path) as address:
            asyncio.run(asyncio.wait_for(story(address), 20))
        assert store.trials("chat")[0].status == "planned"


def test_answers_that_are_not_stored_are_said_to_be_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        create_study(store, "s", settings(review={"limit": 1, "raters": 20, "each": 1}, consent=""))
        store.studies.change("s", open=True)
        (link,) = invite(store, "s", 1)
    with served(path) as address:
        browser = Browser(address)
        browser.get(link.path)
        browser.post(link.path)
        home = f"/take/s/{link.participant}"
        browser.post(f"{home}/instructions")
        place = browser.get(f"{home}/review").path
    with unwritable(path, trouble, monkeypatch) as store, served(path) as address:
        browser.server = address
        points = dict.fromkeys(
            ("clear", "tie", "possible", "tension", "private", "fit", "harmless"), "yes"
        )
        sent = points | {"decision": "reject", "clear": "no", "reason": LONG}
        for _ in range(3):
            answer = browser.post(place, **sent)
            assert answer.status == 503
            assert "does not count as sent" in answer.problem
            assert str(tmp_path) not in answer.text
        assert not [one for one in store.studies.answers("s") if one.name == "review.decision"]
        assert [one.state for one in store.studies.assignments("s")] == ["open"]
        for address_, fields in (
            ("/studies/s/links", {"count": "900"}), ("/studies/s/texts", {"welcome": LONG * 2}),
        ):  # fmt: skip
            browser.get("/studies/s")
            answer = browser.post(address_, **fields)
            assert answer.status in (400, 422), "with what was written"
            assert "is full; free some" in answer.text or "can only be read" in answer.text
            assert "Traceback" not in answer.text


def test_a_draft_of_a_rating_that_is_not_stored_is_not_said_to_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    path = tmp_path / "store.db"
    rating_runs.build(path)
    made: Json = {"title": "T", "rate": {"run": rating_runs.RUN, "least_words": 1}}
    with Store.open(path) as store:
        store.studies.create("s", "rate", made, rating_runs.RUN)
        store.studies.change("s", open=True)
        (link,) = invite(store, "s", 1)
    with served(path) as address:
        rater = Rater(address)
        rater.join(link.path.rpartition("/")[2])
        page = rater.form(f"/take/s/{link.participant}/rate/instructions")
        place = page.url.removeprefix(address)
    seat = page.text.partition('data-seat="')[2].partition('"')[0]
    rating = {"seat": seat, "dimension": "goal", "score": 0, "reason": LONG, "seconds": 1}
    with unwritable(path, trouble, monkeypatch) as store, served(path) as address:
        rater.address = address
        statuses = []
        for dimension in ("goal", "secret", "relationship", "believability"):
            answer = rater.send(f"{place}/draft", rating | {"dimension": dimension})
            statuses.append(answer.status)
            if answer.status != 200:
                assert "does not count as sent" in answer.json["detail"]
        assert statuses[-1] == 503
        kept = [one for one in store.studies.answers("s") if isinstance(one.value, dict)]
        assert len(kept) == statuses.count(200)
