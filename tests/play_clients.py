"""Play studies laid out for tests, and participants as programs that play in them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from sociolab.store import Store
from sociolab.studies import PlayPlan, StudySettings, create_study, hash_secret

COOKIE = "sociolab-participant"
"""The cookie by which a browser is known as a participant's."""

AT_ONCE = {"words_a_minute": 0, "settings": {"turns": "6"}}
"""Short episodes with partners who take no time."""


def lay_out(path: Path, name: str = "chat", participants: int = 1, **plan: Any) -> tuple[str, ...]:
    """An open play study with so many participants, who have opened their links; their ids.

    The secret in a participant's browser is `secret(id, name)`.
    """
    settings = StudySettings(
        title="A conversation",
        debriefing="Your partner may have been a program.",
        play=PlayPlan(**{**AT_ONCE, **plan}),
    )
    ids = tuple(f"p{number}" for number in range(1, participants + 1))
    with Store.open(path) as store:
        create_study(store, name, settings)
        store.studies.change(name, open=True)
        for one in ids:
            pk = store.studies.add_participant(name, one, None)
            assert store.studies.bind(pk, hash_secret(secret(one, name)))
    return ids


def secret(participant: str, study: str = "chat") -> str:
    """What the browser of a participant has in its cookie."""
    return f"the-secret-of-{participant}-in-{study}"


def home(study: str, participant: str) -> str:
    """The address of a participant's pages."""
    return f"/take/{study}/{participant}"


class Client:
    """One participant's browser, without a screen."""

    def __init__(self, session: aiohttp.ClientSession, address: str, participant: str,
                 study: str = "chat") -> None:  # fmt: skip
        self.base = f"{address}{home(study, participant)}"
        self.session = session
        self.cookies = {COOKIE: secret(participant, study)}
        self.csrf = ""

    async def open(self) -> str:
        """Load the page, and keep what it gives a browser."""
        async with self.session.get(f"{self.base}/play", cookies=self.cookies) as answer:
            text = await answer.text()
            assert answer.status == 200, text
            for name, morsel in answer.cookies.items():
                self.cookies[name] = morsel.value
            found = re.search(r'name="csrf" content="(\w+)"', text)
            assert found is not None
            self.csrf = found[1]
            return text

    async def state(self) -> dict[str, Any]:
        """What the screen shows."""
        status, body = await self.call("GET", "state")
        assert status == 200, body
        return body

    async def call(self, method: str, path: str, value: Any = None) -> tuple[int, dict[str, Any]]:
        """Ask for something; the status, and the JSON of the answer."""
        headers = {"X-CSRF-Token": self.csrf, "Accept": "application/json"}
        async with self.session.request(
            method, f"{self.base}/play/{path}", json=value, headers=headers, cookies=self.cookies
        ) as answer:
            return answer.status, await answer.json()

    async def begin(self) -> dict[str, Any]:
        """Ready for the next episode."""
        status, body = await self.call("POST", "begin")
        assert status == 200, body
        return body

    async def act(self, screen: dict[str, Any], *actions: dict[str, Any]) -> dict[str, Any]:
        """Take the turn that the screen asks for."""
        status, body = await self.call("POST", "act", answer_to(screen, *actions))
        assert status == 200, body
        return body

    def socket(self, **headers: str) -> Any:
        """The socket that tells of changes, to be entered."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return self.session.ws_connect(
            f"{self.base}/play/socket", headers={"Cookie": cookies, **headers}
        )

    async def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first screen that is as wanted, told of changes by the socket."""
        async with self.socket() as socket:
            while not wanted(screen := await self.state()):
                await asyncio.wait_for(socket.receive_str(), 20)
            return screen


def answer_to(screen: dict[str, Any], *actions: dict[str, Any]) -> dict[str, Any]:
    """What a page sends for the turn that its screen asks for."""
    asking = screen["asking"]
    return {
        "trial": screen["scene"]["trial"],
        "turn": asking["turn"],
        "name": asking["name"],
        "attempt": asking["attempt"],
        "actions": list(actions),
    }


def say(text: str) -> dict[str, Any]:
    """Words for everybody."""
    return {"kind": "speak", "text": text}


def my_turn(screen: dict[str, Any]) -> bool:
    """Whether the screen asks for something."""
    return screen["asking"] is not None


def over(screen: dict[str, Any]) -> bool:
    """Whether no episode is under way for the person."""
    return screen["phase"] in ("ready", "done", "let go")
