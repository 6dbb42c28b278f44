"""Options of a model: what is sent, what is refused, and what names them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from pydantic import ValidationError

from sociolab.core import CallKey, Message, ModelError, Prompt
from sociolab.core.seeding import derive_seed
from sociolab.endpoint import ChatBody, EndpointSettings, serve
from sociolab.models import Endpoint, EndpointModel, EndpointSpec
from sociolab.models.config import ListedOptions, Options, Sampling, options_of
from sociolab.models.wire import Quirks, body_of

KEY_PARTS = ("trial", "agent", "ada", 0, "act", 1, 0)
KEY = CallKey("trial", "agent", "ada", 0, "act", 1)
PROMPT = Prompt((Message("user", "Hello."),), temperature=0.5, penalties=0.25)


def test_options_are_sent_as_they_are() -> None:
    asked = Sampling(top_p=0.9, top_k=20, min_p=0.0, seed=3, stop=("\n", "END"),
                     presence_penalty=0.0, reasoning_effort="low")  # fmt: skip
    listed = ListedOptions(extra={"chat_template_kwargs": {"enable_thinking": False}})
    body = json.loads(body_of("m", PROMPT, Quirks(), options_of(asked, listed).sent))
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hello."}],
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 20,
        "min_p": 0.0,
        "seed": 3,
        "stop": ["\n", "END"],
        "presence_penalty": 0.0,  # instead of the prompt's 0.25
        "frequency_penalty": 0.25,
        "reasoning_effort": "low",
        "chat_template_kwargs": {"enable_thinking": False},
    }


def test_what_is_not_set_is_not_sent_and_has_no_words() -> None:
    assert options_of(Sampling(), ListedOptions()) == Options()
    assert (Options().key, Options().suffix) == ("", "")


def test_a_spec_goes_before_the_list_option_by_option() -> None:
    listed = ListedOptions(temperature=0.2, max_tokens=50, top_p=0.5)
    found = options_of(Sampling(top_p=0.9, temperature=0.0), listed)
    assert found == Options(0.0, 50, {"top_p": 0.9})
    assert found.suffix == "?temperature=0.0&max_tokens=50&top_p=0.9"


def test_words_and_key_tell_values_apart_and_not_their_order() -> None:
    one = options_of(Sampling(), ListedOptions(extra={"a": {"x": 1, "y": 2}, "b": True}))
    two = options_of(Sampling(), ListedOptions(extra={"b": True, "a": {"y": 2, "x": 1}}))
    assert one.key == two.key == '{"a": {"x": 1, "y": 2}, "b": true}'
    assert options_of(Sampling(stop=("a", "b"))).suffix == '?stop=["a","b"]'


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"extra": {"messages": []}}, "messages is set by the client"),
        ({"extra": {"top_p": 1}}, "top_p is a separate option: write it outside extra"),
        ({"extra": {"x": float("nan")}}, "only what JSON can hold"),
        ({"stop": ""}, "cannot be empty"),
        ({"top_p": 0}, "greater than 0"),
        ({"temperature": float("inf")}, "finite|less than"),
    ],
)
def test_what_cannot_be_sent_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ListedOptions.model_validate(values)


# ---------------------------------------------------------------- servers that refuse


@asynccontextmanager
async def refusing(option: str, message: str) -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """A server that takes all but one option; its URL, and what it was sent."""
    seen: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        seen.append(body)
        if option in body:
            return web.json_response({"error": {"message": message}}, status=400)
        reply = {"message": {"content": "Hi."}, "finish_reason": "stop"}
        return web.json_response({"choices": [reply]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", seen
    finally:
        await runner.cleanup()


def refused(option: str, value: object, message: str) -> tuple[ModelError, list[dict[str, Any]]]:
    async def go() -> tuple[ModelError, list[dict[str, Any]]]:
        async with (
            refusing(option, message) as (url, seen),
            Endpoint(EndpointSpec(name="x", base_url=url)) as endpoint,
        ):
            model: EndpointModel = endpoint.model("m", {option: value})
            with pytest.raises(ModelError) as caught:
                await model.complete(PROMPT, KEY)
            return caught.value, seen

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("top_p", "Unsupported parameter: 'top_p' is not supported with this model."),
        ("seed", "Unrecognized request argument supplied: 'seed'"),
        ("presence_penalty", "presence_penalty is not supported here"),
        ("chat_template_kwargs", "extra fields not permitted: chat_template_kwargs"),
    ],
)
def test_an_option_that_is_refused_stops_the_run_by_name_and_is_not_dropped(
    option: str, message: str
) -> None:
    value = 5 if option == "seed" else 0.5
    error, seen = refused(option, value, message)
    assert error.fatal
    assert not error.retryable
    assert f"it was sent {option} = {value}, as configured: leave that out" in str(error)
    assert message.split(":")[0] in str(error)
    sent = {body[option] for body in seen}
    assert sent == {derive_seed(5, *KEY_PARTS) if option == "seed" else 0.5}


def test_a_refusal_that_only_sounds_like_an_option_fails_one_call() -> None:
    error, _ = refused("stop", ["\n"], "Please stop: this topic is not allowed")
    assert not error.fatal
    assert "as asked for" not in str(error)


def test_each_call_gets_a_seed_of_its_own_and_the_same_call_the_same_one() -> None:
    seen: list[int] = []

    def answer(chat: ChatBody) -> str:
        seen.append(chat.fields["seed"])
        return "Hello."

    async def go(seed: int, *keys: CallKey) -> list[int]:
        seen.clear()
        async with (
            serve(EndpointSettings(responder=answer)) as server,
            Endpoint(EndpointSpec(name="local", base_url=server.url)) as endpoint,
        ):
            for key in keys:
                await endpoint.model("m", {"seed": seed}).complete(PROMPT, key)
        return list(seen)

    other = [replace(KEY, trial="repeat"), replace(KEY, seat="bo"), replace(KEY, turn=1)]
    keys = [KEY, *other, replace(KEY, attempt=2), replace(KEY, index=1)]
    seeds = asyncio.run(go(3, *keys))
    assert len(set(seeds)) == 6
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert asyncio.run(go(3, *keys)) == seeds
    assert asyncio.run(go(4, KEY)) != seeds[:1]
