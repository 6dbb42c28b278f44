"""The whole way of a play study: link, consent, play, questions, end, and the data of it."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

import aiohttp

from bundles import lines_of, text_of
from play_clients import AT_ONCE, Client, my_turn, over, say
from sociolab.core import JudgeId, Measure, Score
from sociolab.store import Store
from sociolab.studies import Link, create_study, export_study, invite
from study_browser import Browser
from study_samples import settings
from web_serving import served


async def play(address: str, browser: Browser, participant: str) -> None:
    """Play one episode to its end, in the browser that has taken part so far."""
    async with aiohttp.ClientSession() as session:
        client = Client(session, address, participant, "talks")
        client.cookies = {cookie.name: str(cookie.value) for cookie in browser.cookies}
        await client.open()
        await client.begin()
        while True:
            screen = await client.until(lambda seen: my_turn(seen) or over(seen))
            if over(screen):
                return
            await client.act(screen, say("I see what you mean."))


def agreed(address: str, link: Link) -> Browser:
    """A browser whose participant has read the instructions."""
    browser, home = Browser(address), f"/take/talks/{link.participant}"
    browser.get(link.path)
    browser.post(link.path)
    browser.post(f"{home}/consent", choice="agree")
    browser.post(f"{home}/instructions")
    return browser


def test_a_participant_plays_and_the_episode_is_in_the_data(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        texts = {"debriefing": "Your partner was a program."}
        create_study(store, "talks", settings(play={**AT_ONCE, "limit": 1}, **texts))
        store.studies.change("talks", open=True)
        link = invite(store, "talks", 1)[0]
    home = f"/take/talks/{link.participant}"
    with served(path) as address:
        browser = Browser(address)
        browser.get(link.path)
        browser.post(link.path)
        browser.post(f"{home}/consent", choice="agree")
        assert browser.post(f"{home}/instructions").path == f"{home}/play"
        assert browser.get(f"{home}/survey").path == f"{home}/play"
        asyncio.run(play(address, browser, link.participant))
        assert browser.get(home).path == f"{home}/survey"
        page = browser.post(f"{home}/survey", natural="5", partner="A person")
        assert page.title == "Thank you for taking part!"
        assert "Your partner was a program." in page.text
        assert browser.get(f"{home}/play").status == 403
    with Store.open(path) as store:
        (played,) = store.trial_ids("talks", "played")
        seat = store.studies.assignments("talks")[0].seat
        (other,) = set(store.trials("talks")[0].trial.task.seats) - {seat}
        goal = Measure("goal", 0, 10)
        given = [Score(goal, seat, 7), Score(goal, other, 3)]
        store.verdicts.add("talks", JudgeId("reader", "rules", "r1"), given, trial=played)
        export_study(store, "talks", tmp_path / "out")
    with (tmp_path / "out/assignments.csv").open(encoding="utf-8") as rows:
        (row,) = csv.DictReader(rows)
    assert (row["partner"], row["partner_kind"], row["state"]) == ("scripted", "rules", "done")
    assert row["task"]
    assert int(row["turns"]) >= 2
    assert 0 <= int(row["seconds"]) < 600
    bundle = tmp_path / "out/episodes.zip"
    assert "I see what you mean." in text_of(bundle)
    with (tmp_path / "out/turns.csv").open(encoding="utf-8") as rows:
        turns = list(csv.DictReader(rows))
    assert [int(each["turn"]) for each in turns] == list(range(1, int(row["turns"]) + 1))
    mine = [each for each in turns if each["participant"] == link.participant]
    assert {(each["agent"], each["seat"]) for each in mine} == {("human", row["seat"])}
    assert (mine[0]["action"], mine[0]["text"]) == ("speak", "I see what you mean.")
    assert {each["agent"] for each in turns if not each["participant"]} == {"scripted"}
    with (tmp_path / "out/episodes.csv").open(encoding="utf-8") as rows:
        (episode,) = csv.DictReader(rows)
    assert (episode["item"], episode["participants"]) == (row["item"], link.participant)
    assert (episode["status"], episode["outcome"]) == ("played", "turn limit")
    assert (episode["partner"], episode["partner_kind"]) == ("scripted", "rules")
    assert (episode["turns"], episode["seconds"]) == (row["turns"], row["seconds"])
    with (tmp_path / "out/scores.csv").open(encoding="utf-8") as rows:
        scores = [
            (each["item"], each["participant"], each["agent"], each["metric"], each["score"])
            for each in csv.DictReader(rows)
        ]
    assert scores == [
        (row["item"], link.participant, "human", "goal", "7"),
        (row["item"], "", "scripted", "goal", "3"),
    ]
    trials = lines_of(bundle, "trials.jsonl")
    assert sorted(trial["status"] for trial in trials) == ["planned", "played"]


def test_who_finds_everything_played_reads_so_and_is_asked_nothing_about_it(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        create_study(store, "talks", settings(play={**AT_ONCE, "limit": 1}))
        store.studies.change("talks", open=True)
        *first, late = invite(store, "talks", 3)
    with served(path) as address:
        assert (
            "room for 2 people: 2 episodes, 1 per person"
            in Browser(address).get("/studies/talks").text
        )
        for link in first:
            asyncio.run(play(address, agreed(address, link), link.participant))
        page = agreed(address, late).get(f"/take/talks/{late.participant}")
        assert page.path == f"/take/talks/{late.participant}/end"
        assert "All conversations of this study have been taken" in page.text
        assert "Your completion code" in page.text
