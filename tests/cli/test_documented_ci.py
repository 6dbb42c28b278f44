"""docs/ci.md and its workflow: every command, as a CI service would run them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

from cli.conftest import Sociolab
from sociolab.endpoint.server import start_in_thread
from sociolab.endpoint.settings import EndpointSettings

DOCS = Path(__file__).parents[2] / "docs"
PRICES = '[prices."openai/gpt-4o-mini"]\ninput = 0.15\noutput = 0.6\n'


def commands(text: str) -> list[list[str]]:
    lines = re.findall(r"^\s*(?:run: )?sociolab (.*)$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def test_baseline_gates_and_workflow_run_as_they_are_written(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    agent = re.search(r"```python\n(# my_agent\.py.*?)```", (DOCS / "agents.md").read_text(), re.S)
    assert agent is not None
    (tmp_path / "my_agent.py").write_text(agent[1], "utf-8")
    (tmp_path / "models.toml").write_text(PRICES, "utf-8")
    written = commands((DOCS / "ci.md").read_text("utf-8"))
    workflow = commands((DOCS / "examples" / "social-gate.yml").read_text("utf-8"))
    assert workflow == written[2:]  # what a reader is told is what the workflow does
    with start_in_thread(EndpointSettings(seed=3)) as server:
        for command in written:
            done = sociolab(*command, OPENAI_BASE_URL=server.url)
            assert done.code == 0, (command, done.err)
    for name, suite in (("compare.xml", "compare new baseline"), ("floor.xml", "report new")):
        found = ElementTree.parse(tmp_path / name).getroot()
        assert found.attrib["name"] == f"sociolab {suite}"
        assert found.attrib["failures"] == "0"
