"""A read-only store is served: pages show it, and buttons say that they cannot write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.store import Store
from sociolab.store.schema import checksum
from sociolab.studies import create_study
from study_browser import Browser
from study_samples import settings
from web_serving import served


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a run, in a folder where no log can be made, as root could make one anywhere."""
    path = tmp_path / "s.db"
    run(RunConfig(world="sotopia", limit=1, name="a", store=path))
    with Store.open(path) as store:
        create_study(store, "s", settings(review={"limit": 1, "raters": 1, "each": 1}))
        store.studies.change("s", open=True)

    def writing(path: Path, synced: bool) -> sqlite3.Connection:
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DIRECTORY
        raise error

    monkeypatch.setattr("sociolab.store.connect._open_for_writing", writing)
    return path


def test_its_pages_are_shown(read_only: Path) -> None:
    with Store.open(read_only) as store, served(read_only) as address:
        assert store.frozen
        browser = Browser(address)
        trial = store.trial_ids("a")[0]
        for page in ("/runs", "/runs/a", f"/runs/a/episodes/{trial}", "/studies", "/search?q=the"):
            assert browser.get(page).status == 200, page
        found = browser.get("/search?q=the").text
        assert "played episodes are searched" not in found  # it was indexed when the run ended
        assert "hx-trigger" not in found.partition("played episodes are searched")[0][-300:]


def test_a_button_that_writes_says_in_a_sentence_why_it_cannot(read_only: Path) -> None:
    with served(read_only) as address:
        browser = Browser(address)
        for page, fields in (
            ("state", {"state": "open"}),
            ("links", {"count": "3"}),
            ("delete", {"typed": "s"}),
        ):
            browser.get("/studies/s")
            answer = browser.post(f"/studies/s/{page}", **fields)
            assert answer.status in (400, 422), page
            assert "can only be read: its disk is read-only or full" in answer.text, page
            assert "Traceback" not in answer.text


def test_what_somebody_else_plays_meanwhile_is_shown(read_only: Path) -> None:
    with served(read_only) as address:
        browser = Browser(address)
        assert "later" not in browser.get("/runs").text
        with closing(sqlite3.connect(read_only)) as theirs, theirs:
            theirs.create_function("checksum", -1, checksum, deterministic=True)
            theirs.execute("UPDATE runs SET name = 'later'")
        assert "later" in browser.get("/runs").text
