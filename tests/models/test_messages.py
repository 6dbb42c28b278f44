"""Anthropic's Messages: what is sent and read, checked with the types of Anthropic's own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import anthropic
import pytest
from anthropic.types import Message as TheirMessage
from anthropic.types.message_create_params import (
    MessageCreateParamsBase,
    MessageCreateParamsNonStreaming,
)
from hypothesis import given, strategies as st
from pydantic import TypeAdapter

from hostile_json import bodies
from raw_server import KEY, http, raw_server, request
from sociolab.core import Cause, ChatReply, ConfigError, Message, ModelError, Prompt, Schema, Usage
from sociolab.endpoint import FAULTS, EndpointServer, EndpointSettings, serve
from sociolab.models import EndpointModel, EndpointSpec, Price, traffic
from sociolab.models.messages import (
    MESSAGES,
    endpoint,
    format_of,
    message_body,
    read_message,
)
from sociolab.models.wire import ROOM_FOR_THOUGHTS, Quirks

SCHEMA = Schema(
    "Turn",
    '{"properties":{"text":{"type":"string","maxLength":90},"mood":{"type":"integer","minimum":1,'
    '"maximum":5}},"required":["text","mood"],"type":"object"}',
)
PROMPT = Prompt((Message("system", "Be Ada."), Message("user", "Speak.")), SCHEMA, 0.5, 100)
SECRET = "sk-ant-api03/0123456789+abcdef"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


def sent(prompt: Prompt = PROMPT, quirks: Quirks | None = None, **options: Any) -> dict[str, Any]:
    """The body, which Anthropic's types take."""
    body: dict[str, Any] = json.loads(message_body("claude-x", prompt, quirks or Quirks(), options))
    TypeAdapter(MessageCreateParamsNonStreaming).validate_python(body)
    bases = (MessageCreateParamsNonStreaming, MessageCreateParamsBase)
    known = {name for base in bases for name in base.__annotations__}
    assert body.keys() <= known | {"temperature", "top_k"}  # of the version that is asked for
    return body


# ---------------------------------------------------------------- requests


def test_a_body_holds_the_system_prompt_apart_and_the_schema_as_an_output_format() -> None:
    assert sent() == {
        "model": "claude-x",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be Ada."}],
        "messages": [{"role": "user", "content": "Speak."}],
        "temperature": 0.5,
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "description": "{maxLength: 90}"},
                        "mood": {"type": "integer", "description": "{minimum: 1, maximum: 5}"},
                    },
                    "required": ["text", "mood"],
                    "additionalProperties": False,
                },
            }
        },
    }


def test_only_a_long_system_prompt_is_marked_for_the_cache() -> None:
    """1,024 tokens are the least that any model caches; a token is three bytes here."""
    for length, marked in ((3_071, False), (3_072, True)):
        head = sent(replace(PROMPT, messages=(Message("system", "x" * length), PROMPT.messages[1])))
        assert ("cache_control" in head["system"][-1]) is marked
    assert "system" not in sent(replace(PROMPT, messages=PROMPT.messages[1:]))


def test_a_model_that_thinks_is_sent_no_temperature_and_room_for_its_thoughts() -> None:
    free = replace(PROMPT, max_tokens=None)
    body = sent(free, thinking=4_000)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 4_000}
    assert body["max_tokens"] == ROOM_FOR_THOUGHTS + 4_000
    assert "temperature" not in body
    body = sent(free, thinking="adaptive", reasoning_effort="low")
    assert (body["thinking"], body["output_config"]["effort"]) == ({"type": "adaptive"}, "low")
    assert "temperature" not in body
    assert sent(free, thinking="disabled")["temperature"] == 0.5
    assert sent(free, thinking={"type": "adaptive", "display": "omitted"})["thinking"] == {
        "type": "adaptive", "display": "omitted",
    }  # fmt: skip


def test_options_go_by_the_names_of_the_api() -> None:
    body = sent(stop=["END"], top_k=5, output_config={"effort": "high"})
    assert (body["stop_sequences"], body["top_k"]) == (["END"], 5)
    assert body["output_config"].keys() == {"effort", "format"}


