"""The system's clock is set back or forward while somebody is signed in, or at a turn."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lobby_plays import asked, opened, run, until
from play_clients import lay_out
from sociolab.store import Store
from sociolab.web import security
from study_browser import Browser
from web_serving import TOKEN, served

really = time.time


def signed_in(address: str) -> Browser:
    browser = Browser(address)
    browser.get("/login")
    browser.post("/login", token=TOKEN, next="/runs")
    assert browser.get("/runs").path == "/runs"
    return browser


@pytest.mark.parametrize("hours", [-48, -1, 1, 48])
def test_the_researcher_stays_signed_in_when_the_clock_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    Store.open(tmp_path / "store.db").close()
    with served(tmp_path / "store.db", token=TOKEN) as address:
        browser = signed_in(address)
        for cookie in browser.cookies:
            cookie.expires = None  # the browser has a clock of its own
        monkeypatch.setattr(time, "time", lambda: really() + hours * 3600)
        assert browser.get("/runs").path == "/runs"


def test_a_session_ends_after_its_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "store.db").close()
    with served(tmp_path / "store.db", token=TOKEN) as address:
        browser = signed_in(address)
        monkeypatch.setattr(security, "HOURS", 0)
        assert browser.get("/runs").path.startswith("/login")


def test_the_time_for_a_turn_is_not_counted_by_a_clock_that_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, turn_seconds=100)

    async def play() -> None:
        async with opened(path) as (hall, _):
            hall.begin(1)
            await until(hall, 1, asked)
            monkeypatch.setattr(time, "time", lambda: really() + 7200)
            asking = hall.screen(1).asking
            assert asking is not None
            assert 90 < asking.seconds_left <= 100

    run(play)
