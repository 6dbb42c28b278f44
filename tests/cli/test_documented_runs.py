"""Every command of docs/runs.md, as they stand there, and what the page says of flags and codes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from cli.conftest import Sociolab

PAGE = (Path(__file__).parents[2] / "docs" / "runs.md").read_text("utf-8")


def commands() -> list[str]:
    """The lines of the page's shell blocks."""
    return [
        line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
        for line in block.splitlines()
    ]  # fmt: skip


def test_every_command_works_in_the_order_in_which_it_stands(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (described,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "run.toml").write_text(described, "utf-8")
    assert len(commands()) == 19
    told: dict[str, str] = {}
    for line in commands():
        program, *args = shlex.split(line)
        assert program == "sociolab"
        done = sociolab(*args)
        assert done.code == 0, (line, done.err)
        told[line] = done.out + done.err
    assert "name smaller instead of from-a-file; limit 2 instead of 4" in " ".join(
        one for line, one in told.items() if "smaller" in line and "--file" in line
    )
    assert told["sociolab tag smaller short second"] == "smaller: pilot, short, second\n"
    runs = json.loads(sociolab("list", "--json").out)["runs"]
    assert [run["run"] for run in runs] == ["trial-run", "from-a-file"]
    assert [run["played"] for run in runs] == [3, 4]


def test_the_exit_codes_are_those_of_the_page(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "class Broken:\n    async def reply(self, request, memory):\n        raise OSError\n",
        "utf-8",
    )
    codes = [
        sociolab("run", "sotopia", "--limit", 1, "--agent", agent, "--name", name).code
        for name, agent in (("a", "scripted"), ("b", "python:broken:Broken"), ("c", "nobody"))
    ]
    assert codes == [0, 1, 2]
    assert re.findall(r"(?m)^\| (\d+) \|", PAGE) == ["0", "1", "2", "130", "143"]


def test_the_store_is_where_the_page_says(sociolab: Sociolab, tmp_path: Path) -> None:
    home, own = tmp_path / "lab", tmp_path / "own.db"
    for number, (variables, store) in enumerate((
        ({}, home / "store.db"), ({"SOCIOLAB_STORE": str(own)}, own),
    )):  # fmt: skip
        done = sociolab("run", "sotopia", "--limit", 1, "--name", f"r{number}", **variables)
        assert done.code == 0
        assert store.exists()
