"""`sociolab mcp` in front of the MCP SDK's own client, over stdio: a study, a seat, refusals."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sociolab.endpoint import ChatBody, EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import open_store

mcp = pytest.importorskip("mcp")
streamable_http_client = pytest.importorskip("mcp.client.streamable_http").streamable_http_client

KEY = "sk-canary-0123456789abcdef"
READ_ONLY = {
    "list_worlds", "list_agents", "list_tasks", "budget", "price_run", "run_progress",
    "list_runs", "list_episodes", "report", "compare", "show",
}  # fmt: skip
SHORT = {"settings": {"turns": "4", "closing_question": "false"}}


def reply(chat: ChatBody) -> str:
    """As players, m leaves at once and n greets; as a judge, whoever said n's words gets 8 points
    for the goal, and others 2 to 4, by the scene."""
    if chat.model != "judge":
        words = f"Good morning from {chat.model}."
        leave, speak = {"action": "leave", "text": ""}, {"action": "speak", "text": words}
        return json.dumps(leave if chat.model == "m" else speak)
    story = chat.messages[-1].text
    scene = story.partition("# What happened")[0]
    sheets = {}
    for name, person in re.findall(r"(?m)^# (.+) \((person_\d)\)$", story):
        greeted = re.search(rf"{name}[^\n]*Good morning from n\.", story)
        sheet = {
            metric: {"reason": "as told", "score": 0}
            for metric in ("relationship", "knowledge", "secret", "social_rules", "financial")
        }
        goal = {"reason": "as told", "score": 8 if greeted else 2 + len(scene) % 3}
        believed = {"naturalness": "yes", "consistency": "yes", "score": 5}
        sheets[person] = {**sheet, "goal": goal, "believability": believed}
    return json.dumps(sheets)


@pytest.fixture
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(responder=reply, api_key=KEY)) as served:
        yield served


class Assistant:
    """A client's session, with tool calls as results or as one sentence of error."""

    def __init__(self, session: Any) -> None:
        self.session = session

    async def call(self, tool: str, **arguments: object) -> Any:
        result = await self.session.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    async def whole(self, tool: str, **arguments: object) -> str:
        """A text that comes in pages."""
        text, offset = "", 0
        while offset is not None:
            page = await self.call(tool, **arguments, offset=offset)
            text, offset = text + page["text"], page["next_offset"]
        return text

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self.session.call_tool(tool, arguments)
        assert result.is_error
        (content,) = result.content
        assert "\n" not in content.text
        assert "Traceback" not in content.text
        return str(content.text)