@pytest.mark.parametrize(
    ("prompt", "options", "said"),
    [
        (replace(PROMPT, temperature=1.5), {}, "a temperature from 0 to 1, found 1.5"),
        (PROMPT, {"thinking": 2_000}, "max_tokens = 100 to be more than thinking = 2000"),
    ],
)
def test_what_no_server_would_take_is_not_sent(
    prompt: Prompt, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        sent(prompt, **options)
    assert caught.value.fatal


def test_options_that_the_api_does_not_know_are_refused_before_the_first_call() -> None:
    async def go() -> None:
        endpoint(EndpointSpec(name="anthropic")).model("claude-x", {"seed": 3})

    with pytest.raises(ConfigError, match=r"claude-x\" takes no seed"):
        asyncio.run(go())


SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "string", "maxLength": 5, "minLength": 1},
            {"type": "integer", "minimum": 0, "maximum": 10},
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "boolean"},
            {"type": "null"},
            {"enum": ["a", "b"], "type": "string"},
            {"const": "x", "type": "string"},
        ]
    ),
    lambda inner: (
        st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner)
        | st.builds(lambda one, least: {"type": "array", "items": one, "minItems": least},
                    inner, st.integers(0, 3))
        | st.builds(lambda one: {"type": "array", "items": one, "maxItems": 4}, inner)
        | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, min_size=1).map(
            lambda fields: {
                "type": "object", "properties": fields, "required": [*fields],
                "additionalProperties": False,
            })
    ),
    max_leaves=8,
)  # fmt: skip


@given(SCHEMAS)
def test_a_schema_becomes_what_anthropics_own_client_makes_of_it(schema: dict[str, Any]) -> None:
    form = format_of(json.dumps(schema))
    assert form is not None
    assert form["schema"] == anthropic.transform_schema(json.loads(json.dumps(schema)))


def test_an_object_of_unknown_keys_is_asked_for_in_the_prompt() -> None:
    free = Schema("Any", '{"type":"object","additionalProperties":{"type":"string"}}')
    body = sent(replace(PROMPT, schema=free))
    assert "output_config" not in body
    assert body["messages"][-1]["content"].endswith(f"JSON schema: {free.text}")


# ---------------------------------------------------------------- replies


def theirs(*blocks: dict[str, Any], stop: str = "end_turn", **more: Any) -> bytes:
    """A response body that Anthropic's types take."""
    row = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": list(blocks), "stop_reason": stop, "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5}, **more,
    }  # fmt: skip
    return TheirMessage.model_validate(row).model_dump_json().encode()


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": None}


def read(body: bytes) -> ChatReply:
    return read_message(body, PROMPT, 1.0, 1)


def test_thoughts_are_never_the_reply() -> None:
    thoughts = {"type": "thinking", "thinking": '{"text": "no"}', "signature": "s"}
    reply = read(theirs(thoughts, {"type": "redacted_thinking", "data": "x"}, text("Yes.")))
    assert (reply.text, reply.finish, reply.usage) == ("Yes.", "stop", Usage(10, 5))
    assert reply.reasoned
    with pytest.raises(ModelError, match="turn thinking off"):
        read(theirs(thoughts))
    assert read(theirs(thoughts, stop="max_tokens")).text == ""


def test_reasons_to_stop() -> None:
    assert read(theirs(text("Hal"), stop="max_tokens")).finish == "length"
    assert read(theirs(text("Hal"), stop="model_context_window_exceeded")).finish == "length"
    assert read(theirs(text("END"), stop="stop_sequence")).finish == "stop"
    details = {"type": "refusal", "category": "cyber", "explanation": "Not that."}
    withheld = read(theirs(stop="refusal", stop_details=details))
    assert (withheld.text, withheld.finish) == ("Not that.", "content filter")


def test_cached_tokens_are_a_part_of_the_prompts_and_have_their_own_prices() -> None:
    usage = {
        "input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 2_000,
        "cache_creation_input_tokens": 1_000,
    }  # fmt: skip
    reply = read(theirs(text("Yes."), usage=usage))
    assert reply.usage == Usage(3_100, 10, 2_000, written=1_000)
    # 100 at 3 dollars, 2,000 at 0.3, 1,000 at 3.75, 10 at 15: 300 + 600 + 3,750 + 150 a million
    assert Price(3, 15, 0.3, 3.75).cost_of(reply.usage) == pytest.approx(4_800e-6)
    useless = json.dumps({"content": [], "usage": usage}).encode()
    assert MESSAGES.read_usage(useless, PROMPT) == reply.usage


