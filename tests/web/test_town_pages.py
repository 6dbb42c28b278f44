"""The addresses of a replay: its page, its numbers, and what they say of what is not there."""

from __future__ import annotations

import gzip
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from declared_worlds import declared
from sociolab.core import Task, Trial
from sociolab.store import Store
from sociolab.worlds import stss
from web_serving import served
from web_towns import BAD, CUT, HOSTILE, WHOLE, first_trial, town_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return town_store(tmp_path_factory.mktemp("town"))


@pytest.fixture(scope="module")
def trial(store: Path) -> str:
    return first_trial(store)


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as found:
        yield found


def fetched(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, dict(refused.headers), refused.read()


def test_numbers_come_compressed_to_who_takes_that(address: str, trial: str) -> None:
    url = f"{address}/runs/{WHOLE}/episodes/{trial}/town.json"
    status, headers, plain = fetched(url)
    assert (status, headers.get("content-encoding")) == (200, None)
    status, headers, packed = fetched(url, **{"Accept-Encoding": "br, gzip"})
    assert (status, headers["content-encoding"], headers["vary"]) == (
        200,
        "gzip",
        "Accept-Encoding",
    )
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 3
    assert len(packed) < 40_000


def test_the_page_tells_the_task_who_counted_and_why(address: str, store: Path, trial: str) -> None:
    with Store.open(store) as opened:
        found = stss.replay(opened, WHOLE, trial)
    status, _, body = fetched(f"{address}/runs/{WHOLE}/episodes/{trial}/town")
    text = body.decode()
    assert status == 200
    assert found.task.goal in text
    assert found.why in text
    assert text.count(">attended<") == sum(one.counts for one in found.outcomes)
    assert text.count(">did not attend<") == sum(not one.counts for one in found.outcomes)
    assert "Stored scores" in text
    assert "#t=2024-05-14T17:0" in text


def test_the_page_of_days_that_are_not_over_says_so(address: str, trial: str) -> None:
    status, _, body = fetched(f"{address}/runs/{CUT}/episodes/{trial}/town")
    assert status == 200
    assert "No score: the simulation has not come to its end. Simulated until" in (
        body.decode().replace("</span>", "")
    )
    assert "No scores of this episode are stored." in body.decode()


def test_bad_texts_come_as_texts(address: str, trial: str) -> None:
    status, headers, body = fetched(f"{address}/runs/{HOSTILE}/episodes/{trial}/town.json")
    assert (status, headers["content-type"]) == (200, "application/json")
    texts = json.loads(body)["texts"]
    assert BAD[0] in texts
    assert not any("\x00" in text or "\x1b" in text or "\ud83d" in text for text in texts)
    assert fetched(f"{address}/runs/{HOSTILE}/episodes/{trial}/town")[0] == 200


def test_what_is_not_there_is_missing_and_never_a_fault(
    address: str, store: Path, trial: str
) -> None:
    with Store.open(store) as opened:
        planned = Trial("p", "stss", Task("t", ("a",), "t", "{}"), (), 0, 1)
        opened.create_run("planned", "stss", {}, [planned], declared("stss", [planned]))
        opened.create_run(
            "sale",
            "sotopia",
            {},
            [Trial("s", "sotopia", planned.task, (), 0, 1)],
            declared("sotopia", [Trial("s", "sotopia", planned.task, (), 0, 1)]),
        )
    for path, status, words in (
        (f"/runs/none/episodes/{trial}/town", 404, 'no run "none"'),
        (f"/runs/{WHOLE}/episodes/none/town.json", 404, 'no episode "none"'),
        ("/runs/sale/episodes/s/town", 404, "Nobody lives in a town"),
        ("/runs/planned/episodes/p/town", 400, "nothing of the episode p has been simulated yet"),
        (f"/runs/%00/episodes/{trial}/town", 404, "no run"),
    ):
        found, _, body = fetched(address + path, Accept="application/json")
        assert (found, words in json.loads(body)["detail"]) == (status, True), path
