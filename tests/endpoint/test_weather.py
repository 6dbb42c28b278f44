"""The local endpoint as the servers that one meets: limits, silent cuts, replies without an end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import aiohttp
import pytest
from pydantic import BaseModel

from sociolab.core import ConfigError
from sociolab.endpoint import (
    CALL_HEADER,
    ChatBody,
    Counters,
    EndpointSettings,
    serve,
    settings_as_json,
    settings_from_json,
)

Result = TypeVar("Result")
Post = Callable[..., Awaitable[tuple[int, Mapping[str, str], Any]]]


class Clock:
    """A time that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Plan(BaseModel):
    mood: str
    steps: list[str]


SCHEMA = {
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "plan", "schema": Plan.model_json_schema()},
    }
}


def chat(*texts: str, **more: Any) -> dict[str, Any]:
    roles = ["system", *["user", "assistant"] * len(texts)] if len(texts) > 1 else ["user"]
    rows = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return {"model": "m", "messages": rows, **more}


def served(
    settings: EndpointSettings,
    use: Callable[[Post], Awaitable[Result]],
    clock: Clock | None = None,
) -> tuple[Result, Counters]:
    """What a test makes of an endpoint, and the counts."""

    async def main() -> tuple[Result, Counters]:
        serving = serve(settings, clock=clock or Clock())
        async with serving as endpoint, aiohttp.ClientSession() as session:

            async def post(
                body: Any, path: str = "/chat/completions", **headers: str
            ) -> tuple[int, Mapping[str, str], Any]:
                sent = {name.replace("_", "-"): value for name, value in headers.items()}
                url = endpoint.url + path
                async with session.post(url, json=body, headers=sent) as response:
                    return response.status, response.headers, json.loads(await response.read())

            return await use(post), endpoint.counters

    return asyncio.run(main())


def answer(settings: EndpointSettings, body: Any, **headers: str) -> Any:
    (status, _, document), _ = served(settings, lambda post: post(body, **headers))
    assert status == 200, document
    return document


def text_of(document: Any) -> str:
    text: str = document["choices"][0]["message"]["content"]
    return text


# ------------------------------------------------------------------ a limit of requests


def limits_of(headers: Mapping[str, str]) -> tuple[str | None, ...]:
    names = ("limit", "remaining", "reset")
    return tuple(headers.get(f"x-ratelimit-{name}-requests") for name in names)


def test_a_bucket_lets_its_burst_pass_and_then_its_rate() -> None:
    clock = Clock()

    async def use(post: Post) -> list[tuple[int, Mapping[str, str], Any]]:
        rows = [await post(chat("x")) for _ in range(3)]
        clock.now += 1.5  # of the two seconds that a request takes at 30 a minute
        rows.append(await post(chat("x")))
        clock.now += 0.5
        rows += [await post(chat("x")), await post(chat("x"))]
        clock.now += 3600
        return [*rows, await post(chat("x"))]

    rows, counters = served(EndpointSettings().with_weather("bucket:30,2"), use, clock)
    assert [status for status, _, _ in rows] == [200, 200, 429, 429, 200, 429, 200]
    assert limits_of(rows[0][1]) == ("30", "1", "2s")
    assert limits_of(rows[1][1]) == ("30", "0", "4s")
    assert [limits_of(headers)[1] for _, headers, _ in rows] == ["1", "0", "0", "0", "0", "0", "1"]
    pauses = [(h.get("retry-after"), h.get("retry-after-ms")) for _, h, _ in rows]
    none = (None, None)
    assert pauses == [none, none, ("2", "2000"), ("1", "500"), none, ("2", "2000"), none]
    assert rows[3][2]["error"]["code"] == "rate_limit_exceeded"
    assert rows[3][2]["error"]["message"].endswith("try again in 500ms.")
    assert counters.by_status == {"200": 4, "429": 3}
    assert counters.prompt_tokens == 4  # refusals are not billed


