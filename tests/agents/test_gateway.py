"""Programs reach models by the APIs that they know: OpenAI's and Anthropic's own clients ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import anthropic
import openai
import pytest
from pydantic import BaseModel

from sociolab.agents import Gateway, Message, ToolCall, ToolDefinition
from sociolab.core import ChatReply, ModelError, Prompt, Usage

WEATHER = {
    "type": "object",
    "properties": {"town": {"type": "string"}},
    "required": ["town"],
    "additionalProperties": False,
}
LOOK = ToolCall("call_7", "look", '{"town": "Ely"}')
TEXT = "It rains, and will go on raining until the week is out, they say; take a coat with you."


class Behind:
    """The models behind a gateway: keeps what was asked, and replies as it was told."""

    def __init__(self, reply: ChatReply | Exception) -> None:
        self.reply = reply
        self.asked: list[tuple[str, Prompt]] = []

    async def complete(self, model: str, prompt: Prompt) -> ChatReply:
        self.asked.append((model, prompt))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply

    @property
    def prompt(self) -> Prompt:
        return self.asked[-1][1]


def by(behind: Behind, work: Callable[[str, str], Awaitable[Any]]) -> Any:
    """What a program does with the address and the key of a gateway, while it may call models."""

    async def main() -> Any:
        gateway = Gateway()
        await gateway.start()
        key = gateway.admit()
        try:
            with gateway.serving(key, behind.complete):
                return await work(gateway.url, key)
        finally:
            await gateway.close()

    return asyncio.run(main())


def chat(behind: Behind, **asked: Any) -> Any:
    async def work(url: str, key: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
            return await client.chat.completions.create(model="m", **asked)

    return by(behind, work)


def respond(behind: Behind, **asked: Any) -> Any:
    async def work(url: str, key: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
            return await client.responses.create(model="m", **asked)

    return by(behind, work)


def message(behind: Behind, **asked: Any) -> Any:
    async def work(url: str, key: str) -> Any:
        async with anthropic.AsyncAnthropic(base_url=url, api_key=key) as client:
            return await client.messages.create(model="m", max_tokens=90, **asked)

    return by(behind, work)


HELLO = [{"role": "user", "content": "Hello."}]


def test_a_chat_completion_is_one_prompt_and_one_reply() -> None:
    behind = Behind(ChatReply("Hi.", usage=Usage(12, 3, 4)))
    got = chat(
        behind,
        messages=[{"role": "developer", "content": "Be brief."}, *HELLO],
        temperature=0.5,
        max_completion_tokens=70,
        stop=["\n"],
    )
    assert (got.choices[0].message.content, got.choices[0].finish_reason) == ("Hi.", "stop")
    assert got.usage is not None
    assert (got.usage.prompt_tokens, got.usage.completion_tokens) == (12, 3)
    assert got.usage.prompt_tokens_details.cached_tokens == 4
    assert behind.asked == [
        (
            "m",
            Prompt(
                (Message("system", "Be brief."), Message("user", "Hello.")),
                None,
                0.5,
                70,
                options=(("stop", '["\\n"]'),),
            ),
        )
    ]


def test_tools_and_their_results_pass_through_a_chat_completion() -> None:
    behind = Behind(ChatReply("", calls=(LOOK,)))
    tool = {"name": "look", "description": "The weather.", "parameters": WEATHER}
    tools = [{"type": "function", "function": tool}]
    got = chat(behind, messages=HELLO, tools=tools, tool_choice="required")
    assert got.choices[0].finish_reason == "tool_calls"
    assert got.choices[0].message.content is None
    (call,) = got.choices[0].message.tool_calls
    assert (call.id, call.function.name, call.function.arguments) == (
        "call_7",
        "look",
        '{"town": "Ely"}',
    )
    assert behind.prompt.tools == (ToolDefinition("look", "The weather.", json.dumps(WEATHER)),)
    assert behind.prompt.tool_choice == "required"
    sent_back = got.choices[0].message.model_dump(exclude_none=True)
    chat(
        behind,
        messages=[*HELLO, sent_back, {"role": "tool", "tool_call_id": "call_7", "content": "rain"}],
        tools=tools,
    )
    assert behind.prompt.messages[1:] == (
        Message("assistant", "", (LOOK,)),
        Message("tool", "rain", answers="call_7"),
    )


@pytest.mark.parametrize("reply", [ChatReply(TEXT), ChatReply("So:", calls=(LOOK,))])
def test_a_streamed_chat_completion_adds_up_to_the_reply(reply: ChatReply) -> None:
    async def work(url: str, key: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
            usage = {"include_usage": True}
            asked = {"model": "m", "messages": HELLO, "stream_options": usage}
            async with client.chat.completions.stream(**asked) as stream:  # type: ignore[arg-type]
                return await stream.get_final_completion()

    got = by(Behind(reply), work)
    assert got.choices[0].message.content == reply.text
    calls = got.choices[0].message.tool_calls or []
    assert [(c.id, c.function.name, c.function.arguments) for c in calls] == [
        (call.id, call.name, call.arguments) for call in reply.calls
    ]
    assert got.usage.total_tokens == 0


class Offer(BaseModel):
    price: int


def test_structured_output_asks_for_the_schema() -> None:
    async def work(url: str, key: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client:
            asked = {"model": "m", "messages": HELLO, "response_format": Offer}
            return await client.chat.completions.parse(**asked)  # type: ignore[arg-type]

    behind = Behind(ChatReply('{"price": 30}'))
    assert by(behind, work).choices[0].message.parsed == Offer(price=30)
    assert behind.prompt.schema is not None
    assert json.loads(behind.prompt.schema.text)["properties"].keys() == {"price"}


def test_a_response_is_one_prompt_and_one_reply() -> None:
    behind = Behind(ChatReply("Hi.", usage=Usage(12, 3)))
    got = respond(
        behind,
        input=[
            {"role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
            {"type": "function_call", "call_id": "call_7", "name": "look", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_7", "output": "rain"},
        ],
        instructions="Be brief.",
        max_output_tokens=70,
        tools=[{"type": "function", "name": "look", "parameters": WEATHER, "strict": True}],
    )
    assert (got.output_text, got.status, got.usage.total_tokens) == ("Hi.", "completed", 15)
    assert behind.prompt == Prompt(
        (
            Message("system", "Be brief."),
            Message("user", "Hello."),
            Message("assistant", "", (ToolCall("call_7", "look", "{}"),)),
            Message("tool", "rain", answers="call_7"),
        ),
        None,
        None,
        70,
        tools=(ToolDefinition("look", "", json.dumps(WEATHER), True),),
    )


@pytest.mark.parametrize("reply", [ChatReply(TEXT), ChatReply("So:", calls=(LOOK,))])
def test_a_streamed_response_adds_up_to_the_reply(reply: ChatReply) -> None:
    async def work(url: str, key: str) -> Any:
        async with (
            openai.AsyncOpenAI(base_url=f"{url}/v1", api_key=key) as client,
            client.responses.stream(model="m", input="Hello.") as stream,
        ):
            return await stream.get_final_response()

    got = by(Behind(reply), work)
    assert got.output_text == reply.text
    calls = [item for item in got.output if item.type == "function_call"]
    assert [(c.call_id, c.name, c.arguments) for c in calls] == [
        (call.id, call.name, call.arguments) for call in reply.calls
    ]


def test_a_message_is_one_prompt_and_one_reply() -> None:
    behind = Behind(ChatReply("So:", calls=(LOOK,), usage=Usage(12, 3, 4)))
    got = message(
        behind,
        system="Be brief.",
        messages=[
            *HELLO,
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "call_7", "name": "look", "input": {"town": "Ely"}}
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_7", "content": "rain"},
                    {"type": "text", "text": "And now?"},
                ],
            },
        ],
        tools=[
            {
                "name": "look",
                "description": "The weather.",
                "input_schema": WEATHER,
                "strict": False,
            }
        ],
        tool_choice={"type": "any"},
        stop_sequences=["\n"],
    )
    assert got.content[0].text == "So:"
    assert (got.content[1].name, got.content[1].input) == ("look", {"town": "Ely"})
    assert (got.stop_reason, got.usage.input_tokens, got.usage.cache_read_input_tokens) == (
        "tool_use",
        8,
        4,
    )
    assert behind.prompt == Prompt(
        (
            Message("system", "Be brief."),
            Message("user", "Hello."),
            Message("assistant", "", (LOOK,)),
            Message("tool", "rain", answers="call_7"),
            Message("user", "And now?"),
        ),
        None,
        None,
        90,
        tools=(ToolDefinition("look", "The weather.", json.dumps(WEATHER), False),),
        tool_choice="required",
        options=(("stop", '["\\n"]'),),
    )


@pytest.mark.parametrize("reply", [ChatReply(TEXT), ChatReply("So:", calls=(LOOK,))])
def test_a_streamed_message_adds_up_to_the_reply(reply: ChatReply) -> None:
    async def work(url: str, key: str) -> Any:
        asked: dict[str, Any] = {"model": "m", "max_tokens": 90, "messages": HELLO}
        async with (
            anthropic.AsyncAnthropic(base_url=url, api_key=key) as client,
            client.messages.stream(**asked) as stream,
        ):
            return await stream.get_final_message()

    got = by(Behind(reply), work)
    assert got.content[0].text == reply.text
    assert [(block.name, block.input) for block in got.content[1:]] == [
        (call.name, json.loads(call.arguments)) for call in reply.calls
    ]


def test_tokens_are_counted_without_a_call() -> None:
    async def work(url: str, key: str) -> Any:
        async with anthropic.AsyncAnthropic(base_url=url, api_key=key) as client:
            return await client.messages.count_tokens(model="m", messages=HELLO)  # type: ignore[arg-type]

    behind = Behind(ChatReply(""))
    assert by(behind, work).input_tokens == 2
    assert behind.asked == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"n": 2}, "one reply is given"),
        ({"logprobs": True}, "no log probabilities"),
        ({"extra_body": {"beams": 4}}, 'there is no parameter "beams" here'),
        ({"messages": []}, "at least one message"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "found 'image_url'; only text passes here",
        ),
    ],
)
def test_what_is_not_offered_is_refused_in_a_sentence(asked: Any, sentence: str) -> None:
    behind = Behind(ChatReply("Hi."))
    with pytest.raises(openai.BadRequestError, match=sentence):
        chat(behind, **{"messages": HELLO, **asked})
    assert behind.asked == []


def test_a_failed_call_is_not_sent_again_by_the_program() -> None:
    behind = Behind(ModelError("the server is down", cause="server error"))
    with pytest.raises(openai.APIStatusError, match="the server is down"):
        chat(behind, messages=HELLO)
    assert len(behind.asked) == 1


def test_models_are_called_with_the_key_of_a_program_that_is_asked() -> None:
    behind = Behind(ChatReply("Hi."))

    async def strange(url: str, key: str) -> Any:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="other") as client:
            return await client.chat.completions.create(model="m", messages=HELLO)  # type: ignore[arg-type]

    with pytest.raises(openai.AuthenticationError):
        by(behind, strange)

    async def early() -> None:
        gateway = Gateway()
        await gateway.start()
        try:
            async with openai.AsyncOpenAI(
                base_url=f"{gateway.url}/v1", api_key=gateway.admit()
            ) as client:
                await client.chat.completions.create(model="m", messages=HELLO)  # type: ignore[arg-type]
        finally:
            await gateway.close()

    with pytest.raises(openai.ConflictError, match="while an observation waits"):
        asyncio.run(early())
    assert behind.asked == []


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_a_body_may_be_long_and_come_in_pieces(size: int) -> None:
    behind = Behind(ChatReply("Hi."))

    async def work(url: str, key: str) -> bytes:
        host, port = url.removeprefix("http://").split(":")
        said = [{"role": "user", "content": "x" * size}]
        body = json.dumps({"model": "m", "messages": said}).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\n"
        )
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"{head}connection: close\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        for start in (0, 20):
            writer.write(body[start : start + 20] if start == 0 else body[20:])
            await writer.drain()
            await asyncio.sleep(0)
        answer = await reader.read()
        writer.close()
        return answer

    assert by(behind, work).startswith(b"HTTP/1.1 200")
    assert len(behind.prompt.messages[0].text) == size


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", {"messages": HELLO, "tools": 5}),
        (
            "chat/completions",
            {
                "messages": HELLO,
                "tools": [{"type": "function", "function": {"name": "look", "strict": "yes"}}],
            },
        ),
        ("chat/completions", {"messages": HELLO, "stream_options": "x"}),
        ("responses", {"input": "Hello.", "text": "json"}),
        ("responses", {"input": "Hello.", "instructions": ["a"]}),
        ("messages", {"messages": HELLO, "max_tokens": 9, "tool_choice": "auto"}),
        ("messages", {"messages": HELLO, "max_tokens": 9, "thinking": "on"}),
        ("messages", {"messages": HELLO, "max_tokens": 9, "thinking": {"type": "adaptive"}}),
    ],
)
def test_a_request_of_another_shape_is_refused_in_a_sentence(path: str, body: Any) -> None:
    behind = Behind(ChatReply("Hi."))

    async def work(url: str, key: str) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                f"{url}/v1/{path}",
                json={"model": "m", **body},
                headers={"authorization": f"Bearer {key}"},
            ) as answer,
        ):
            return answer.status, (await answer.json())["error"]["message"]

    status, sentence = by(behind, work)
    assert status == 400
    assert len(sentence) > 20
    assert behind.asked == []
