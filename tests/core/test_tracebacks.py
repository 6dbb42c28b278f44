"""An error of somebody's code on one line, with the place in their file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sociolab.core import Measure, WorldError, describe_error


class Learned(BaseModel):
    facts: list[str]


def raised(folder: Path, body: str) -> str:
    """What is told of a function with this body, in a file of its own."""
    text = f"def work(Learned, Measure, json):\n    {body}\n"
    space: dict[str, Any] = {}
    exec(compile(text, str(folder / "mine.py"), "exec"), space)
    try:
        space["work"](Learned, Measure, json)
    except Exception as error:  # noqa: BLE001  whatever it is
        return describe_error(error)
    raise AssertionError("nothing was raised")


def test_the_place_is_the_line_of_the_users_file(tmp_path: Path) -> None:
    assert raised(tmp_path, "{}['x']") == "KeyError: 'x' (mine.py, line 2, in work)"


def test_it_is_the_users_line_also_where_a_library_raised(tmp_path: Path) -> None:
    assert raised(tmp_path, "json.loads('?')").endswith("(mine.py, line 2, in work)")
    assert raised(tmp_path, "Measure('m', 1, 1)").endswith("(mine.py, line 2, in work)")


def test_a_wrong_record_is_told_field_by_field_on_one_line(tmp_path: Path) -> None:
    assert raised(tmp_path, "Learned(points=[])") == (
        "ValidationError: Learned: facts: Field required (mine.py, line 2, in work)"
    )


def test_several_lines_become_one(tmp_path: Path) -> None:
    said = raised(tmp_path, r"raise ValueError('one\n  two')")
    assert said == "ValueError: one two (mine.py, line 2, in work)"


def test_an_error_without_words_or_place_is_its_name() -> None:
    assert describe_error(WorldError()) == "WorldError"


def test_a_syntax_error_names_its_own_place(tmp_path: Path) -> None:
    assert raised(tmp_path, "compile('a b', 'other.py', 'exec')").endswith("(other.py, line 1)")
