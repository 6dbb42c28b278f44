"""Tools in prompts and replies: as they are sent, read, stored and found again."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic.types
import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter
from typer.testing import CliRunner

from sociolab.agents import Message, ToolCall, ToolDefinition
from sociolab.cli.main import app
from sociolab.core import CallKey, ChatReply, Prompt
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.models import Endpoint, EndpointSpec, reply_key
from sociolab.models.messages import endpoint as messages_endpoint, message_body
from sociolab.models.wire import Quirks, body_of
from sociolab.store import Store

PRICE = {
    "type": "object",
    "properties": {"price": {"type": "integer", "minimum": 3, "maximum": 9}},
    "required": ["price"],
    "additionalProperties": False,
}
OFFER = ToolDefinition("offer", "Make an offer.", json.dumps(PRICE))
STRICT = replace(OFFER, strict=True)
CALL = ToolCall("call_1", "offer", '{"price": 4}')
ASKED = (Message("system", "You sell."), Message("user", "What for?"))
ANSWERED = (*ASKED, Message("assistant", "", (CALL,)), Message("tool", "noted", answers="call_1"))


def test_a_chat_completion_has_tools_as_openai_types_them() -> None:
    body = json.loads(body_of("m", Prompt(ANSWERED, tools=(OFFER,), tool_choice="offer"), Quirks()))
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(body["messages"])
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(body["tools"])
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"price": 4}'
    assert body["messages"][3] == {"role": "tool", "content": "noted", "tool_call_id": "call_1"}
    assert body["tool_choice"] == {"type": "function", "function": {"name": "offer"}}
    assert "tools" not in json.loads(body_of("m", Prompt(ASKED), Quirks()))
    assert "strict" not in body["tools"][0]["function"]
    strict = json.loads(body_of("m", Prompt(ASKED, tools=(STRICT,)), Quirks()))
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(strict["tools"])
    assert strict["tools"][0]["function"]["strict"] is True


def test_a_message_has_tools_as_anthropic_types_them() -> None:
    prompt = Prompt(ANSWERED, None, None, 90, tools=(OFFER,), tool_choice="required")
    body = json.loads(message_body("m", prompt, Quirks(), {}))
    TypeAdapter(list[anthropic.types.MessageParam]).validate_python(body["messages"])
    TypeAdapter(list[anthropic.types.ToolParam]).validate_python(body["tools"])
    assert body["messages"][1]["content"] == [
        {"type": "tool_use", "id": "call_1", "name": "offer", "input": {"price": 4}}
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "call_1", "content": "noted"}
    ]
    assert body["tool_choice"] == {"type": "any"}
    assert "strict" not in body["tools"][0]
    strict = json.loads(message_body("m", replace(prompt, tools=(STRICT,)), Quirks(), {}))
    assert strict["tools"][0]["strict"] is True


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_model_asks_for_a_tool_and_answers_its_result(provider: str) -> None:
    async def ask(url: str) -> tuple[ChatReply, ChatReply]:
        spec = EndpointSpec(name="lab", base_url=url)
        async with (Endpoint if provider == "openai" else messages_endpoint)(spec) as endpoint:
            model = endpoint.model("m")
            key = CallKey("t", "agent", "s", 0, "act", 1)
            first = await model.complete(Prompt(ASKED, tools=(OFFER,)), key)
            (call,) = first.calls
            then = (*ASKED, Message("assistant", first.text, first.calls),
                    Message("tool", "noted", answers=call.id))  # fmt: skip
            return first, await model.complete(Prompt(then, tools=(OFFER,)), key)

    with start_in_thread(EndpointSettings()) as server:
        first, second = asyncio.run(ask(server.url))
    assert first.calls[0].name == "offer"
    assert 3 <= json.loads(first.calls[0].arguments)["price"] <= 9
    assert not second.calls
    assert len(second.text) > 20


@pytest.mark.parametrize(
    "other",
    [
        Prompt(ASKED, tools=(ToolDefinition("offer", "Make one.", OFFER.parameters),)),
        Prompt(ASKED, tools=(STRICT,)),
        Prompt(ASKED, tools=(OFFER,), tool_choice="none"),
        Prompt(ASKED, tools=(OFFER,), options=(("top_p", "0.5"),)),
        Prompt(ANSWERED, tools=(OFFER,)),
        Prompt(ASKED),
    ],
)
def test_another_tool_choice_or_result_is_another_call(other: Prompt) -> None:
    key = CallKey("t", "agent", "s", 0, "act", 1)
    one = reply_key("http://a", "m", Prompt(ASKED, tools=(OFFER,)), key)
    assert reply_key("http://a", "m", other, key) != one


HAGGLER = """
import json
from sociolab import AgentModels
from sociolab.agents import Action, Message, NoReply, Question, Reply, ToolDefinition

