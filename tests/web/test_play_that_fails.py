"""A partner fails or the budget is spent: what participants and the researcher read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from play_clients import AT_ONCE, Client, lay_out, my_turn, over, say, secret
from sociolab.store import Store
from sociolab.studies import (
    BUDGET_SPENT_TEXT,
    PARTNER_LOST,
    PlayPlan,
    StudySettings,
    SurveyQuestion,
    create_study,
    hash_secret,
    invite,
)
from study_browser import Browser
from web_serving import served


def played(address: str, participant: str) -> str:
    """What a participant reads behind the play that fails: its last screen, and the next page."""

    async def story() -> str:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            client = Client(session, address, participant)
            await client.open()
            await client.begin()
            while not over(screen := await client.until(lambda one: my_turn(one) or over(one))):
                await client.act(screen, say("Well?"))
            assert screen["last"]["why"] == PARTNER_LOST
            async with session.get(client.base, cookies=client.cookies) as page:
                return await page.text()

    return asyncio.run(asyncio.wait_for(story(), 20))


def test_whose_partner_is_gone_goes_on_to_the_survey_and_gets_the_code(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    plan = PlayPlan.model_validate(
        AT_ONCE | {"limit": 1, "partners": ["python:faulty_partners:Unreachable"]}
    )
    survey = (SurveyQuestion(name="how", text="How was it?"),)
    settings = StudySettings(
        title="T", debriefing="D", play=plan, survey=survey, completion_code="CODE-7"
    )
    with Store.open(path) as store:
        create_study(store, "chat", settings)
        store.studies.change("chat", open=True)
        assert store.studies.bind(
            store.studies.add_participant("chat", "p1", None), hash_secret(secret("p1"))
        )
    with served(path) as address:
        page = played(address, "p1")
        assert "How was it?" in page
        with Store.open(path) as store:
            pk = store.studies.participant("chat", "p1").pk
            store.studies.answer(pk, "", "frame.survey", True)

        async def end() -> str:
            async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
                client = Client(session, address, "p1")
                async with session.get(client.base, cookies=client.cookies) as answer:
                    return await answer.text()

        assert "CODE-7" in asyncio.run(end())
        shown = Browser(address).get("/studies/chat").text
        assert "1 episode ended early because the partner failed: connection 1" in shown


def test_who_comes_when_the_budget_is_spent_reads_so_and_keeps_the_link(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=2, each=2, budget=1.0, partners=["python:faulty_partners:Spending"])
    with Store.open(path) as store:
        (link,) = invite(store, "chat", 1)
    with served(path) as address:
        browser = Browser(address)
        assert browser.get(link.path).status == 200
        page = played(address, "p1")
        assert BUDGET_SPENT_TEXT in page
        for answer in (browser.get(link.path), browser.post(link.path)):
            assert answer.status == 403
            assert answer.problem == f"{BUDGET_SPENT_TEXT} Your link was not used up."
        shown = Browser(address).get("/studies/chat").text
        assert "The budget of $1.00 is spent: no new conversation starts" in shown
    with Store.open(path) as store:
        assert store.studies.participant("chat", link.participant).state == "invited"


def test_that_an_open_study_is_not_played_to_its_end_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=2)
    with served(path) as address:
        browser = Browser(address)
        assert "not played yet" not in browser.get("/runs/chat").problem
        with Store.open(path) as store:
            store.studies.change("chat", open=False)
        page = browser.get("/runs/chat").text
        assert "4 of 4 episodes not played yet" in page


def test_the_researcher_reads_why_nobody_can_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    (tmp_path / "models.toml").write_text(
        '[endpoints.lab]\nbase_url = "http://127.0.0.1:9/v1"\n', "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    lay_out(path, limit=1, partners=["lab/model"])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with served(path) as address:
        page = Browser(address).get("/studies/chat").text
        assert "there is no endpoint called" in page
        assert "start it in the one in which the study was set up" in page
    monkeypatch.chdir(tmp_path)
    with served(path) as address:
        assert "Nobody can play" not in Browser(address).get("/studies/chat").text
