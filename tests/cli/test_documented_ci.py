"""docs/ci.md and its workflow: every command, as a CI service would run them."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.conftest import Sociolab
from sociolab.endpoint import EndpointSettings, start_in_thread

DOCS = Path(__file__).parents[2] / "docs"
PRICES = '[prices."openai/gpt-4o-mini"]\ninput = 0.15\noutput = 0.6\n'


def commands(text: str) -> list[list[str]]:
    lines = re.findall(r"^\s*(?:run: )?sociolab (.*)$", text, re.MULTILINE)
    return [shlex.split(line) for line in lines]


@pytest.fixture(autouse=True)
def _agents(tmp_path: Path) -> None:
    """The agents of docs/agents.md, and the copy that docs/ci.md takes as partner."""
    page = (DOCS / "agents.md").read_text("utf-8")
    for name in ("my_agent", "my_bargainer"):
        block = re.search(rf"```python\n(# {name}\.py.*?)```", page, re.DOTALL)
        assert block is not None
        (tmp_path / f"{name}.py").write_text(block[1], "utf-8")
    assert "\ncp my_bargainer.py my_partner.py\n" in (DOCS / "ci.md").read_text("utf-8")
    shutil.copy(tmp_path / "my_bargainer.py", tmp_path / "my_partner.py")


def passed(name: Path) -> str:
    """The suite of a JUnit file in which nothing failed."""
    found = ElementTree.parse(name).getroot()
    assert (found.attrib["failures"], found.attrib["errors"]) == ("0", "0")
    return found.attrib["name"]


def test_baseline_gates_and_workflow_run_as_they_are_written(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "models.toml").write_text(PRICES, "utf-8")
    written = commands((DOCS / "ci.md").read_text("utf-8"))
    workflow = commands((DOCS / "examples" / "social-gate.yml").read_text("utf-8"))
    assert workflow == written[2:6]  # what a reader is told is what the workflow does
    with start_in_thread(EndpointSettings(seed=3)) as server:
        for command in written:
            done = sociolab(*command, OPENAI_BASE_URL=server.url)
            assert done.code == 0, (command, done.err)
    assert passed(tmp_path / "compare.xml") == "sociolab compare new baseline"
    assert passed(tmp_path / "floor.xml") == "sociolab report new"
    assert passed(tmp_path / "free.xml") == "sociolab report free"


def test_two_nights_pass_without_a_model(sociolab: Sociolab, tmp_path: Path) -> None:
    """The first night has no baseline yet; the second is compared with the first."""
    night = commands((DOCS / "examples" / "nightly-gate.yml").read_text("utf-8"))
    of_the_last = [one for one in night if "last" in one]
    assert [one[0] for one in of_the_last] == ["import", "compare"]
    for commands_of_night in ([one for one in night if one not in of_the_last], night):
        (tmp_path / "night.db").unlink(missing_ok=True)
        for command in commands_of_night:
            done = sociolab(*command)
            assert done.code == 0, (command, done.err)
            if command[0] == "run":
                assert "none (calls of own code are not counted)" in done.out
    assert passed(tmp_path / "compare.xml") == "sociolab compare new last"
