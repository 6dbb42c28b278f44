"""The client for chat completions against the local endpoint and odder servers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web

from sociolab.core import (
    CallKey,
    Cause,
    ChatReply,
    ConfigError,
    Message,
    ModelError,
    Prompt,
    Schema,
)
from sociolab.endpoint import FAULTS, EndpointServer as Server, EndpointSettings, serve
from sociolab.models import Endpoint, EndpointModel, EndpointSpec, traffic

SCHEMA = Schema(
    "Turn",
    '{"additionalProperties":false,"properties":{"action":{"enum":["speak","none"],"type":'
    '"string"},"text":{"type":"string"}},"required":["action","text"],"type":"object"}',
)
PROMPT = Prompt(
    (Message("system", "You are Ada. " * 20), Message("user", "Say something.")), SCHEMA, 0.0, 200
)
KEY = CallKey("trial", "agent", "ada", 0, "act", 1)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


def prompt(number: int) -> Prompt:
    return Prompt((*PROMPT.messages, Message("user", f"Number {number}.")), SCHEMA, 0.0, 200)


@asynccontextmanager
async def connected(
    settings: EndpointSettings | None = None, **spec: Any
) -> AsyncIterator[tuple[Server, EndpointModel]]:
    """The local endpoint and a model of a client for it."""
    async with serve(settings or EndpointSettings()) as server:
        options = {"name": "local", "base_url": server.url} | spec
        async with Endpoint(EndpointSpec(**options)) as client:
            yield server, client.model("m")


def with_settings(**settings: Any) -> EndpointSettings:
    return EndpointSettings(**settings)


def ask(settings: EndpointSettings | None = None, **spec: Any) -> tuple[Server, ChatReply]:
    """One call."""

    async def go() -> tuple[Server, ChatReply]:
        async with connected(settings, **spec) as (server, model):
            return server, await model.complete(PROMPT, KEY)

    return asyncio.run(go())


def fail(settings: EndpointSettings | None = None, **spec: Any) -> tuple[Server, ModelError]:
    """One call that fails for good."""

    async def go() -> tuple[Server, ModelError]:
        async with asyncio.timeout(30), connected(settings, **spec) as (server, model):
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            return server, caught.value

    return asyncio.run(go())


# ---------------------------------------------------------------- what goes well


def test_a_reply_has_text_usage_and_the_time_it_took() -> None:
    server, reply = ask()
    assert set(json.loads(reply.text)) == {"action", "text"}
    assert (reply.finish, reply.tries, reply.usd) == ("stop", 1, None)
    assert reply.seconds > 0
    assert reply.usage.prompt == server.counters.prompt_tokens > 0
    assert reply.usage.completion == server.counters.completion_tokens > 0


def test_the_part_of_a_prompt_that_was_cached_is_counted() -> None:
    async def go() -> None:
        async with connected() as (_, model):
            first = await model.complete(prompt(1), KEY)
            second = await model.complete(prompt(2), KEY)
            assert first.usage.cached == 0
            assert 0 < second.usage.cached < second.usage.prompt

    asyncio.run(go())


def test_a_model_is_labelled_by_endpoint_and_name() -> None:
    assert Endpoint(EndpointSpec(name="local")).model("m").label == "local/m"


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("server_error", "server error"),
        ("dropped", "connection"),
        ("truncated_body", "connection"),
        ("malformed_body", "malformed reply"),
        ("no_choices", "malformed reply"),
        ("hang", "timeout"),
    ],
)
def test_a_fault_that_stays_is_tried_again_and_then_fails_with_its_cause(
    fault: str, cause: Cause
) -> None:
    settings = with_settings(**{fault: 1.0}, retry_after=0.0)
    server, error = fail(settings, tries=3, timeout_s=0.1 if fault == "hang" else 20.0)
    assert (error.cause, error.tries, error.fatal) == (cause, 3, False)
    assert server.counters.requests == 3
    assert server.counters.retries == 2


@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        ("truncated_text", "length"),
        ("content_filter", "content filter"),
        ("empty", "stop"),
        ("malformed_json", "stop"),
        ("ignores_schema", "stop"),
    ],
)
def test_a_reply_that_is_cut_withheld_or_odd_is_a_reply_and_not_tried_again(
    fault: str, finish: str
) -> None:
    server, reply = ask(with_settings(**{fault: 1.0}))
    assert reply.finish == finish
    assert server.counters.requests == 1
    assert bool(reply.text) == (fault not in ("content_filter", "empty"))


def test_reasoning_stays_in_the_reply_verbatim() -> None:
    _, reply = ask(EndpointSettings(think=1.0))
    assert reply.text.startswith("<think>")


def test_with_every_kind_of_fault_every_call_ends_and_retries_are_counted() -> None:
    settings = EndpointSettings.with_faults(0.5, seed=3)

    async def go() -> None:
        async with connected(settings, tries=12, timeout_s=0.2, in_flight=16) as (server, model):
            calls = (model.complete(prompt(n), KEY) for n in range(80))
            replies = await asyncio.gather(*calls)
            assert len(replies) == 80
            limited = server.counters.by_status["429"]  # which use up no try
            retries = sum(reply.tries - 1 for reply in replies)
            assert retries + limited == server.counters.retries
            assert min(retries, limited) > 0
            assert set(server.counters.by_fault) == set(FAULTS)

    asyncio.run(go())


def test_a_refused_connection_is_tried_again() -> None:
    async def go() -> None:
        async with connected() as (server, _):
            address = server.url
        async with Endpoint(EndpointSpec(name="x", base_url=address, tries=2)) as client:
            with pytest.raises(ModelError, match="nothing listens there") as caught:
                await client.model("m").complete(PROMPT, KEY)
            assert (caught.value.cause, caught.value.tries) == ("connection", 2)

    asyncio.run(go())


# ---------------------------------------------------------------- time


def test_a_hanging_attempt_is_ended_by_its_own_limit_and_the_call_goes_on() -> None:
    def once(fault_seed: int) -> EndpointSettings:
        return EndpointSettings(hang=0.5, seed=fault_seed)

    async def go() -> None:
        for seed in range(20):
            async with connected(once(seed), timeout_s=0.1, tries=20) as (_, model):
                reply = await model.complete(PROMPT, KEY)
                if reply.tries > 1:
                    assert reply.seconds >= 0.1
                    return
        pytest.fail("no seed made the first attempt hang")

    asyncio.run(go())


def test_a_call_is_ended_by_its_total_limit_however_long_an_attempt_may_take() -> None:
    _, error = fail(EndpointSettings(hang=1.0), timeout_s=600.0, total_s=0.2)
    assert error.cause == "timeout"
    assert error.tries == 1


def test_a_call_is_ended_by_its_total_limit_however_many_attempts_it_has() -> None:
    _, error = fail(EndpointSettings(hang=1.0), timeout_s=0.05, total_s=0.2, tries=1000)
    assert error.cause == "timeout"
    assert 2 <= error.tries <= 5


def test_a_pause_that_would_outlast_the_call_is_not_made() -> None:
    settings = EndpointSettings(rate_limited=1.0, retry_after=30.0)
    server, error = fail(settings, total_s=5.0)
    assert (error.cause, error.tries, error.pause) == ("rate limit", 1, 30.0)
    assert error.fatal
    assert server.counters.requests == 1


def test_a_limit_that_never_lifts_uses_up_no_try_and_ends_the_run() -> None:
    server, error = fail(EndpointSettings(rate_limited=1.0), tries=2, total_s=0.4)
    assert (error.cause, error.tries, error.fatal) == ("rate limit", 1, True)
    assert server.counters.requests > 2


def test_waiting_for_a_place_in_flight_does_not_count_as_time_of_the_call() -> None:
    async def go() -> None:
        settings = EndpointSettings(latency_ms=60)
        async with connected(settings, in_flight=1, timeout_s=0.5, total_s=0.5) as (_, model):
            replies = await asyncio.gather(*(model.complete(prompt(n), KEY) for n in range(12)))
            assert all(reply.seconds < 0.5 for reply in replies)

    asyncio.run(go())


def test_retry_after_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 60.0)
    began = time.monotonic()
    server, _ = fail(EndpointSettings(rate_limited=1.0, retry_after=0.15), total_s=0.4)
    assert time.monotonic() - began >= 0.15 * (server.counters.requests - 1)


def test_pauses_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 60.0)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def go() -> None:
        async with connected(EndpointSettings(server_error=1.0), tries=10) as (_, model):
            with monkeypatch.context() as patch:
                patch.setattr(asyncio, "sleep", sleep)
                with pytest.raises(ModelError):
                    await model.complete(PROMPT, KEY)

    asyncio.run(go())
    plain = [min(0.5 * 2**n, 60.0) for n in range(9)]
    assert len(slept) == 9
    for pause, least in zip(slept, plain, strict=True):
        assert least <= pause <= 1.25 * least


# ---------------------------------------------------------------- limits


def test_no_more_calls_are_in_flight_than_allowed() -> None:
    async def go() -> None:
        async with connected(EndpointSettings(latency_ms=5), in_flight=4) as (server, model):
            await asyncio.gather(*(model.complete(prompt(n), KEY) for n in range(30)))
            assert server.counters.most_in_flight == 4

    asyncio.run(go())


def test_calls_are_paced_by_the_minute() -> None:
    async def go() -> None:
        async with connected(requests_per_minute=60 / 0.04) as (_, model):
            began = time.monotonic()
            await asyncio.gather(*(model.complete(prompt(n), KEY) for n in range(6)))
            assert time.monotonic() - began >= 5 * 0.04

    asyncio.run(go())


@pytest.mark.parametrize("limits", [{}, {"requests_per_minute": 60 / 0.05}])
def test_a_cancelled_call_gives_its_place_back(limits: dict[str, float]) -> None:
    async def go() -> None:
        settings = EndpointSettings(latency_ms=50)
        async with connected(settings, in_flight=1, **limits) as (_, model):
            calls = [asyncio.ensure_future(model.complete(prompt(n), KEY)) for n in range(3)]
            await asyncio.sleep(0.02)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            await model.complete(PROMPT, KEY)

    asyncio.run(go())


def test_connections_are_used_again() -> None:
    seen = set()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        seen.add(request.transport.get_extra_info("peername"))
        return good()

    async def go() -> None:
        async with odd_server(answer) as model:
            for number in range(5):
                await model.complete(prompt(number), KEY)

    asyncio.run(go())
    assert len(seen) == 1


# ---------------------------------------------------------------- quirks


QUIRKS = {
    "wants_max_completion_tokens": True,
    "fixed_temperature": True,
    "no_penalties": True,
    "no_system_role": True,
    "no_json_schema": True,
}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_quirk_is_met_after_its_refusal_came_twice(quirk: str) -> None:
    async def go() -> None:
        async with connected(with_settings(**{quirk: True})) as (server, model):
            for number in range(3):
                reply = await model.complete(replace(prompt(number), penalties=0.0), KEY)
                assert set(json.loads(reply.text)) == {"action", "text"}
                assert reply.tries == 1
            assert server.counters.by_status == {"200": 3, "400": 2}

    asyncio.run(go())


def test_all_quirks_at_once_are_met_by_many_calls_at_once() -> None:
    async def go() -> None:
        async with connected(with_settings(**QUIRKS)) as (server, model):
            prompts = [replace(prompt(number), penalties=0.0) for number in range(10)]
            await asyncio.gather(*(model.complete(each, KEY) for each in prompts))
            before = server.counters.by_status["400"]
            await asyncio.gather(*(model.complete(each, KEY) for each in prompts))
            assert server.counters.by_status == {"200": 20, "400": before}

    asyncio.run(go())


def test_an_endpoint_that_is_known_to_take_no_schema_is_not_sent_one() -> None:
    server, reply = ask(EndpointSettings(no_json_schema=True), refuses=("schema",))
    assert server.counters.requests == 1
    assert set(json.loads(reply.text)) == {"action", "text"}


# ---------------------------------------------------------------- refusals


def test_a_prompt_that_is_too_long_fails_with_that_cause_and_is_not_tried_again() -> None:
    server, error = fail(EndpointSettings(context_characters=50))
    assert (error.cause, error.fatal) == ("context overflow", False)
    assert server.counters.requests == 1


def test_an_unknown_model_fails_with_that_cause_and_would_always() -> None:
    server, error = fail(EndpointSettings(models=("other",)))
    assert (error.cause, error.fatal) == ("unknown model", True)
    assert 'check the model name "m"' in str(error)
    assert server.counters.requests == 1


def test_an_address_that_does_not_exist_fails_in_the_same_way() -> None:
    async def go() -> None:
        async with serve(EndpointSettings()) as server:
            spec = EndpointSpec(name="x", base_url=server.url + "/elsewhere")
            async with Endpoint(spec) as client:
                with pytest.raises(ModelError) as caught:
                    await client.model("m").complete(PROMPT, KEY)
                assert caught.value.cause == "unknown model"

    asyncio.run(go())


# ---------------------------------------------------------------- the key

SECRET = "sk-proj/0123456789+abcdef"


@pytest.fixture
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", SECRET)


@pytest.mark.usefixtures("_key")
def test_the_key_of_the_environment_is_sent() -> None:
    _, reply = ask(EndpointSettings(api_key=SECRET), key_env="THE_KEY")
    assert reply.text


@pytest.mark.parametrize("key_env", [None, "THE_KEY"])
def test_a_missing_or_wrong_key_fails_with_that_cause_and_would_always(
    monkeypatch: pytest.MonkeyPatch, key_env: str | None
) -> None:
    monkeypatch.setenv("THE_KEY", "another key of mine")
    server, error = fail(EndpointSettings(api_key=SECRET), key_env=key_env)
    assert (error.cause, error.fatal) == ("credentials", True)
    assert "another key" not in str(error)
    assert server.counters.requests == 1


ECHOES: list[tuple[int, bytes]] = [
    (401, json.dumps({"error": {"message": f"Incorrect API key: {SECRET}"}}).encode()),
    (400, json.dumps({"error": f"no: Bearer {SECRET}"}).replace("/", "\\/").encode()),
    (400, json.dumps({"error": {"message": f"k {SECRET}"}}).replace("/", "\\/").encode()),
    (400, json.dumps({"detail": f"k {SECRET}"}).replace("/", "\\/").encode()),
    (400, json.dumps({"error": {"message": SECRET}}).replace("-", "\\u002d").encode()),
    (500, f"<html>{'x' * 280}{SECRET}</html>".encode()),
    (429, f"slow down, {SECRET}".encode()),
    (302, SECRET.encode()),
    (200, f"<html>{SECRET}</html>".encode()),
    (200, f"{'x' * 70}{SECRET}".encode()),
]


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(("status", "body"), ECHOES)
def test_the_key_is_in_no_error_even_where_the_server_repeats_it(status: int, body: bytes) -> None:
    async def answer(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=status, body=body)

    async def go() -> None:
        async with odd_server(answer, key_env="THE_KEY", total_s=0.5) as model:
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            error: BaseException | None = caught.value
            while error is not None:
                assert SECRET[:12] not in f"{error} {error!r}"
                assert "sk-proj" not in f"{error} {error!r}"
                error = error.__cause__ or error.__context__

    asyncio.run(go())


@pytest.mark.usefixtures("_key")
@pytest.mark.parametrize(
    "told", [SECRET, SECRET.upper(), SECRET[:13], quote(SECRET, safe=""), "escaped"]
)
def test_the_key_is_in_no_good_reply_either(told: str) -> None:
    choice = {"message": {"content": f"It is {told}."}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice]})
    if told == "escaped":
        body = body.replace(told, SECRET.replace("-", "\\u002d").replace("/", "\\/"))

    async def answer(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body.encode())

    async def go() -> str:
        async with odd_server(answer, key_env="THE_KEY") as model:
            return (await model.complete(PROMPT, KEY)).text

    assert asyncio.run(go()) == "It is [secret]."


def test_a_key_that_guards_nothing_is_not_looked_for_in_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THE_KEY", "none")
    _, error = fail(EndpointSettings(models=("none",)), key_env="THE_KEY")
    assert "[secret]" not in str(error)


def test_a_key_that_is_not_set_is_named_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THE_KEY", raising=False)
    with pytest.raises(ConfigError, match="environment variable THE_KEY, which is not set"):
        Endpoint(EndpointSpec(name="x", key_env="THE_KEY"))


@pytest.mark.parametrize("key", ["sk-caf\xe9-0123", "sk-01234\nx-evil: 1", "sk 0123\x00"])
def test_a_key_that_cannot_be_a_header_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr("os.environ", {"THE_KEY": key})
    with pytest.raises(ConfigError, match="expected printable ASCII") as caught:
        Endpoint(EndpointSpec(name="x", key_env="THE_KEY"))
    assert "0123" not in str(caught.value)


# ---------------------------------------------------------------- odd servers and addresses


def good() -> web.Response:
    message = {"message": {"content": "Hi."}, "finish_reason": "stop"}
    return web.Response(body=json.dumps({"choices": [message]}).encode())


@asynccontextmanager
async def odd_server(
    answer: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], **spec: Any
) -> AsyncIterator[EndpointModel]:
    """A client's model for a server that answers as the test says."""
    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        options = {"name": "odd", "base_url": url, "tries": 1} | spec
        async with Endpoint(EndpointSpec(**options)) as client:
            yield client.model("m")
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(status: int) -> None:
    paths: list[str] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        paths.append(request.path)
        if request.path == "/v1/chat/completions":
            return web.Response(status=status, headers={"Location": "/elsewhere"})
        return good()

    async def go() -> None:
        async with odd_server(answer) as model:
            with pytest.raises(ModelError, match="redirects are not followed") as caught:
                await model.complete(PROMPT, KEY)
            assert caught.value.fatal

    asyncio.run(go())
    assert paths == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    "base_url", ["", "api.example.com", "ftp://127.0.0.1/v1", "http://", "http://[::1", "file:///x"]
)
def test_a_base_url_that_is_none_is_refused_before_any_call(base_url: str) -> None:
    with pytest.raises(ConfigError, match="expected a base URL such as"):
        Endpoint(EndpointSpec(name="x", base_url=base_url))


def test_a_closed_endpoint_opens_again() -> None:
    async def go() -> None:
        async with serve(EndpointSettings()) as server:
            client = Endpoint(EndpointSpec(name="x", base_url=server.url))
            await client.close()
            for _ in range(2):
                assert await client.model("m").complete(PROMPT, KEY)
                await client.close()

    asyncio.run(go())