@pytest.mark.parametrize(
    ("usage", "fault"),
    [
        (None, ""),
        ({"input_tokens": -1, "output_tokens": 5}, "found -1 as prompt tokens"),
        ({"input_tokens": 10**30, "output_tokens": 5}, "a number beyond"),
        ({"input_tokens": 1.5, "output_tokens": 5}, "1.5 as prompt tokens"),
        ({"input_tokens": True, "output_tokens": 5}, "True as prompt tokens"),
        ({"input_tokens": 3, "cache_read_input_tokens": "x", "output_tokens": 5}, "a str as"),
        ("many", "a str as usage"),
    ],
)
def test_impossible_counts_cost_no_reply(usage: Any, fault: str) -> None:
    body = json.dumps({"content": [text("Yes.")], "usage": usage}).encode()
    reply = read(body)
    assert (reply.text, reply.usage.estimated) == ("Yes.", True)
    assert fault in reply.fault
    assert bool(reply.fault) is bool(fault)


@given(bodies())
def test_any_body_is_a_message_or_a_model_error(body: bytes) -> None:
    for one in (body, body.replace(b'"choices"', b'"content"')):
        with suppress(ModelError):
            assert isinstance(read(one).text, str)


# ---------------------------------------------------------------- over the local endpoint


@asynccontextmanager
async def connected(**settings: Any) -> AsyncIterator[tuple[EndpointServer, EndpointModel]]:
    spec = settings.pop("spec", {})
    options = settings.pop("options", None)
    async with serve(EndpointSettings(**settings)) as server:
        about = {"name": "claude", "base_url": server.url, **spec}
        async with endpoint(EndpointSpec(**about)) as client:
            yield server, client.model("claude-x", options)


def ask(prompt: Prompt = PROMPT, **settings: Any) -> tuple[EndpointServer, ChatReply]:
    async def go() -> tuple[EndpointServer, ChatReply]:
        async with connected(**settings) as (server, model):
            return server, await model.complete(prompt, KEY)

    return asyncio.run(go())


def fail(**settings: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(**settings)
    return caught.value


def test_a_reply_obeys_the_schema() -> None:
    server, reply = ask()
    assert json.loads(reply.text).keys() == {"text", "mood"}
    assert reply.usage.prompt > 0
    assert server.counters.by_status == {"200": 1}


@pytest.mark.parametrize(
    ("quirk", "requests"), [("fixed_temperature", 2), ("no_json_schema", 2), ("no_penalties", 1)]
)
def test_what_a_server_does_not_take_is_left_out_from_then_on(quirk: str, requests: int) -> None:
    async def go() -> EndpointServer:
        async with connected(**{quirk: True}) as (server, model):
            for _ in range(2):
                await model.complete(replace(PROMPT, penalties=0.5), KEY)
            return server

    assert asyncio.run(go()).counters.requests == 2 * requests


def test_thinking_is_taken_and_its_thoughts_are_passed_over() -> None:
    prompt = replace(PROMPT, max_tokens=None, schema=None)
    _, reply = ask(prompt, options={"thinking": 1_024})
    _, plain = ask(prompt)
    assert reply.text
    assert plain.text
    assert not reply.text.startswith("<think>")


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("server_error", "server error"),
        ("dropped", "connection"), ("hang", "timeout"), ("truncated_body", "connection"),
        ("malformed_body", "malformed reply"), ("no_choices", "malformed reply"),
    ],
)  # fmt: skip
def test_faults_have_their_causes(fault: str, cause: Cause) -> None:
    spec = {"tries": 2, "timeout_s": 0.3, "total_s": 1.0}
    error = fail(**{fault: 1.0, "spec": spec})
    overloaded = fault == "server_error"  # which is waited for, and uses up no try
    assert (error.cause, error.tries, error.fatal) == (cause, 1 if overloaded else 2, overloaded)
    if overloaded:
        assert "answered 529: Overloaded" in str(error)


@pytest.mark.parametrize(
    ("fault", "finish"), [("truncated_text", "length"), ("content_filter", "content filter")]
)
def test_faults_of_texts_are_read(fault: str, finish: str) -> None:
    assert ask(PROMPT, **{fault: 1.0})[1].finish == finish


