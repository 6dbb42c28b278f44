"""The local endpoint over HTTP: what it takes, what it refuses, what it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError
from sociolab.endpoint import (
    Chance,
    ChatBody,
    EndpointSettings,
    RefusalError,
    latency_seconds,
    read_chat,
    serve,
    settings_as_json,
    settings_from_json,
)

PLAIN = EndpointSettings()
SCHEMA = {
    "type": "object",
    "properties": {"mood": {"type": "string"}},
    "required": ["mood"],
    "additionalProperties": False,
}


def chat(text: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def response_format(schema: Mapping[str, Any] = SCHEMA) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}


def ask(
    settings: EndpointSettings,
    body: Any = None,
    *,
    method: str = "POST",
    path: str = "/chat/completions",
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """The status and the JSON body that one request to a fresh endpoint gets."""

    async def main() -> tuple[int, Any]:
        async with serve(settings) as endpoint, aiohttp.ClientSession() as session:
            url = endpoint.url.removesuffix("/v1") + path[1:] if path[0] == "!" else None
            async with session.request(
                method, url or endpoint.url + path, json=body, headers=headers
            ) as response:
                return response.status, await response.json()

    return asyncio.run(main())


def error_of(settings: EndpointSettings, body: Any) -> tuple[int, dict[str, Any]]:
    status, answer = ask(settings, body)
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    return status, answer["error"]


def test_plain_request_gets_a_chat_completion() -> None:
    settings = EndpointSettings(responder=lambda _: "Fine, and you?")
    status, answer = ask(settings, chat("How are you?"))
    assert status == 200
    assert answer["object"] == "chat.completion"
    assert answer["model"] == "m"
    assert answer["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Fine, and you?", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    # "How are you?" has 12 characters, "Fine, and you?" 14.
    assert answer["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": 4,
        "total_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def test_address_works_with_and_without_v1() -> None:
    assert ask(PLAIN, chat(), path="!/chat/completions") == ask(PLAIN, chat())


def test_same_request_gets_the_same_reply_from_every_server() -> None:
    assert ask(PLAIN, chat("one")) == ask(PLAIN, chat("one"))
    assert ask(PLAIN, chat("one")) != ask(PLAIN, chat("two"))
    assert ask(PLAIN, chat("one")) != ask(EndpointSettings(seed=1), chat("one"))


def test_responder_reads_the_whole_request() -> None:
    seen: list[ChatBody] = []

    def responder(body: ChatBody) -> str:
        seen.append(body)
        return "ok"

    parts = [{"type": "text", "text": "Good "}, {"type": "text", "text": "day"}]
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": parts}]
    body = {"model": "m", "messages": messages, "temperature": 0.5}
    ask(EndpointSettings(responder=responder), body | {"response_format": response_format()})
    (read,) = seen
    assert [tuple(message) for message in read.messages] == [
        ("system", "Be kind."),
        ("user", "Good day"),
    ]
    assert json.loads(read.schema) == SCHEMA
    assert read.fields["temperature"] == 0.5
    assert read.prompt_characters == len("Be kind.") + len("Good day") + len(read.schema)


def test_failing_responder_is_a_500_and_counted_as_one() -> None:
    def responder(_: ChatBody) -> str:
        raise LookupError("no reply for this")

    async def main() -> tuple[int, Mapping[str, int]]:
        settings = EndpointSettings(responder=responder)
        async with serve(settings) as endpoint, aiohttp.ClientSession() as session:
            async with session.post(endpoint.url + "/chat/completions", json=chat()) as response:
                status = response.status
            return status, endpoint.counters.by_status

    assert asyncio.run(main()) == (500, {"500": 1})


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ([], None, None),
        ({"messages": []}, "model", "missing_required_parameter"),
        ({"model": "m"}, "messages", "missing_required_parameter"),
        ({"model": "m", "messages": []}, "messages", None),
        (chat(logprobs=True), "logprobs", "unsupported_value"),
        (chat(tools=[{"type": "web_search"}]), "tools", None),
        (chat(n=2), "n", "unsupported_value"),
        (
            {"model": "m", "messages": [{"role": "cat", "content": ""}]},
            "messages[0].role",
            "invalid_value",
        ),
        (
            {"model": "m", "messages": [{"role": "user", "content": [{"image": "x"}]}]},
            "messages[0].content",
            "invalid_type",
        ),
        (chat(response_format={"type": "xml"}), "response_format.type", "invalid_value"),
        (
            chat(response_format={"type": "json_schema", "json_schema": {"name": "x"}}),
            "response_format.json_schema.schema",
            "missing_required_parameter",
        ),
        (
            chat(response_format=response_format({"type": "banana"})),
            "response_format",
            "invalid_json_schema",
        ),
    ],
)
def test_broken_request_is_refused_in_the_form_of_openai(
    body: Any, param: str | None, code: str | None
) -> None:
    status, error = error_of(PLAIN, body)
    assert (status, error["type"]) == (400, "invalid_request_error")
    assert (error["param"], error["code"]) == (param, code)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"model": "m"',
        b"\xff",
        b'{"model": "m", "messages": [{"role": "user", "content": ""}], ha "response_format":null}',
        b'{"model": "m", "messages": [{"role": "user", "content": ""} ,"response_format":null}',
    ],
)
def test_body_that_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(RefusalError, match="parse the JSON body"):
        read_chat(raw)


def test_last_of_two_equal_fields_counts_as_in_any_json() -> None:
    raw = json.dumps(chat(temperature=1, response_format={"type": "text"})).encode()
    assert read_chat(raw[:-1] + b',"temperature":2}').fields["temperature"] == 2


@pytest.mark.parametrize(
    ("settings", "refused", "taken", "param", "code"),
    [
        (
            EndpointSettings(wants_max_completion_tokens=True),
            chat(max_tokens=9),
            chat(max_completion_tokens=9),
            "max_tokens",
            "unsupported_parameter",
        ),
        (
            EndpointSettings(fixed_temperature=True),
            chat(temperature=0),
            chat(temperature=1.0),
            "temperature",
            "unsupported_value",
        ),
        (
            EndpointSettings(no_penalties=True),
            chat(presence_penalty=0),
            chat(presence_penalty=None),
            "presence_penalty",
            "unsupported_parameter",
        ),
        (
            EndpointSettings(no_system_role=True),
            {"model": "m", "messages": [*chat()["messages"], {"role": "system", "content": "x"}]},
            {"model": "m", "messages": [{"role": "developer", "content": "x"}]},
            "messages[1].role",
            "unsupported_value",
        ),
        (
            EndpointSettings(no_json_schema=True),
            chat(response_format=response_format()),
            chat(response_format={"type": "json_object"}),
            "response_format",
            None,
        ),
        (
            EndpointSettings(context_characters=5),
            chat("123456"),
            chat("12345"),
            "messages",
            "context_length_exceeded",
        ),
    ],
)
def test_quirk_of_a_server_refuses_what_that_server_refuses(
    settings: EndpointSettings,
    refused: dict[str, Any],
    taken: dict[str, Any],
    param: str,
    code: str | None,
) -> None:
    status, error = error_of(settings, refused)
    assert (status, error["param"], error["code"]) == (400, param, code)
    assert ask(settings, taken)[0] == 200
    assert ask(PLAIN, refused)[0] == 200


def test_schema_counts_towards_the_context_window() -> None:
    body = chat("12345", response_format=response_format())
    assert ask(EndpointSettings(context_characters=100), body)[0] == 400


def test_only_listed_models_exist() -> None:
    settings = EndpointSettings(models=("m", "org/n"))
    assert ask(settings, chat())[0] == 200
    status, error = error_of(settings, chat(model="other"))
    assert (status, error["code"]) == (404, "model_not_found")
    _, listed = ask(settings, method="GET", path="/models")
    assert [row["id"] for row in listed["data"]] == ["m", "org/n"]
    assert ask(settings, method="GET", path="/models/org%2Fn")[1]["id"] == "org/n"
    assert ask(settings, method="GET", path="/models/other")[0] == 404


def test_key_is_wanted_only_where_one_is_set() -> None:
    locked = EndpointSettings(api_key="open sesame")
    status, error = error_of(locked, chat())
    assert (status, error["code"]) == (401, "invalid_api_key")
    wrong, right = ({"Authorization": f"Bearer {key}"} for key in ("sesame", "open sesame"))
    assert ask(locked, chat(), headers=wrong)[0] == 401
    assert ask(locked, chat(), headers=right)[0] == 200
    assert ask(locked, method="GET", path="/models")[0] == 401
    assert ask(PLAIN, chat(), headers=wrong)[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/chat/completions", 405),
        ("POST", "/models", 405),
        ("GET", "/counters/reset", 405),
        ("GET", "/embeddings", 405),
        ("POST", "/audio", 404),
    ],
)
def test_unknown_address_or_method_is_refused(method: str, path: str, status: int) -> None:
    assert ask(PLAIN, method=method, path=path)[0] == status


# ------------------------------------------------------------------ reading

TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ['"response_format":', '{"response_format": {}}', ',"response_format":{"a":1}']
    ),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(TEXTS, st.just("response_format")), inner, max_size=3),
    ),
    max_leaves=4,
)


@given(
    text=TEXTS,
    before=st.dictionaries(TEXTS, VALUES, max_size=3),
    after=st.dictionaries(TEXTS, VALUES, max_size=3),
    wanted=st.sampled_from([None, {"type": "text"}, response_format(), response_format({})]),
    indent=st.sampled_from([None, 1]),
)
def test_body_is_read_as_the_json_that_it_is_wherever_its_parts_stand(
    text: str,
    before: dict[str, Any],
    after: dict[str, Any],
    wanted: dict[str, Any] | None,
    indent: int | None,
) -> None:
    kept = ("model", "messages", "stream", "n", "response_format")
    rest = [{k: v for k, v in part.items() if k not in kept} for part in (before, after)]
    body = rest[0] | chat(text, response_format=wanted) | rest[1]
    raw = json.dumps(body, indent=indent).encode()
    read = read_chat(raw)
    assert read.fields == body
    assert [message.text for message in read.messages] == [text]
    schema = wanted["json_schema"]["schema"] if wanted and "json_schema" in wanted else None
    assert read.schema == ("" if schema is None else json.dumps(schema, separators=(",", ":")))


# ------------------------------------------------------------------ latency and settings


@pytest.mark.parametrize("shape", ["constant", "uniform", "lognormal"])
def test_latency_has_the_mean_that_was_set(shape: Any) -> None:
    settings = EndpointSettings(latency_ms=50, latency_shape=shape, latency_sigma=0.5)
    drawn = [latency_seconds(settings, Chance(b"%d" % key)) for key in range(4000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.05, rel=0.03)
    assert drawn == [latency_seconds(settings, Chance(b"%d" % key)) for key in range(4000)]
    spread = {"constant": (0.05, 0.05), "uniform": (0.0, 0.1), "lognormal": (0.0, 1.0)}[shape]
    assert spread[0] <= min(drawn) <= max(drawn) <= spread[1]
    if shape == "lognormal":
        # The median of this lognormal is mean * exp(-sigma^2 / 2) = 0.0441.
        assert sorted(drawn)[2000] == pytest.approx(0.0441, rel=0.03)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"hang": 1.5}, "hang must be a rate from 0 to 1, not 1.5"),
        ({"hang": 0.6, "empty": 0.6}, "sum of all fault rates must be at most 1"),
        ({"latency_ms": -1}, "latency_ms"),
        ({"latency_shape": "normal"}, "constant, lognormal, uniform"),
        ({"characters": 0}, "characters"),
        ({"leave_rate": -0.1}, "leave_rate"),
    ],
)
def test_wrong_settings_are_named(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        EndpointSettings(**wrong)


def test_settings_survive_the_way_to_another_process() -> None:
    settings = EndpointSettings(seed=3, latency_ms=2.5, models=("a", "b"), hang=0.25, api_key="k")
    assert settings_from_json(settings_as_json(settings)) == settings
    with pytest.raises(ConfigError, match="responder"):
        settings_as_json(EndpointSettings(responder=lambda _: ""))
    for text in ("no json", "[]", '{"speed": 1}'):
        with pytest.raises(ConfigError, match="Endpoint settings must be a JSON object"):
            settings_from_json(text)
