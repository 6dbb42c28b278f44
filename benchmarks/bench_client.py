"""What a model call costs this process in CPU: the client and its parts, beside bare aiohttp; and
what reading a reply costs, the degenerate ones of looping models too.

    PYTHONPATH=src python benchmarks/bench_client.py

The endpoint runs in a process of its own. Each figure is the CPU time of this process (all its
threads) divided by the calls, the best of several runs.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal

import aiohttp
from pydantic import BaseModel

from sociolab.core.errors import ReplyError
from sociolab.core.ports import CallKey, ChatModel, Message, Prompt, Schema
from sociolab.endpoint.server import start_in_process
from sociolab.endpoint.settings import EndpointSettings
from sociolab.models.budget import Budget, Price
from sociolab.models.cache import CachedModel, NullReplyStore, reply_key
from sociolab.models.chat import Endpoint
from sociolab.models.config import EndpointSpec
from sociolab.models.wire import Quirks, body_of, read_reply
from sociolab.prompting.structured import parse_reply_text

CALLS = 1000
IN_FLIGHT = 64
ROUNDS = 12

SCHEMA = Schema(
    "Turn",
    json.dumps(
        {
            "additionalProperties": False,
            "properties": {
                "action": {"enum": ["speak", "none", "leave"], "type": "string"},
                "text": {"type": "string"},
            },
            "required": ["action", "text"],
            "type": "object",
        },
        separators=(",", ":"),
    ),
)
WORDS = "You meet at the market and talk about the price of a bicycle that one of you would sell. "
PROMPT = Prompt(
    (Message("system", WORDS * 30), Message("user", WORDS * 26)), SCHEMA, temperature=1.0
)
GOOD = '{"action": "speak", "text": "Would you take forty for it, if I fetch it today?"}'
LONG = 84_000
LOOPS = ("<think>", "{", '{"', '{"a":', '{"a":1},', "{}", "[", '"', "\\", "```", "9")
"""What looping models repeat up to the token limit."""
KEY = CallKey("0123456789abcdef", "agent", "ada", 7, "act", 1)


class Turn(BaseModel):
    action: Literal["speak", "none", "leave"]
    text: str


def main() -> None:
    """Print one line per job."""
    characters = sum(len(message.text) for message in PROMPT.messages)
    print(f"aiohttp {aiohttp.__version__}; a prompt of {characters:,} characters")
    with start_in_process(EndpointSettings(latency_ms=20)) as server:
        bare = asyncio.run(_best(lambda: _bare(server.url)))
        alone = asyncio.run(_best(lambda: _client(server.url, kept=False)))
        kept = asyncio.run(_best(lambda: _client(server.url, kept=True)))
        reply = asyncio.run(_one_reply(server.url))
    _show("aiohttp's own session.post, in a task each", bare)
    _show("EndpointModel.complete", alone)
    _show("CachedModel.complete over it (nothing stored)", kept)
    _show("of which body_of", _timed(lambda: body_of("m", PROMPT, Quirks())))
    _show("of which reply_key", _timed(lambda: reply_key("http://x/v1", "x/m", PROMPT, KEY)))
    _show("of which read_reply", _timed(lambda: read_reply(reply, PROMPT, 0.0, 1)))
    _show("structured.read of a turn", _timed(lambda: _read(GOOD)))
    fenced = f"<think>{WORDS * 20}</think>Sure:\n```json\n{GOOD}\n```"
    _show("structured.read of a turn after reasoning, in a fence", _timed(lambda: _read(fenced)))
    for piece in LOOPS:
        text = piece * (LONG // len(piece))
        _show(f"structured.read of 84 KB of {piece!r}", _timed(partial(_read, text), 1))


async def _best(job: Callable[[], Awaitable[float]]) -> float:
    return min([await job() for _ in range(ROUNDS)])


async def _bare(url: str) -> float:
    """Seconds of CPU a call for the same bytes without any of our code around."""
    body = body_of("m", PROMPT, Quirks())
    headers = {"content-type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def call(_number: int) -> None:
            async with session.post(f"{url}/chat/completions", data=body) as response:
                json.loads(await response.read())

        return await _cpu_a_call(call)


async def _client(url: str, *, kept: bool) -> float:
    spec = EndpointSpec(name="bench", base_url=url, in_flight=IN_FLIGHT)
    async with Endpoint(spec) as endpoint:
        model: ChatModel = endpoint.model("m")
        if kept:
            model = CachedModel(model, url, NullReplyStore(), Budget(1e6), Price(1.0, 2.0, 0.5))

        async def call(number: int) -> None:
            await model.complete(PROMPT, replace(KEY, turn=number))

        return await _cpu_a_call(call)


async def _cpu_a_call(call: Callable[[int], Awaitable[None]]) -> float:
    """CPU seconds a call, with `IN_FLIGHT` workers."""
    numbers = iter(range(CALLS))

    async def work() -> None:
        for number in numbers:
            await call(number)

    await call(-1)
    began = time.process_time()
    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
    return (time.process_time() - began) / CALLS


async def _one_reply(url: str) -> bytes:
    async with aiohttp.ClientSession() as session:
        body = body_of("m", PROMPT, Quirks())
        async with session.post(f"{url}/chat/completions", data=body) as response:
            return await response.read()


def _read(text: str) -> None:
    with suppress(ReplyError):
        parse_reply_text(text, Turn)


def _timed(job: Callable[[], object], calls: int = CALLS) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(calls):
            job()
        best = min(best, (time.process_time() - began) / calls)
    return best


def _show(what: str, seconds: float) -> None:
    print(f"{what:<52}{seconds * 1e6:8.1f} us")


if __name__ == "__main__":
    main()