def test_a_burst_is_an_eighth_of_a_minute_and_at_least_a_request() -> None:
    async def use(post: Post) -> list[int]:
        return [(await post(chat("x")))[0] for _ in range(4)]

    assert served(EndpointSettings(requests_per_minute=24), use)[0] == [200, 200, 200, 429]
    assert served(EndpointSettings(requests_per_minute=1), use)[0] == [200, 429, 429, 429]


def test_every_reply_tells_the_limit_and_messages_and_embeddings_share_it() -> None:
    async def use(post: Post) -> list[tuple[int, Mapping[str, str], Any]]:
        asked = {"model": "m", "input": "x"}
        message = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
        return [
            await post({}),  # a 400
            await post(asked, "/embeddings"),
            await post(message, "/messages"),
            await post(message, "/messages"),
        ]

    rows, _ = served(EndpointSettings(requests_per_minute=400, burst=3), use)
    assert [status for status, _, _ in rows] == [400, 200, 200, 429]
    assert [limits_of(headers)[1] for _, headers, _ in rows] == ["2", "1", "0", "0"]
    assert rows[3][1]["retry-after-ms"] == "150"
    assert rows[3][2]["error"]["type"] == "rate_limit_error"


def test_without_weather_no_limit_is_told() -> None:
    (_, headers, _), _ = served(EndpointSettings(), lambda post: post(chat("x")))
    assert limits_of(headers) == (None, None, None)


# ------------------------------------------------------------------ a context that cuts in silence


def test_a_long_prompt_loses_its_beginning_and_the_usage_tells_the_context() -> None:
    seen: list[ChatBody] = []

    def responder(body: ChatBody) -> str:
        seen.append(body)
        return "ok"

    settings = EndpointSettings(responder=responder).with_weather("cut:5")
    document = answer(settings, chat("secret goal", "a" * 8, "b" * 6, "c" * 10))
    assert [tuple(message) for message in seen[0].messages] == [
        ("user", "a" * 4), ("assistant", "b" * 6), ("user", "c" * 10),
    ]  # fmt: skip
    assert document["usage"]["prompt_tokens"] == 5
    assert document["choices"][0]["finish_reason"] == "stop"

    document = answer(settings, chat("d" * 9, "e" * 11))
    assert [message.text for message in seen[1].messages] == ["d" * 9, "e" * 11]
    assert document["usage"]["prompt_tokens"] == 5


def test_a_cut_prompt_still_gets_the_form_that_the_server_enforces() -> None:
    settings = EndpointSettings().with_weather("cut:3")
    document = answer(settings, chat("be kind " * 50, "now plan", **SCHEMA))
    assert Plan.model_validate_json(text_of(document)).steps
    assert document["usage"]["prompt_tokens"] == 3


# ------------------------------------------------------------------ a model that never ends


@pytest.mark.parametrize("cap", ["max_tokens", "max_completion_tokens"])
def test_a_loop_runs_to_the_cap(cap: str) -> None:
    settings = EndpointSettings(responder=lambda _: "Good day.").with_weather("loop")
    document = answer(settings, chat("x", **{cap: 12}))
    assert text_of(document) == ("Good day. " * 5)[:48]
    assert document["choices"][0]["finish_reason"] == "length"
    assert document["usage"]["completion_tokens"] == 12


def test_a_loop_in_json_stays_within_a_text_of_it() -> None:
    good = '{"mood": "calm", "steps": ["to the \\"Crown\\" and back"]}'
    settings = EndpointSettings(responder=lambda _: good).with_weather("loop")
    text = text_of(answer(settings, chat("x", max_tokens=300, **SCHEMA)))
    assert len(text) == 1200
    assert text.startswith(good[:-3])
    assert json.loads(text.rstrip("\\") + '"]}')["steps"][0].count('"Crown" and back') > 40


