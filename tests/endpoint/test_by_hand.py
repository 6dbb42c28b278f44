"""Replies that a person writes into files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from sociolab.core import ConfigError
from sociolab.endpoint import ByHand, ChatBody, EndpointSettings, read_chat, serve

BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "You are *Ann*.\n\nBe kind."},
        {"role": "user", "content": "Your turn — now."},
    ],
    "temperature": 1,
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": {"type": "string"}},
    },
}

READABLE = """# Request 0001

- model: m
- temperature: 1

## 1. system

You are *Ann*.

Be kind.

## 2. user

Your turn — now.

## JSON schema of the reply

```json
{
 "type": "string"
}
```

---
Write your reply into `0001.reply.txt`, beside this file. \
It is sent as soon as the file holds text and has stopped changing.
"""


def body_read() -> ChatBody:
    return read_chat(json.dumps(BODY).encode())


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


def test_request_is_laid_down_and_the_written_reply_sent(tmp_path: Path) -> None:
    folder = tmp_path / "desk"

    async def main() -> str:
        async with (
            serve(EndpointSettings(by_hand=folder)) as endpoint,
            aiohttp.ClientSession() as session,
        ):
            call = asyncio.ensure_future(
                session.post(endpoint.url + "/chat/completions", json=BODY)
            )
            await until((folder / "0001.request.md").exists)
            (folder / "0001.reply.txt").write_text("Good day — to you.\n", encoding="utf-8")
            async with await call as response:
                answer = await response.json()
            return str(answer["choices"][0]["message"]["content"])

    assert asyncio.run(main()) == "Good day — to you."
    assert (folder / "0001.request.md").read_text("utf-8") == READABLE
    assert json.loads((folder / "0001.request.json").read_text("utf-8")) == BODY
    assert not (folder / "0001.request.gone").exists()


def test_reply_is_taken_once_it_is_written_and_no_longer_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = iter([None, "", " \n", "Good", "Good day", "Good day"])

    async def write_the_next_state(_: float) -> None:
        state = next(states)
        if state is not None:
            (tmp_path / "0001.reply.txt").write_text(state)

    monkeypatch.setattr("asyncio.sleep", write_the_next_state)
    assert asyncio.run(ByHand(tmp_path).reply(body_read())) == "Good day"
    assert next(states, "all used") == "all used"


def test_numbers_go_on_after_a_restart_and_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "0007.request.json").write_text("old")
    (tmp_path / "0003.request.gone").write_text("")
    (tmp_path / "notes.txt").write_text("mine")

    async def main() -> None:
        first, second = ByHand(tmp_path, 0.01), ByHand(tmp_path, 0.01)
        for number in (8, 9):
            (tmp_path / f"{number:04d}.reply.txt").write_text(f"reply {number}")
        # Two servers at one folder: the second finds the first's number taken.
        async with asyncio.timeout(30):
            assert await first.reply(body_read()) == "reply 8"
            assert await second.reply(body_read()) == "reply 9"

    asyncio.run(main())
    assert (tmp_path / "0007.request.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.glob("*.md")) == [
        "0008.request.md",
        "0009.request.md",
    ]


def test_client_that_is_gone_leaves_a_mark(tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            serve(EndpointSettings(by_hand=tmp_path)) as endpoint,
            aiohttp.ClientSession() as session,
        ):
            call = asyncio.ensure_future(
                session.post(endpoint.url + "/chat/completions", json=BODY)
            )
            await until((tmp_path / "0001.request.md").exists)
            call.cancel()
            await until((tmp_path / "0001.request.gone").exists)

    asyncio.run(main())


def test_folder_that_cannot_be_made_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be made"):
        ByHand(tmp_path / "file")


def test_by_hand_and_a_responder_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="one of the two"):
        EndpointSettings(by_hand=tmp_path, responder=lambda _: "")
