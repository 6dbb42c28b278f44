"""Every program of docs/python.md, as it stands there, in one folder, and what it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import pytest

from cli.conftest import environment
from sociolab import Progress
from sociolab.app import EPISODES, ModelCall
from sociolab.store import SCORES, TURNS

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text("utf-8")
PROGRAMS = re.findall(r"```python\n# (\w+\.py)\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)

NAMES = [name for name, _, _ in PROGRAMS]

MARK = "=== over ==="

DRIVER = f"""
import asyncio, linecache, runpy, sys

async def cell(source):
    name = "<cell>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), sys.modules["__main__"].__dict__)

for program in sys.argv[1:]:
    runpy.run_path(program, run_name="__main__")
    print({MARK!r})
with open("cell.py", encoding="utf-8") as file:
    asyncio.run(cell(file.read().replace('"polite"', '"in-a-notebook"')))
"""
"""Runs each program as a script, then a cell as a notebook does: in a running event loop, and in no
file. One process for all: each would take most of its time for imports."""


def test_every_program_prints_what_stands_there_and_a_cell_does_in_a_notebook(
    tmp_path: Path,
) -> None:
    for name, program, _ in PROGRAMS:
        (tmp_path / name).write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, *(name for name, _, _ in PROGRAMS)],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    printed = dict(zip((*NAMES, "a notebook"), done.stdout.split(f"{MARK}\n"), strict=True))
    wanted = {name: text for name, _, text in PROGRAMS}
    assert printed == {**wanted, "a notebook": wanted["cell.py"]}


def test_all_programs_of_the_page_are_run() -> None:
    assert " ".join(NAMES) == (
        "play.py cell.py look.py prompts.py tables.py conclude.py scenarios.py"
    )
    assert len(PROGRAMS) == PAGE.count("```python")


@pytest.mark.parametrize(
    ("title", "columns"),
    [("scores_table", SCORES), ("episodes_table", EPISODES), ("turns_table", TURNS)],
)
def test_every_column_is_told(title: str, columns: Iterable[str]) -> None:
    section = PAGE[PAGE.index(f"`{title}`: a row for") :]
    (table,) = re.findall(r"(?s)\| column \|.*?\n\n", section)[:1]
    named = [cell for row in re.findall(r"(?m)^\| (`.*?`) \|", table) for cell in row.split(", ")]
    assert [name.strip("`") for name in named] == list(columns)


def test_the_fields_of_what_is_handed_over_are_told() -> None:
    for kind in (Progress, ModelCall):
        for name in kind.__slots__:
            assert f"`{name}`" in PAGE, (kind, name)


def test_every_name_that_the_package_offers_is_in_the_documentation() -> None:
    pages = " ".join(
        page.read_text("utf-8") for page in (Path(__file__).parents[2] / "docs").glob("*.md")
    )
    for name in import_module("sociolab").__all__:
        assert name in pages or name == "__version__", name
