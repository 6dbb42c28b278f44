"""A run is deleted, or the file replaced, while it is served: one clear sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from play_clients import lay_out
from rater_client import Client
from rating_runs import ADA, RUN, STUDY, build, link, open_study
from sociolab.store import Store
from sociolab.studies import ratings_in
from study_browser import Browser
from web_serving import served


def begun(address: str) -> tuple[Client, str]:
    client = Client(address)
    client.join(link(STUDY, 1))
    page = client.form(f"/take/{STUDY}/r1/rate/instructions")
    return client, page.url.removeprefix(address)


def test_a_run_that_is_deleted_under_an_open_study_is_told_to_all(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store, served(store.path) as address:
        open_study(store)
        client, place = begun(address)
        store.delete_run(RUN)
        rating = {"seat": ADA, "dimension": "goal", "score": 3}
        for answer in (client.get(place), client.send(f"{place}/draft", rating)):
            assert answer.status == 404
            assert "If the study or your part in it was deleted" in answer.text
        researcher = Browser(address)
        assert researcher.get("/studies").status == 200
        for path in (f"/studies/{STUDY}", f"/studies/{STUDY}/ratings", f"/runs/{RUN}"):
            found = researcher.get(path)
            assert (found.status, bool(found.problem)) == (404, True), path
    assert not [record for record in caplog.records if record.exc_info]


def test_ratings_of_a_run_that_took_the_place_of_a_deleted_one_are_there(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    build(path)
    with served(path) as address:
        for _ in range(2):
            with Store.open(path) as store:
                open_study(store, dimensions=("goal",))
            client, place = begun(address)
            for seat in ("ada-holm", "ben-acker"):
                rating = {"seat": seat, "dimension": "goal", "score": 3, "seconds": 1}
                client.send(f"{place}/draft", rating | {"reason": "they haggled kindly"})
            assert "next" in client.send(f"{place}/submit", {}).json
            with Store.open(path) as store:
                assert len(ratings_in(store, RUN, STUDY)) == 2
                store.delete_run(RUN)
            build(path)


def test_a_store_that_was_replaced_is_not_written_any_more(tmp_path: Path) -> None:
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    build(path)
    with Store.open(path) as store:
        open_study(store)
    lay_out(other)
    with served(path) as address:
        client, place = begun(address)
        shutil.move(path, tmp_path / "away.db")
        other.replace(path)
        answer = client.send(f"{place}/draft", {"seat": ADA, "dimension": "goal", "score": 3})
        assert answer.status == 503
        assert "does not count as sent" in answer.json["detail"]
        found = Browser(address).get("/studies")
        assert found.status == 400
        assert "was moved, deleted or replaced while it was served" in found.problem
        path.replace(other)
        shutil.move(tmp_path / "away.db", path)
        assert client.get(place).status == 200, "it is put back"
