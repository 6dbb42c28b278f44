"""Every command and program of docs/training.md, as they stand there, and what they print."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Sociolab, environment
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from training_cases import lines

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
URL = "http://127.0.0.1:8000/v1"
PROGRAMS = re.findall(r"```python\n# (\w+\.py)\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


def commands() -> list[str]:
    """The lines of the page's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_every_command_works_in_the_order_in_which_it_stands(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    assert len(commands()) == 6
    for line in commands():
        program, *args = shlex.split(line.replace(URL, endpoint.url))
        assert program == "sociolab"
        done = sociolab(*args)
        assert done.code == 0, (line, done.err)
    rows: list[Any] = lines(tmp_path / "turns.jsonl")
    section = PAGE[PAGE.index("### turns") : PAGE.index("### sft")]
    documented = re.findall(r"(?m)^\| (`.*?`) \|", section)
    fields = re.findall(r"`(\w+)`", " ".join(documented))
    assert [name for name in fields if name in rows[0]] == fields[: len(rows[0])]
    assert set(rows[0]) <= set(fields)
    chats: list[Any] = lines(tmp_path / "sft.jsonl")
    assert min(chat["metadata"]["rewards"]["goal_checked"] for chat in chats) >= 2
    parts = []
    for part in ("train", "heldout"):
        with gzip.open(tmp_path / f"whole.{part}.jsonl.gz", "rt", encoding="utf-8") as text:
            parts.append({json.loads(line)["metadata"]["scenario"] for line in text})
    assert not parts[0] & parts[1]
    assert set(lines(tmp_path / "pairs.jsonl")[0]) == {"prompt", "chosen", "rejected", "metadata"}


@pytest.mark.parametrize(("name", "program", "printed"), PROGRAMS, ids=lambda value: value[:8])
def test_every_program_prints_what_stands_there(
    name: str, program: str, printed: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, name],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed


def test_all_programs_of_the_page_are_run() -> None:
    assert [name for name, _, _ in PROGRAMS] == ["steps.py", "learn.py"]
    others = "the others are run by the tests of arenas, PettingZoo and TRL"
    assert PAGE.count("```python") == 5, others