def test_a_loop_without_a_cap_ends_when_its_client_leaves_and_is_billed() -> None:
    async def main() -> Counters:
        async with serve(EndpointSettings(loops=1)) as endpoint, aiohttp.ClientSession() as session:
            url = endpoint.url + "/chat/completions"
            call = asyncio.ensure_future(session.post(url, json=chat("x")))
            async with asyncio.timeout(30):
                while not endpoint.counters.completion_tokens:  # noqa: ASYNC110 - no event
                    await asyncio.sleep(0.01)
                assert not call.done()
                call.cancel()
                while endpoint.counters.in_flight:  # noqa: ASYNC110 - no event
                    await asyncio.sleep(0.01)
            return endpoint.counters

    counters = asyncio.run(main())
    assert counters.by_status == {"client gone": 1}
    assert counters.completion_tokens == 16_384


def test_a_share_of_the_requests_loops() -> None:
    async def use(post: Post) -> list[str]:
        rows = [await post(chat(f"x{n}", max_tokens=100)) for n in range(60)]
        return [row[2]["choices"][0]["finish_reason"] for row in rows]

    finishes, counters = served(EndpointSettings().with_weather("loop:0.3"), use)
    assert finishes.count("length") == counters.by_fault["loop"]
    assert 8 <= finishes.count("length") <= 28  # 18 expected, with a standard deviation of 3.5


# ------------------------------------------------------------------ caps, seeds, settings


def test_an_ordinary_reply_is_cut_at_its_cap() -> None:
    settings = EndpointSettings(responder=lambda _: "0123456789")
    whole = answer(settings, chat("x", max_tokens=3))
    assert (text_of(whole), whole["choices"][0]["finish_reason"]) == ("0123456789", "stop")
    cut = answer(settings, chat("x", max_tokens=2))
    assert (text_of(cut), cut["choices"][0]["finish_reason"]) == ("01234567", "length")
    assert cut["usage"]["completion_tokens"] == 2


@pytest.mark.parametrize("cap", [0, -1, "9", 1.5, True])
def test_a_cap_that_is_none_is_refused(cap: Any) -> None:
    (status, _, body), _ = served(EndpointSettings(), lambda post: post(chat("x", max_tokens=cap)))
    assert (status, body["error"]["param"]) == (400, "max_tokens")


def test_another_seed_or_another_call_gives_another_reply() -> None:
    def said(body: Any, call: str = "") -> str:
        headers = {CALL_HEADER.replace("-", "_"): call} if call else {}
        return text_of(answer(EndpointSettings(), body, **headers))

    assert said(chat("x")) == said(chat("x"))
    assert said(chat("x", seed=1)) != said(chat("x", seed=2))
    assert said(chat("x", temperature=0.7), "a") == said(chat("x", temperature=0.7), "a")
    assert said(chat("x", temperature=0.7), "a") != said(chat("x", temperature=0.7), "b")
    # Of temperature 0 one expects the same words for the same prompt.
    assert said(chat("x", temperature=0), "a") == said(chat("x", temperature=0), "b")


def test_kinds_of_weather_add_up_and_reach_another_process() -> None:
    settings = EndpointSettings(seed=3).with_weather("bucket:500", "cut:2048", "loop:.5")
    assert settings == EndpointSettings(
        seed=3, requests_per_minute=500.0, context_tokens=2048, loops=0.5
    )
    assert settings_from_json(settings_as_json(settings)) == settings


@pytest.mark.parametrize(
    "text", ["storm", "bucket", "bucket:", "bucket:9,1,1", "bucket:many", "cut", "cut:1.5",
             "loop:often", "loop:1,2", ""],
)  # fmt: skip
def test_unknown_weather_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ConfigError, match=r"--weather: expected bucket:N .* found \"") as caught:
        EndpointSettings().with_weather(text)
    assert str(caught.value).endswith(f'found "{text}"')


@pytest.mark.parametrize(
    ("text", "name"),
    [("bucket:0", "requests_per_minute"), ("bucket:5,0", "burst"), ("cut:0", "context_tokens"),
     ("loop:2", "loops"), ("bucket:nan", "requests_per_minute")],
)  # fmt: skip
def test_weather_of_an_impossible_size_names_the_setting(text: str, name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        EndpointSettings().with_weather(text)
