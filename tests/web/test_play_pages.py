from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from play_clients import Client, answer_to, home, lay_out, my_turn, over, say
from sociolab.core import Answered, Moved, Unusable
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.report import stand_ins
from sociolab.store import Store
from web_serving import free_port, served

Browser = Callable[[str], Client]


def play(address: str, story: Callable[[Browser], Awaitable[None]]) -> None:
    """Run a story of participants, each a browser of its own."""

    async def told() -> None:
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            await asyncio.wait_for(story(lambda who: Client(session, address, who)), 40)

    asyncio.run(told())


async def talk(client: Client, until: Callable[[dict[str, Any]], Any] = over) -> dict[str, Any]:
    """Take every turn, until the screen is as wanted."""
    while True:
        screen = await client.until(lambda one: my_turn(one) or until(one))
        if until(screen):
            return screen
        await client.act(screen, say(f"This is turn {screen['asking']['turn']}."))


def moves(path: Path, run: str = "chat") -> list[Moved]:
    """The turns of all episodes of a run."""
    with Store.open(path) as store:
        return [event for row in store.trials(run) for event in store.events(run, row.trial.id)
                if isinstance(event, Moved)]  # fmt: skip


def test_a_person_plays_against_a_scripted_partner_and_goes_on_to_what_is_next(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path / "store.db", limit=2)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        assert (await me.state())["phase"] == "ready"
        screen = await me.begin()
        assert [one["title"] for one in screen["scene"]["sections"] if one["kept"]] == [
            "Your social goal"
        ]
        assert (await talk(me))["phase"] == "done"
        async with me.session.get(me.base, cookies=me.cookies, allow_redirects=False) as hub:
            assert hub.status == 303
            assert not hub.headers["location"].endswith("/play")

    with served(tmp_path / "store.db") as address:
        play(address, story)
    assert len(moves(tmp_path / "store.db")) == 6