def environment(folder: Path) -> dict[str, str]:
    return {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "SOCIOLAB_HOME": str(folder / "lab"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LAB_KEY": KEY,
    }


@asynccontextmanager
async def connected(folder: Path, *options: str) -> AsyncIterator[Assistant]:
    command = ["-m", "sociolab", "mcp", "--store", str(folder / "lab.db"), *options]
    server = mcp.StdioServerParameters(
        command=sys.executable, args=command, env=environment(folder), cwd=folder
    )
    with (folder / "stderr").open("a") as errors:
        async with (
            mcp.stdio_client(server, errlog=errors) as (read, write),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            yield Assistant(session)


def talk(folder: Path, talking: Callable[[Assistant], Awaitable[Any]], *options: str) -> Any:
    async def main() -> Any:
        async with connected(folder, *options) as assistant:
            return await talking(assistant)

    return asyncio.run(main())


def priced(folder: Path, endpoint: EndpointServer, *models: str, usd: float = 10.0) -> list[str]:
    """Options for a server that knows these models of the endpoint, at so much a million tokens."""
    (folder / "models.toml").write_text(
        "".join(f'[prices."openai/{model}"]\ninput = {usd}\noutput = {usd}\n' for model in models)
    )
    return ["--models", str(folder / "models.toml"), "--base-url", endpoint.url,
            "--key-env", "LAB_KEY"]  # fmt: skip


async def finished(assistant: Assistant, run: str) -> Any:
    while (state := await assistant.call("run_progress", run=run, wait_seconds=60))[
        "state"
    ] == "running":
        pass
    return state


def test_a_tool_says_what_it_does_and_none_deletes(tmp_path: Path) -> None:
    async def talking(assistant: Assistant) -> Any:
        return (await assistant.session.list_tools()).tools

    tools = talk(tmp_path, talking)
    assert {tool.name for tool in tools if tool.annotations.read_only_hint} == READ_ONLY
    assert {tool.name for tool in tools} - READ_ONLY == {
        "start_run", "take_seat", "act", "leave_seat",
    }  # fmt: skip
    for tool in tools:
        assert tool.annotations.read_only_hint or not tool.annotations.destructive_hint
        assert len(tool.description) > 30
        assert tool.output_schema
        for argument in tool.input_schema["properties"]:
            assert not re.search("file|path|folder|url|key|store", argument)


def test_a_study_from_the_question_to_the_sentence_with_its_interval(
    tmp_path: Path, endpoint: EndpointServer
) -> None:
    """Which of two agents reaches more of its goal in the bargains?"""

    async def talking(assistant: Assistant) -> None:
        listed = await assistant.call("list_tasks", tasks="bargain")
        assert listed["total"] == 100
        assert listed["next_offset"] is None
        plan = {
            "agents": ["openai/m", "openai/n"],
            "partner": "scripted",
            "judges": ["openai/judge"],
            "tasks": "bargain",
            "limit": 8,
            **SHORT,
        }
        price = await assistant.call("price_run", plan=plan)
        assert price["episodes"] == 32
        assert 0 < price["usd_low"] < price["usd_high"]
        assert price["left"] == {"usd": 5, "episodes": 100}
        assert endpoint.counters.requests == 0
        begun = await assistant.call("start_run", plan=plan, name="talkers", budget=2)
        assert begun["episodes"] == 32
        state = await finished(assistant, "talkers")
        assert (state["state"], state["done"], state["failed"]) == ("done", 32, 0), str(state)
        assert 0 < state["usd"] < 2
        assert state["left"]["usd"] == pytest.approx(5 - state["usd"])
        assert state["left"]["episodes"] == 68
        compared = await assistant.call("compare", runs=["talkers"])
        verdict = compared["text"].splitlines()[1]
        assert verdict.startswith(
            "Smoke test (stand-in endpoint), not a result: B does better in Overall: "
            "A \N{MINUS SIGN} B = \N{MINUS SIGN}0.70 [\N{MINUS SIGN}0.81, \N{MINUS SIGN}0.60], "
            "p = 0.008 (A: openai/m; B: openai/n;"
        )
        document = json.loads(await assistant.whole("compare", runs=["talkers"], form="json"))
        assert document["schema"] == 1
        report = await assistant.call("report", run="talkers")
        assert "talkers" in report["text"]
        rows = (await assistant.call("list_episodes", run="talkers", agent="openai/n"))["rows"]
        shown = await assistant.call("show", run="talkers", episode=rows[0]["episode"])
        assert "Good morning from n." in shown["text"]
        assert [row["run"] for row in (await assistant.call("list_runs"))["rows"]] == ["talkers"]

    talk(
        tmp_path,
        talking,
        "--budget",
        "5",
        "--episodes",
        "100",
        *priced(tmp_path, endpoint, "m", "n", "judge"),
    )
    assert KEY not in (tmp_path / "stderr").read_text()


def test_a_seat_is_played_to_its_end(tmp_path: Path) -> None:
    async def talking(assistant: Assistant) -> None:
        tasks = (await assistant.call("list_tasks", tasks="bargain"))["rows"]
        seen = await assistant.call(
            "take_seat", task=tasks[0]["task"], partner="haggler:1", **SHORT
        )
        assert [message["role"] for message in seen["messages"]] == ["system", "user"]
        assert set(seen["reply_schema"]["properties"]) == {"action", "text"}
        told = await assistant.refused("act", episode=seen["episode"], reply="Hello there.")
        assert told == (
            'the reply cannot be used: expected a JSON object, found the text "Hello there."; '
            "act again"
        )
        offer = {"action": "speak", "text": "Would you pay $200?"}
        after = await assistant.call("act", episode=seen["episode"], reply=offer)
        assert [message["role"] for message in after["messages"]] == ["user"]
        assert seen["messages"][0]["content"] not in after["messages"][0]["content"]
        assert after["turn"] == 3
        last = await assistant.call(
            "act", episode=seen["episode"], reply={"action": "leave", "text": ""}
        )
        assert last["done"]
        assert "Would you pay $200?" in last["transcript"]
        gone = await assistant.refused("act", episode=seen["episode"], reply=offer)
        assert gone.startswith(f'no episode "{seen["episode"]}" is under way')
        other = await assistant.call("take_seat", seat=2)
        left = await assistant.call("leave_seat", episode=other["episode"])
        assert left == {"usd": 0, "episodes": 998}

    talk(tmp_path, talking)


def test_a_model_beside_a_seat_is_paid_from_the_budget(
    tmp_path: Path, endpoint: EndpointServer
) -> None:
    """A call takes more than a thousand tokens, at $10 a million: the second one cannot be paid."""

    async def talking(assistant: Assistant) -> None:
        hello = {"action": "speak", "text": "Hello."}
        seen = await assistant.call("take_seat", partner="openai/n", budget=3, **SHORT)
        assert (await assistant.call("budget")) == {"usd": 2, "episodes": 999}
        while not seen["done"]:
            seen = await assistant.call("act", episode=seen["episode"], reply=hello)
        assert "Good morning from n." in seen["transcript"]
        left = await assistant.call("budget")
        assert 4.9 < left["usd"] < 5
        seen = await assistant.call("take_seat", partner="openai/n", budget=0.001, **SHORT)
        told = await assistant.refused("act", episode=seen["episode"], reply=hello)
        assert told.startswith("the budget of $0.001")
        assert (await assistant.call("budget")) == {**left, "episodes": 998}

    talk(tmp_path, talking, "--budget", "5", *priced(tmp_path, endpoint, "n"))


def test_what_is_refused_is_told_in_a_sentence(tmp_path: Path, endpoint: EndpointServer) -> None:
    plan = {"agents": ["openai/m"], "partner": "scripted", "judges": ["none"], "limit": 2, **SHORT}

    async def talking(assistant: Assistant) -> None:
        refused = assistant.refused
        assert (await refused("take_seat", task="bargain-99")).startswith(
            'there is no task "bargain-99" in sotopia'
        )
        assert "chess" in await refused("list_tasks", world="chess")
        told = await refused("start_run", plan=plan)
        assert re.fullmatch(
            r"refused: this would cost \$\S+ or more, and \$0\.00 of the server's budget of "
            r"\$0\.00 is left beside what is under way; .*--budget",
            told,
        )
        told = await refused("start_run", plan={"limit": 11})
        assert "11 episodes would be played, and 10 of the 10" in told
        assert "$1.00 was asked for" in await refused("start_run", plan=plan, budget=1)
        for spec in ("python:os:system", "bridge:rm -rf x", "http://127.0.0.1:1/act", "human"):
            assert "--allow" in await refused("start_run", plan={"agents": [spec]})
            assert "--allow" in await refused("take_seat", partner=spec)
        assert "imported data set" in await refused("price_run", plan={"data": "/etc"})
        secret = {"settings": {"prompts": "/etc/passwd"}}
        assert "no path" in await refused("price_run", plan=secret)
        assert "no path" in await refused("take_seat", **secret)
        assert "base_url" in await refused("price_run", plan={"base_url": "http://x"})
        assert 'no argument "judges"' in await refused("take_seat", judges="none")
        assert "repeats" in await refused("price_run", plan={"repeats": 0})
        assert "there is no store" in await refused("report", run="nothing")
        assert (await assistant.call("budget")) == {"usd": 0, "episodes": 10}

    talk(tmp_path, talking, "--episodes", "10", *priced(tmp_path, endpoint, "m"))
    assert endpoint.counters.requests == 0


def test_a_model_without_a_price_is_refused(tmp_path: Path, endpoint: EndpointServer) -> None:
    plan = {"agents": ["openai/x"], "partner": "scripted", "judges": ["none"], "limit": 2}

    async def talking(assistant: Assistant) -> None:
        assert "no price is known" in await assistant.refused("start_run", plan=plan)
        assert "no price is known" in await assistant.refused("take_seat", partner="openai/x")

    talk(tmp_path, talking, "--budget", "5", *priced(tmp_path, endpoint, "m"))


def test_a_run_whose_client_goes_away_is_resumed_by_the_command_line(tmp_path: Path) -> None:
    """The endpoint answers five calls, each of which ends an episode, and no more for now."""
    opened, calls = threading.Event(), list[str]()

    def answer(chat: ChatBody) -> str:
        if len(calls) >= 5:
            opened.wait()
        calls.append(chat.model)
        return reply(chat)

    plan = {"agents": ["openai/m"], "partner": "scripted", "judges": ["none"], "limit": 8, **SHORT}

    async def talking(assistant: Assistant) -> Any:
        begun = await assistant.call("start_run", plan=plan, name="first")
        while (state := await assistant.call("run_progress", run="first"))["done"] < 5:
            assert state["state"] == "running", state["why"]
        told = await assistant.refused("start_run", plan=plan, name="first")
        assert told == 'the run "first" is under way; run_progress follows it'
        return begun["file"]

    with start_in_thread(EndpointSettings(responder=answer)) as endpoint:
        options = priced(tmp_path, endpoint, "m")
        file = talk(tmp_path, talking, "--budget", "5", *options)
        assert "first stopped at 5 of 16 episodes" in (tmp_path / "stderr").read_text()
        with open_store(tmp_path / "lab.db") as store:
            early = {row.trial.id for row in store.trials("first") if row.status == "played"}
            assert len(early) == 5
        opened.set()
        (tmp_path / "run.toml").write_text(file)
        command = [sys.executable, "-m", "sociolab", "run", "--file", "run.toml", "--json"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["played"] == 16

    async def again(assistant: Assistant) -> None:
        state = await assistant.call("run_progress", run="first")
        assert (state["state"], state["done"]) == ("done", 16)

    talk(tmp_path, again)


def test_a_user_s_own_code_plays_where_it_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text(
        "from sociolab.agents import Action, Reply\n"
        "class Leaver:\n"
        "    async def reply(self, request, memory):\n"
        "        return Reply((Action('leave'),))\n"
    )
    spec = "python:my_agent:Leaver"

    async def talking(assistant: Assistant) -> None:
        rows = (await assistant.call("list_agents"))["rows"]
        assert (rows[0]["agent"], rows[0]["from"]) == (spec, "allowed")
        assert {"scripted", "haggler:1", "openai/MODEL"} < {row["agent"] for row in rows}
        assert "human" not in {row["agent"] for row in rows}
        plan = {"agents": [spec], "partner": "scripted", "limit": 1, **SHORT}
        await assistant.call("start_run", plan=plan, name="own")
        assert (await finished(assistant, "own"))["state"] == "done"
        seen = await assistant.call("take_seat", partner=spec, seat=2)
        assert seen["done"]

    talk(tmp_path, talking, "--allow", spec)


def test_no_secret_is_returned(tmp_path: Path) -> None:
    async def talking(assistant: Assistant) -> None:
        told = await assistant.refused("take_seat", task=KEY)
        assert 'there is no task "[secret]"' in told

    talk(tmp_path, talking)


def test_a_long_text_comes_in_pages(tmp_path: Path) -> None:
    async def talking(assistant: Assistant) -> None:
        await assistant.call("start_run", plan={"limit": 3}, name="first")
        await finished(assistant, "first")
        first = await assistant.call("report", run="first", form="json")
        assert len(first["text"]) <= 16_000 <= first["next_offset"] + 1_000
        whole = await assistant.whole("report", run="first", form="json")
        assert whole.startswith(first["text"])
        assert len(whole) == first["total_characters"] > 16_000
        assert json.loads(whole)["run"] == "first"

    talk(tmp_path, talking)


def test_the_same_tools_are_served_over_http(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sociolab", "mcp", "--http", "0"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+/mcp) serves MCP", line)
        assert found, line + process.stderr.read()

        async def main() -> None:
            async with (
                streamable_http_client(found[1]) as (read, write, *_),
                mcp.ClientSession(read, write) as session,
            ):
                await session.initialize()
                worlds = await Assistant(session).call("list_worlds")
                assert "sotopia" in {row["world"] for row in worlds["rows"]}

        asyncio.run(main())
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()
