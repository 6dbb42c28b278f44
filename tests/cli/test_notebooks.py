"""Every notebook of the documents, cell by cell, and that the output kept in it is what comes out.

Cells run as they do in Jupyter, in one namespace that is `__main__`, yet without Jupyter: what a
cell prints and the value of its last line are taken down here. Whoever means a change writes them
anew: `SOCIOLAB_GOLDEN=write pytest tests/cli/test_notebooks.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import environment

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
REWRITE = os.environ.get("SOCIOLAB_GOLDEN") == "write"
LARGEST = 60_000
"""Bytes of a notebook: what is kept stays readable in a diff."""

KERNEL = """
import ast, io, json, linecache, sys
from contextlib import redirect_stdout

def cell(number, source, space):
    name = f"<cell {number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    tree, last, printed = ast.parse(source), None, io.StringIO()
    if isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), name, "eval")
    with redirect_stdout(printed):
        exec(compile(tree, name, "exec"), space)
        value = eval(last, space) if last else None
    draw = getattr(value, "_repr_html_", None)
    html = {"text/html": draw()} if draw else {}
    return printed.getvalue(), {} if value is None else {**html, "text/plain": repr(value)}

def play(file):
    space = sys.modules["__main__"].__dict__
    return [cell(number, source, space) for number, source in enumerate(json.load(file))]

with open("cells.json", encoding="utf-8") as cells, open("outputs.json", "w") as outputs:
    json.dump(play(cells), outputs)
"""


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def outputs(number: int, printed: str, shown: dict[str, str]) -> list[dict[str, Any]]:
    """Outputs of the code cell with this number (from 1), as the notebook format has them."""
    data = {kind: lines(text) for kind, text in shown.items()}
    result = {"data": data, "execution_count": number, "metadata": {}}
    return [
        *([{"name": "stdout", "output_type": "stream", "text": lines(printed)}] if printed else []),
        *([{**result, "output_type": "execute_result"}] if shown else []),
    ]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_keeps_what_comes_out(file: Path, tmp_path: Path) -> None:
    notebook = json.loads(file.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    (tmp_path / "cells.json").write_text(json.dumps(sources), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", KERNEL],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "outputs.json").read_text("utf-8"))
    for number, (cell, (printed, shown)) in enumerate(zip(cells, found, strict=True), 1):
        made = outputs(number, printed, shown)
        if REWRITE:
            cell["outputs"], cell["execution_count"] = made, number
        assert (cell["execution_count"], cell["outputs"]) == (number, made), sources[number - 1]
    if REWRITE:
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


def test_there_are_three_and_they_stay_small() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["compare-agents", "first-study", "own-agent"]
    assert {file.stem for file in NOTEBOOKS if file.stat().st_size > LARGEST} == set()


def test_the_page_links_to_each() -> None:
    page = (FOLDER.parent / "python.md").read_text("utf-8")
    assert [file.stem for file in NOTEBOOKS if f"(notebooks/{file.name})" not in page] == []