def test_two_people_play_with_each_other(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", participants=2, people=2, limit=1)

    async def story(browser: Browser) -> None:
        one, two = browser("p1"), browser("p2")
        for person in (one, two):
            await person.open()
            await person.begin()
        ends = await asyncio.gather(talk(one), talk(two))
        assert [end["last"]["why"] for end in ends] == ["All turns have been used."] * 2
        assert "model" not in str(ends).casefold()

    with served(tmp_path / "store.db") as address:
        play(address, story)
    assert [move.turn for move in moves(tmp_path / "store.db")] == list(range(6))


def test_a_person_plays_with_a_model_over_the_endpoint_and_reports_say_that_it_is_a_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with start_in_thread(EndpointSettings()) as endpoint:
        (tmp_path / "models.toml").write_text(f'[endpoints.here]\nbase_url = "{endpoint.url}"\n')
        lay_out(tmp_path / "store.db", limit=1, partners=["here/any"])

        async def story(browser: Browser) -> None:
            me = browser("p1")
            await me.open()
            await me.begin()
            assert (await talk(me))["phase"] == "done"

        with served(tmp_path / "store.db") as address:
            play(address, story)
    with Store.open(tmp_path / "store.db") as store:
        calls = store.rows("SELECT role, count(*) FROM calls GROUP BY role")
        assert calls == [("partner", len(moves(tmp_path / "store.db")) // 2)]
        assert stand_ins(store.run("chat").settings) == ("here/any",)


def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path, port = tmp_path / "store.db", free_port()
    lay_out(path, participants=2, people=2, limit=1)
    address = f"http://127.0.0.1:{port}"
    said: list[str] = []
    before: list[Client] = []

    async def until_killed(browser: Browser, server: subprocess.Popen[str]) -> None:
        one, two = browser("p1"), browser("p2")
        before.extend((one, two))
        for person in before:
            await person.open()
            await person.begin()
        for turn, person in enumerate((one, two, one)):
            screen = await person.until(my_turn)
            said.append(f"This is turn {turn}.")
            await person.act(screen, say(said[-1]))
        os.kill(server.pid, signal.SIGKILL)

    async def after(browser: Browser) -> None:
        one, two = browser("p1"), browser("p2")
        for person, earlier in zip((one, two), before, strict=True):
            # The page was open all the time, and is not loaded again.
            person.csrf, person.cookies = earlier.csrf, earlier.cookies
        screen = await two.until(my_turn)
        assert [line["actions"][0]["text"] for line in screen["scene"]["history"]] == said
        own = (await one.state())["scene"]["trial"]
        again = answer_to(screen, say(said[2])) | {"turn": 2, "trial": own}
        assert (await one.call("POST", "act", again))[0] == 200  # had not heard of it
        await asyncio.gather(talk(one), talk(two))

    with started(path, port) as server:
        play(address, lambda browser: until_killed(browser, server))
    with served(path, port=port):
        play(address, after)
    assert [move.turn for move in moves(path)] == list(range(6))


def started(path: Path, port: int) -> subprocess.Popen[str]:
    """`sociolab web` in a process of its own, up and serving."""
    command = [sys.executable, "-m", "sociolab", "web", "--store", str(path), "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    async def up() -> None:
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    async with session.get(f"http://127.0.0.1:{port}/healthz"):
                        return
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(up(), 30))
    return server


BARGAIN: dict[str, Any] = {
    "tasks": "scenario=bargain-01-touring-bicycle", "limit": 1, "settings": {"turns": "2"},
    "participants": 2, "people": 2,
}  # fmt: skip
AGREED = {"outcome": "agreed", "price": 280, "in_words": "", "offer": "", "acceptance": ""}
SWAP = AGREED | {"outcome": "something else", "price": None, "in_words": "CANARY: a swap"}


def closing(screen: dict[str, Any]) -> Any:
    """Whether the screen asks what came of it."""
    return my_turn(screen) and screen["asking"]["over"]


async def to_the_form(one: Client, two: Client) -> list[dict[str, Any]]:
    """Both play until they are asked what came of it."""
    for person in (one, two):
        await person.open()
        await person.begin()
    return list(await asyncio.gather(talk(one, closing), talk(two, closing)))


def what_came_of_it(path: Path) -> list[Any]:
    """The answers of both seats, and what there is in the place of one."""
    with Store.open(path) as store:
        (row,) = store.trials("chat")
        assert row.status == "played"
        events = store.events("chat", row.trial.id)
        return [e.value if isinstance(e, Answered) else e.problem for e in events
                if isinstance(e, Answered | Unusable)]  # fmt: skip


def test_nobody_waits_for_anothers_form_or_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, **BARGAIN)

    async def story(browser: Browser) -> None:
        one, two = browser("p1"), browser("p2")
        first, second = await to_the_form(one, two)
        question = first["asking"]["question"]
        assert question["optional"]
        assert (
            question["fields"][0]["label"]
            == "Did you agree on a price for the steel touring bicycle?"
        )
        sent = answer_to(first) | {"answer": SWAP}
        status, screen = await one.call("POST", "act", sent)
        assert (status, screen["phase"]) == (200, "done")
        async with one.session.get(one.base, cookies=one.cookies, allow_redirects=False) as hub:
            assert not hub.headers["location"].endswith("/play")
        assert closing(await two.state())
        assert (await one.call("POST", "act", sent))[0] == 409  # as any answer that is too late
        seen = [await two.state(), await two.open()]
        status, screen = await two.call("POST", "act", answer_to(second) | {"skipped": True})
        assert (status, screen["phase"]) == (200, "done")
        assert "CANARY" not in f"{seen}{screen}{await two.state()}"

    with served(path) as address:
        play(address, story)
    assert what_came_of_it(path) == [SWAP, "the person skipped the question"]


def test_a_turn_cannot_be_skipped_as_a_question_can(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        await me.begin()
        screen = await me.until(my_turn)
        status, _ = await me.call("POST", "act", answer_to(screen) | {"skipped": True})
        assert status == 422

    with served(tmp_path / "store.db") as address:
        play(address, story)


def test_a_server_that_is_killed_while_forms_are_open_asks_only_who_has_not_answered(
    tmp_path: Path,
) -> None:
    path, port = tmp_path / "store.db", free_port()
    lay_out(path, **BARGAIN)
    address = f"http://127.0.0.1:{port}"
    before: list[Client] = []

    async def until_killed(browser: Browser, server: subprocess.Popen[str]) -> None:
        before.extend((browser("p1"), browser("p2")))
        first, _ = await to_the_form(*before)
        assert (await before[0].call("POST", "act", answer_to(first) | {"answer": AGREED}))[
            0
        ] == 200
        os.kill(server.pid, signal.SIGKILL)

    async def after(browser: Browser) -> None:
        one, two = browser("p1"), browser("p2")
        for person, earlier in zip((one, two), before, strict=True):
            person.csrf, person.cookies = earlier.csrf, earlier.cookies
        assert (await one.state())["phase"] == "done"
        screen = await two.until(closing)
        status, _ = await two.call("POST", "act", answer_to(screen) | {"answer": SWAP})
        assert status == 200

    with started(path, port) as server:
        play(address, lambda browser: until_killed(browser, server))
    with served(path, port=port):
        play(address, after)
    assert what_came_of_it(path) == [AGREED, SWAP]


def test_nobody_sees_or_does_anything_in_another_ones_seat(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", participants=2, limit=2)

    async def story(browser: Browser) -> None:
        me, thief = browser("p1"), browser("p2")
        await me.open()
        await thief.open()
        await me.begin()
        thief.base = me.base
        sent = answer_to(await me.state(), say("I am p1."))
        assert (await thief.call("GET", "state"))[0] == 404
        assert (await thief.call("POST", "act", sent))[0] == 404
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await thief.socket()
        thief.cookies = {}
        assert (await thief.call("GET", "state"))[0] == 404
        elsewhere = {"Origin": "https://elsewhere.example"}
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await me.socket(**elsewhere)
        me.csrf = "0" * 64
        assert (await me.call("POST", "act", sent))[0] == 403

    with served(tmp_path / "store.db") as address:
        play(address, story)
    assert moves(tmp_path / "store.db") == []


def test_what_cannot_be_taken_gets_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        fitting = {"trial": "x", "turn": 0, "actions": []}
        assert (await me.call("POST", "act", fitting))[0] == 409
        await me.begin()
        screen = await me.state()
        for action, status in (
            (say(""), 422),
            (say("x" * 5000), 422),
            ({"kind": "dance", "text": "x"}, 422),
            ({"kind": "speak", "text": "psst", "to": ["Nobody"]}, 422),
            ({"kind": "speak", "text": "\ud800"}, 422),
            ({"kind": "speak", "text": "x", "more": 1}, 422),
        ):
            found, body = await me.call("POST", "act", answer_to(screen, action))
            assert (found, bool(body["detail"])) == (status, True), action
        deep: list[Any] = []
        for _ in range(200):
            deep = [deep]
        nested = answer_to(screen) | {"answer": {"facts": deep}}
        assert (await me.call("POST", "act", nested))[0] == 422
        stale = answer_to(screen, say("x")) | {"turn": 3}
        found, body = await me.call("POST", "act", stale)
        assert (found, "no longer your turn" in body["detail"]) == (409, True)
        await me.act(screen, say("<script>\x00"))

    with served(tmp_path / "store.db") as address:
        play(address, story)
    assert moves(tmp_path / "store.db")[0].actions[0].text == "<script>\N{REPLACEMENT CHARACTER}"


def test_a_study_that_is_closed_and_opened_again_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        await me.begin()
        await me.act(await me.state(), say("Hello."))
        async with me.socket() as socket:
            with Store.open(path) as store:
                store.studies.change("chat", open=False)
                assert (await me.call("GET", "state"))[0] == 403
                store.studies.change("chat", open=True)
            # So that the page connects anew, to the plays that go on.
            while (await asyncio.wait_for(socket.receive(), 20)).type != aiohttp.WSMsgType.CLOSE:
                pass
        screen = await me.until(my_turn)
        assert screen["asking"]["turn"] == 2

    with served(path) as address:
        play(address, story)


def test_a_script_that_went_wild_is_slowed_down(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        found = [(await me.call("POST", "begin"))[0] for _ in range(30)]
        assert found.count(429) > 5

    with served(tmp_path / "store.db") as address:
        play(address, story)


def test_the_name_of_an_episode_tells_nothing_of_who_plays_in_it(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, partners=(), limit=1)

    async def story(browser: Browser) -> None:
        clients = [browser("p1"), browser("p2")]
        for client in clients:
            await client.open()
            await client.begin()
        screens = [await client.until(lambda one: one["scene"]) for client in clients]
        names = {screen["scene"]["trial"] for screen in screens}
        assert len(names) == 2, "each has a name of their own"
        with Store.open(path) as store:
            (trial,) = (row.trial.id for row in store.trials("chat"))
        assert trial not in str(screens)
        first = await clients[0].until(my_turn)
        guessed = answer_to(first, say("Well?")) | {"trial": trial}
        status, _ = await clients[0].call("POST", "act", guessed)
        assert status == 409, "whoever guesses it right is not told so"
        await clients[0].act(first, say("Well?"))
        await talk(clients[1], until=lambda one: len(one["scene"]["history"]) > 1)

    with served(path) as address:
        play(address, story)


def test_a_socket_that_is_talked_to_is_closed(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        await me.open()
        async with me.socket() as socket:
            await socket.send_str("x" * 10_000)
            message = await asyncio.wait_for(socket.receive(), 20)
            assert message.type == aiohttp.WSMsgType.CLOSE
            assert message.data == 1008
        async with me.socket() as socket:
            await me.begin()
            assert await asyncio.wait_for(socket.receive_str(), 20) == "changed"

    with served(tmp_path / "store.db") as address:
        play(address, story)


def test_a_page_of_another_kind_of_study_has_nothing_to_play(tmp_path: Path) -> None:
    lay_out(tmp_path / "store.db", limit=1)

    async def story(browser: Browser) -> None:
        me = browser("p1")
        me.base = me.base.replace(home("chat", "p1"), home("other", "p1"))
        assert (await me.call("GET", "state"))[0] == 404

    with served(tmp_path / "store.db") as address:
        play(address, story)
