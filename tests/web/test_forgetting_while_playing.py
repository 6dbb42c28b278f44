"""Somebody is deleted in the middle of a play: it stops, leaves nothing, and others play on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import urllib.request
from pathlib import Path

import aiohttp

from play_clients import Client, lay_out, my_turn, say
from sociolab.store import Store
from study_browser import Browser
from web_serving import served

SECRET = "quetzalcoatl"


async def playing(session: aiohttp.ClientSession, address: str, who: str, words: str) -> Client:
    """A participant who has said something and is asked again."""
    client = Client(session, address, who)
    await client.open()
    await client.begin()
    screen = await client.until(my_turn)
    await client.act(screen, say(words))
    await client.until(my_turn)
    return client


def test_a_play_stops_when_its_player_is_deleted_and_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    gone, stays = lay_out(path, participants=2, limit=2)

    async def scenario(address: str) -> None:
        async with aiohttp.ClientSession() as session:
            first = await playing(session, address, gone, f"I am {SECRET}.")
            second = await playing(session, address, stays, "I am steadfast.")
            browser = Browser(address)
            await asyncio.to_thread(browser.get, "/studies/chat")
            page = await asyncio.to_thread(browser.post, f"/studies/chat/people/{gone}/delete")
            assert page.status == 200, page.text
            status, _ = await first.call("GET", "state")
            assert status == 404
            screen = await second.until(my_turn)
            await second.act(screen, say("I am still here."))

    with served(path) as address:
        asyncio.run(scenario(address))
        data = b"".join(
            file.read_bytes()
            for file in tmp_path.iterdir()
            if file.name.startswith("store.db") and file.is_file()
        )
        assert SECRET.encode() not in data
        assert b"I am still here." in data
        assert urllib.request.urlopen(f"{address}/healthz").status == 200
    with Store.open(path) as store:
        assert [who.id for who in store.studies.participants("chat")] == [stays]
        spoken = [event for row in store.trials("chat") for event in
                  store.events("chat", row.trial.id)]  # fmt: skip
        assert SECRET not in str(spoken)
        assert "still here" in str(spoken)


def test_others_wait_while_somebody_is_forgotten_and_notice_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    gone, stays = lay_out(path, participants=2, limit=2)

    async def leave(client: Client) -> int:
        form = {"csrf": client.csrf, "data": "delete"}
        async with client.session.post(
            f"{client.base}/leave", data=form, cookies=client.cookies, allow_redirects=False
        ) as answer:
            return answer.status

    async def scenario(address: str) -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            first = await playing(session, address, gone, "I go.")
            second = await playing(session, address, stays, "I stay.")
            leaving = asyncio.create_task(leave(first))
            found = set()
            for _ in range(100):
                found.add((await second.call("GET", "state"))[0])
                if leaving.done():
                    break
            assert await leaving == 303
            assert found == {200}
            await second.until(my_turn)

    with served(path) as address:
        asyncio.run(asyncio.wait_for(scenario(address), 30))
    with Store.open(path) as store:
        assert [who.id for who in store.studies.participants("chat")] == [stays]


def test_who_plays_is_forgotten_by_a_command_as_soon_as_the_study_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    gone, stays = lay_out(path, participants=2, limit=2)

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        call = [sys.executable, "-m", "sociolab", "study", *words, "--store", str(path)]
        return subprocess.run(call, capture_output=True, text=True, check=False)

    async def scenario(address: str) -> None:
        async with aiohttp.ClientSession() as session:
            await playing(session, address, gone, f"I am {SECRET}.")
            await playing(session, address, stays, "I am steadfast.")
            refused = await asyncio.to_thread(command, "forget", "chat", gone, "--yes")
            assert refused.returncode == 2
            assert "close the study first: sociolab study close chat" in refused.stderr
            for words in (("close", "chat"), ("forget", "chat", gone, "--yes")):
                done = await asyncio.to_thread(command, *words)
                assert done.returncode == 0, done.stderr

    with served(path) as address:
        asyncio.run(scenario(address))
        assert SECRET.encode() not in path.read_bytes()
    with Store.open(path) as store:
        assert [who.id for who in store.studies.participants("chat")] == [stays]
