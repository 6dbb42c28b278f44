"""People play and rate a world of another package through the web pages, and nothing knows it."""

from __future__ import annotations

import asyncio
import io
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import aiohttp
import pytest

from play_clients import Client, answer_to, lay_out, my_turn, over
from rater_client import Client as Rater
from sociolab import RunConfig, result_of, run
from sociolab.core import Action
from sociolab.store import Store
from study_browser import Browser, form
from ultimatum_installed import ultimatum
from web_serving import served


@pytest.fixture(autouse=True)
def installed(tmp_path: Path) -> Iterator[None]:
    with ultimatum(tmp_path / "lab"):
        yield


def archive(address: str, study: str) -> dict[str, str]:
    """The files of a study's export."""
    with urllib.request.urlopen(f"{address}/studies/{study}/export.zip", timeout=30) as answer:
        packed = ZipFile(io.BytesIO(answer.read()))
    return {name: packed.read(name).decode("utf-8", "replace") for name in packed.namelist()}


def test_a_rating_study_is_made_opened_rated_exported_and_agreement_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(RunConfig(world="ultimatum", agents=("scripted",), judges=("payoffs",), store=path,
                  name="first", limit=2))  # fmt: skip
    with served(path) as address:
        browser = Browser(address)
        page = browser.get("/studies/new?kind=rate")
        assert "first" in page.text, "the form offers a run of any world that says how it is rated"
        given = {**form(page), "name": "fair", "rate.run": "first", "rate.least_words": "2"}
        assert browser.post("/studies/new", None, **given).path == "/studies/fair"
        browser.post("/studies/fair/state", None, state="open")
        links = re.findall(
            r"/join/([\w-]+)", browser.post("/studies/fair/links", None, count="2").text
        )
        for number, link in enumerate(dict.fromkeys(links)):
            rater = Rater(address)
            home = rater.join(link).url.removeprefix(address).rpartition("/")[0]
            rater.form(f"{home}/consent", choice="agree")
            place = rater.form(f"{home}/rate/instructions").url.removeprefix(address)
            for _ in range(2):
                text = rater.get(place).text
                assert "How fair was this player?" in text
                assert "offer (points: 40): Take it." in text
                for seat, score in (("proposer", 5 + number), ("responder", 9)):
                    draft = {"seat": seat, "dimension": "fairness", "score": score}
                    rater.send(f"{place}/draft", {**draft, "reason": "they split it", "seconds": 1})
                rater.send(f"{place}/submit", {})
                place = rater.get(f"{home}/rate").url.removeprefix(address)
        told = browser.get("/studies/fair/ratings/agreement")
        assert (told.status, "fairness" in told.text.casefold()) == (200, True)
        files = archive(address, "fair")
        assert browser.get("/studies/fair/ratings").status == 200
    (ratings,) = [text for name, text in files.items() if name.endswith("ratings.csv")]
    assert ratings.count("fairness") == 8, "two raters, two games, two seats"
    with Store.open(path) as store:
        found = result_of(store, "first")
    means = {
        entry.by["role"]: entry.value
        for entry in found.scores
        if entry.measure == "fairness" and set(entry.by) == {"role"}
    }
    assert means == {"Proposer": 5.5, "Responder": 9.0}


def test_people_fill_in_the_fields_of_an_offer(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    (one,) = lay_out(path, world="ultimatum", settings={}, limit=2, each=2)
    with served(path) as address:
        seen = asyncio.run(played(address, one))
    (kind,) = seen["kinds"]["proposer"]
    assert (kind["label"], kind["spoken"]) == ("Make an offer", True)
    assert (
        kind["fields"][0] | {"name": "points", "kind": "number", "low": 0.0, "high": 100.0}
        == (kind["fields"][0])
    )
    assert seen["refused"] == (
        422,
        '"offer": points: expected at most 100, found 400.',
    )
    assert [one["tag"] for one in seen["tags"]["proposer"]] == ["points: 50", "accepted"]
    assert "It is over: they agreed." in seen["why"]
    with Store.open(path) as store:
        episodes = [e for e in store.episodes("chat") if e.ended]
    offers = [move.actions[0] for e in episodes for move in e.moves if move.actions[0].fields]
    assert Action("offer", "For you.", fields={"points": 50}) in offers


async def played(address: str, participant: str) -> dict[str, Any]:
    """What a person saw in an episode as the proposer and one as the responder."""
    seen: dict[str, Any] = {"kinds": {}, "tags": {}, "why": []}
    async with aiohttp.ClientSession() as session:
        client = Client(session, address, participant)
        await client.open()
        for _ in range(2):
            await client.begin()
            while True:
                screen = await client.until(lambda one: my_turn(one) or over(one))
                if over(screen):
                    break
                act = screen["asking"]["act"]
                role = "proposer" if act["kinds"][0]["name"] == "offer" else "responder"
                seen["kinds"][role] = act["kinds"]
                if role == "responder":
                    await client.act(screen, {"kind": "accept"})
                    continue
                offer = {"kind": "offer", "text": "For you."}
                wrong = {**offer, "fields": {"points": 400}}
                status, body = await client.call("POST", "act", answer_to(screen, wrong))
                seen["refused"] = status, body.get("detail") or body.get("problem")
                await client.act(screen, {**offer, "fields": {"points": 50}})
            seen["why"].append(screen["last"]["why"])
            history = [one for line in screen["last"]["history"] for one in line["actions"]]
            seen["tags"][role] = history
    return seen
