"""What docs/models.md lists of the stand-in's methods, called by the providers' own clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anthropic
import openai
import pytest
from pydantic import BaseModel

from sociolab.endpoint import EndpointSettings, start_in_thread

PRICE = {
    "type": "object",
    "properties": {"price": {"type": "integer", "minimum": 3, "maximum": 9}},
    "required": ["price"],
    "additionalProperties": False,
}
HELLO: list[Any] = [{"role": "user", "content": "What do you ask for it?"}]


class Offer(BaseModel):
    price: int


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with start_in_thread(EndpointSettings()) as endpoint:
        yield endpoint.url


@pytest.fixture
def by_openai(url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=url, api_key="x") as client:
        yield client


@pytest.fixture
def by_anthropic(url: str) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="x") as client:
        yield client


TOOL: Any = {"type": "function", "function": {"name": "offer", "parameters": PRICE}}


def test_a_stream_is_what_the_whole_reply_would_be(by_openai: openai.OpenAI) -> None:
    whole = by_openai.chat.completions.create(model="m", messages=HELLO, temperature=0)
    with by_openai.chat.completions.stream(model="m", messages=HELLO, temperature=0) as stream:
        streamed = stream.get_final_completion()
    assert streamed.choices[0].finish_reason == "stop"
    assert len(streamed.choices[0].message.content or "") > 20
    assert len(whole.choices[0].message.content or "") > 20


def test_a_tool_is_called_with_valid_arguments_then_its_result_is_answered(
    by_openai: openai.OpenAI,
) -> None:
    first = by_openai.chat.completions.create(model="m", messages=HELLO, tools=[TOOL])
    message = first.choices[0].message
    assert message.tool_calls is not None
    call: Any = message.tool_calls[0]
    assert call.function.name == "offer"
    assert 3 <= json.loads(call.function.arguments)["price"] <= 9
    result = {"role": "tool", "tool_call_id": call.id, "content": "noted"}
    said: list[Any] = [*HELLO, message.model_dump(exclude_none=True), result]
    second = by_openai.chat.completions.create(model="m", messages=said, tools=[TOOL])
    assert second.choices[0].finish_reason == "stop"
    assert second.choices[0].message.content
    none = by_openai.chat.completions.create(
        model="m", messages=HELLO, tools=[TOOL], tool_choice="none"
    )
    assert none.choices[0].message.tool_calls is None


def test_responses_have_texts_calls_and_parsed_outputs(by_openai: openai.OpenAI) -> None:
    assert len(by_openai.responses.create(model="m", input="Hello.").output_text) > 20
    assert (
        by_openai.responses.parse(model="m", input="Hello.", text_format=Offer).output_parsed
        is not None
    )
    tool: Any = {"type": "function", "name": "offer", "parameters": PRICE, "strict": True}
    with by_openai.responses.stream(model="m", input="Hello.", tools=[tool]) as stream:
        (item,) = stream.get_final_response().output
    assert item.type == "function_call"
    assert 3 <= json.loads(item.arguments)["price"] <= 9


def test_messages_have_streams_tools_and_counted_tokens(by_anthropic: anthropic.Anthropic) -> None:
    asked: Any = {"model": "m", "max_tokens": 900, "messages": HELLO}
    with by_anthropic.messages.stream(**asked) as stream:
        assert len(stream.get_final_text()) > 20
    tool: Any = {"name": "offer", "input_schema": PRICE}
    choice: Any = {"type": "tool", "name": "offer"}
    got = by_anthropic.messages.create(**asked, tools=[tool], tool_choice=choice)
    assert got.stop_reason == "tool_use"
    block: Any = got.content[0]
    assert 3 <= block.input["price"] <= 9
    back = [
        *HELLO,
        {"role": "assistant", "content": [block.model_dump()]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": block.id, "content": "noted"}
        ]},
    ]  # fmt: skip
    then = by_anthropic.messages.create(**{**asked, "messages": back}, tools=[tool])
    assert (then.stop_reason, then.content[0].type) == ("end_turn", "text")
    counted = by_anthropic.messages.count_tokens(model="m", messages=HELLO)
    assert counted.input_tokens == 6


@pytest.mark.parametrize("asked", [{"n": 2}, {"logprobs": True}])
def test_what_is_not_offered_is_refused_in_a_sentence(
    by_openai: openai.OpenAI, asked: dict[str, Any]
) -> None:
    with pytest.raises(openai.BadRequestError, match=r"Only (1|none) is supported"):
        by_openai.chat.completions.create(model="m", messages=HELLO, **asked)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", {"messages": HELLO, "tools": 5}),
        ("chat/completions", {"messages": HELLO, "stream": True, "stream_options": "x"}),
        ("responses", {"input": "Hello.", "text": "json"}),
        ("messages", {"messages": HELLO, "max_tokens": 9, "temperature": "x"}),
        ("messages", {"messages": HELLO, "max_tokens": 9, "tool_choice": "auto"}),
        ("messages/count_tokens", {"messages": HELLO, "thinking": "x"}),
    ],
)
def test_a_request_of_another_shape_is_refused_in_a_sentence(
    by_openai: openai.OpenAI, path: str, body: dict[str, Any]
) -> None:
    with pytest.raises(openai.BadRequestError, match="expected"):
        by_openai.post(f"/{path}", body={"model": "m", **body}, cast_to=object)
