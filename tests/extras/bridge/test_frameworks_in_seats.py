"""Agents of frameworks, as their users would write them, take seats in whole episodes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sociolab.cli.main import app
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.store import Store

if importlib.util.find_spec("langgraph") is None:
    pytest.skip("the frameworks are an extra of their own", allow_module_level=True)

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"

OPENAI = """
import json, os, sys
from openai import OpenAI
client = OpenAI()
for line in sys.stdin:
    seen = json.loads(line)
    schema = {"name": "reply", "schema": seen["schema"]}
    reply = client.chat.completions.create(
        model=os.environ["SOCIOLAB_MODEL"], messages=seen["messages"],
        response_format={"type": "json_schema", "json_schema": schema},
    )
    print(reply.choices[0].message.content, flush=True)
"""


def play(world: str, agent: Path, folder: Path, *arguments: str) -> tuple[int, int, int]:
    """Episodes that were completed, calls of the run, and requests that the model's server saw."""
    store = folder / "lab.db"
    with start_in_thread(EndpointSettings()) as endpoint:
        result = CliRunner().invoke(
            app,
            ["run", world, "--agent", f"bridge:{sys.executable} {agent}?model=openai/m",
             "--judge", "none", "--base-url", endpoint.url, "--name", "b", "--store", str(store),
             *arguments],
            env={"OPENAI_API_KEY": "x"},
        )  # fmt: skip
        asked = endpoint.counters.requests
    assert result.exit_code == 0, result.output
    with Store.open(store) as opened:
        played = sum(row.status == "played" for row in opened.trials("b"))
        return played, len(list(opened.calls.all("b"))), asked


@pytest.mark.parametrize(
    "name",
    ["pydantic_ai_agent", "langgraph_agent", "openai_agents_agent", "anthropic_agent", "openai"],
)
def test_a_framework_plays_eight_episodes_of_sotopia(name: str, tmp_path: Path) -> None:
    agent = EXAMPLES / f"{name}.py"
    if name == "openai":
        agent = tmp_path / "my_program.py"
        agent.write_text(OPENAI, "utf-8")
    played, calls, asked = play(
        "sotopia", agent, tmp_path, "--partner", "scripted", "--limit", "4", "--set", "turns=6"
    )
    assert played == 8
    assert calls == asked >= 24


def test_a_program_performs_a_task_in_the_town(tmp_path: Path) -> None:
    agent = tmp_path / "my_program.py"
    agent.write_text(OPENAI, "utf-8")
    played, calls, asked = play("stss", agent, tmp_path, "--limit", "1", "--partner", "scripted")
    assert played == 1
    assert calls == asked >= 1