PRICE = {"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]}
OFFER = ToolDefinition("offer", "Make an offer.", json.dumps(PRICE))

class Haggler:
    def __init__(self, models: AgentModels) -> None:
        self.models = models

    async def reply(self, request, memory):
        if isinstance(request.expected, Question):
            return NoReply("gave up", "no answer", again=False)
        said = [Message("user", request.observation.head)]
        reply = await self.models.chat("openai/m", said, tools=[OFFER])
        said += [Message("assistant", reply.text, reply.calls),
                 Message("tool", "noted", answers=reply.calls[0].id)]
        words = await self.models.chat("openai/m", said, tools=[OFFER])
        return Reply((Action("speak", words.text),))
"""


def test_tools_of_an_agent_are_kept_in_the_store_and_wherever_it_is_carried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    Path("tool_haggler.py").write_text(HAGGLER, "utf-8")

    def lab(*arguments: str) -> str:
        result = CliRunner().invoke(app, [*arguments])
        assert result.exit_code == 0, result.output
        return result.output

    def calls(store: str) -> list[Any]:
        with Store.open(Path(store)) as opened:
            return [
                (row.key, row.reply.calls, prompt) for row, prompt in opened.calls.with_prompts("h")
            ]

    with start_in_thread(EndpointSettings()) as server:
        lab("run", "sotopia", "--agent", "python:tool_haggler:Haggler", "--partner", "scripted",
            "--judge", "none", "--limit", "1", "--base-url", server.url, "--name", "h",
            "--set", "turns=4", "--store", "lab.db")  # fmt: skip
    kept = calls("lab.db")
    assert {len(asked) for _, asked, _ in kept} == {0, 1}
    assert all(prompt.tools == (OFFER_AS_SENT,) for _, _, prompt in kept)
    answered = [prompt for _, asked, prompt in kept if not asked]
    assert all(prompt.messages[1].calls and prompt.messages[2].answers for prompt in answered)
    with Store.open(Path("lab.db")) as opened:
        trial = opened.trial_ids("h")[0]
    shown = lab("show", trial, "--prompts", "--store", "lab.db")
    assert shown.count("(calls the tool offer: {") >= 2, "as a reply, and in the prompt after it"
    lab("store", "check", "--store", "lab.db")
    lab("export", "h", "h.zip", "--store", "lab.db")
    lab("import", "run", "h.zip", "--store", "other.db")
    assert calls("other.db") == kept
    lab("store", "merge", "third.db", "lab.db")
    assert calls("third.db") == kept


OFFER_AS_SENT = ToolDefinition(
    "offer",
    "Make an offer.",
    '{"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]}',
)


def test_a_message_takes_broken_arguments_and_one_call_at_a_time() -> None:
    broken = Message("assistant", "", (ToolCall("call_1", "offer", '{"price": '),))
    prompt = Prompt(
        (*ASKED, broken, ANSWERED[-1]),
        None,
        None,
        90,
        tools=(OFFER,),
        options=(("parallel_tool_calls", "false"), ("stop", '["x"]')),
    )
    body = json.loads(message_body("m", prompt, Quirks(), {}))
    assert body["messages"][1]["content"][0]["input"] == {}
    assert body["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}
    assert body["stop_sequences"] == ["x"]
    assert "parallel_tool_calls" not in body