def test_every_fault_is_met() -> None:
    assert len(FAULTS) == 12  # the seven above, two of texts, and three that reading finds


def test_a_context_that_is_too_long_and_a_model_that_is_not_there() -> None:
    assert fail(context_characters=10).cause == "context overflow"
    assert fail(models=("other",)).cause == "unknown model"


def test_the_key_goes_into_its_header_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", SECRET)
    assert ask(api_key=SECRET, spec={"key_env": "THE_KEY"})[1].text
    error = fail(api_key="another", spec={"key_env": "THE_KEY"})
    assert error.cause == "credentials"
    assert SECRET[:12] not in f"{error} {error!r} {error.__cause__} {error.__context__}"


def test_another_host_by_its_address_and_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Amazon Bedrock: BASE/anthropic/v1/messages, with a bearer token."""
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", SECRET)
    heard: list[tuple[str, dict[str, str]]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line, headers, _ = await request(reader)
        heard.append((line, headers))
        writer.write(http(theirs(text(f"Your key is {SECRET}."))))

    async def go() -> ChatReply:
        async with raw_server(answer) as port:
            spec = EndpointSpec(
                name="bedrock",
                base_url=f"http://127.0.0.1:{port}/anthropic/v1",
                headers={"authorization": "Bearer ${AWS_BEARER_TOKEN_BEDROCK}"},
            )
            async with endpoint(spec) as client:
                return await client.model("anthropic.claude-x").complete(PROMPT, KEY)

    assert asyncio.run(go()).text == "Your key is [secret]."
    ((line, headers),) = heard
    assert line == "POST /anthropic/v1/messages HTTP/1.1"
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert headers["anthropic-version"] == "2023-06-01"
    assert "x-api-key" not in headers


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"requests-remaining": "0", "requests-reset": 30, "tokens-remaining": "0",
          "tokens-reset": 60}, 60.0),
        ({"requests-remaining": "5", "requests-reset": 30}, None),
        ({"requests-remaining": "0", "requests-reset": "soon"}, None),
    ],
)  # fmt: skip
def test_a_limit_that_is_used_up_says_how_long_to_wait(
    headers: dict[str, Any], seconds: float | None
) -> None:
    lines = []
    for name, value in headers.items():
        if isinstance(value, int):
            value = (datetime.now(UTC) + timedelta(seconds=value)).isoformat()
        name = name if name == "retry-after" else f"anthropic-ratelimit-{name}"
        lines.append(f"{name}: {value}")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(http(b"{}", *lines, status="429 Too Many Requests"))

    async def go() -> float | None:
        async with raw_server(answer) as port:
            spec = EndpointSpec(name="a", base_url=f"http://127.0.0.1:{port}", total_s=0.5)
            async with endpoint(spec) as client:
                try:
                    await client.model("m").complete(PROMPT, KEY)
                except ModelError as error:
                    return error.pause
        raise AssertionError

    pause = asyncio.run(go())
    assert pause == (None if seconds is None else pytest.approx(seconds, abs=20))


# ---------------------------------------------------------------- their client, our endpoint


def test_anthropics_own_client_reads_what_the_local_endpoint_says() -> None:
    async def go() -> tuple[TheirMessage, Exception]:
        async with serve(EndpointSettings(api_key="k" * 9)) as server:
            client = anthropic.AsyncAnthropic(
                api_key="k" * 9, base_url=server.url.removesuffix("/v1"), max_retries=0
            )
            async with client:
                found = await client.messages.create(
                    model="claude-x", max_tokens=3_000, system="Be Ada.",
                    messages=[{"role": "user", "content": "Hi"}],
                    thinking={"type": "enabled", "budget_tokens": 2_000},
                )  # fmt: skip
                with pytest.raises(anthropic.BadRequestError) as caught:
                    await client.messages.create(
                        model="claude-x", max_tokens=0, messages=[{"role": "user", "content": "Hi"}]
                    )
                return found, caught.value

    found, refused = asyncio.run(go())
    assert [block.type for block in found.content] == ["thinking", "text"]
    assert found.stop_reason == "end_turn"
    assert found.usage.input_tokens > 0
    assert "max_tokens" in str(refused)
