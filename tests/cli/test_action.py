"""The GitHub Action, its steps run by bash as a runner would, and the workflows beside it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from cli.conftest import environment
from sociolab import __version__

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SCRIPTS = [step for step in ACTION["runs"]["steps"] if "sociolab " in step.get("run", "")]
"""The steps after the installation: play, compare, hold against the floor."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's repository with two bargainers, and a `sociolab` on the path."""
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    block = re.search(r"```python\n(# my_bargainer\.py.*?)```", page, re.DOTALL)
    assert block is not None
    (tmp_path / "my_bargainer.py").write_text(block[1], "utf-8")
    shutil.copy(tmp_path / "my_bargainer.py", tmp_path / "my_partner.py")
    command = tmp_path / "bin" / "sociolab"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m sociolab "$@"\n')
    command.chmod(0o755)
    return tmp_path


def act(folder: Path, **inputs: str) -> list[int]:
    """Run the steps; an input that is not named has its default. The exit code of each."""
    values = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    values |= {name.replace("_", "-"): text for name, text in inputs.items()}

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)

    base = environment(folder)
    base["PATH"] = os.pathsep.join([str(folder / "bin"), base["PATH"]])
    return [
        subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=base | {name: filled(text) for name, text in step["env"].items()},
            check=False,
            timeout=120,
        ).returncode
        for step in SCRIPTS
        if "baseline" not in step.get("if", "") or values["baseline"]
        if "floor" not in step.get("if", "") or values["floor"]
    ]


def test_a_floor_that_is_not_reached_fails_and_names_transcripts(folder: Path) -> None:
    seats = {"agent": "python:my_bargainer:Bargainer", "partner": "python:my_partner:Bargainer"}
    options = "--tasks bargain --limit 8 --seed 1"
    codes = act(folder, **seats, options=options, floor="goal_checked<9\ngoal_checked<0.1\n")
    assert codes == [0, 1]
    suite = ElementTree.parse(folder / "social-gate" / "floor.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    named = re.findall(r"sociolab show (\w+)$", failure.text or "", re.MULTILINE)
    assert 0 < len(named) <= 10
    shown = subprocess.run(
        [folder / "bin" / "sociolab", "show", named[0], "--store", "social-gate/gate.db"],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "goal (checked)" in shown.stdout
    bundle = [str(folder / "bin" / "sociolab"), "export", "new", "baseline.zip"]
    subprocess.run(
        [*bundle, "--store", "social-gate/gate.db"],
        cwd=folder,
        env=environment(folder),
        check=True,
        capture_output=True,
    )
    shutil.rmtree(folder / "social-gate")
    # The same agent again is not worse than itself.
    accepted = {"accept_failed_exam": "true", "baseline": "baseline.zip"}
    assert act(folder, **seats, options=options, **accepted, fail_if="goal_checked<-3") == [0, 0]
    assert (folder / "social-gate" / "compare.html").is_file()


def test_no_input_is_pasted_into_a_script() -> None:
    """What a pull request names must not become a command."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def workflows() -> list[Any]:
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    return [yaml.safe_load(file.read_text("utf-8")) for file in files]


def test_workflows_ask_for_no_more_than_they_need_and_every_job_has_steps() -> None:
    assert [flow["name"] for flow in workflows()] == ["publish", "test"]
    for flow in workflows():
        assert flow["permissions"] == {"contents": "read"}
        for job in flow["jobs"].values():
            assert all(("run" in step) != ("uses" in step) for step in job["steps"])


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert project["version"] == cited["version"] == __version__
    assert project["license"] == " AND ".join(cited["license"])
    assert f"## {__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")
