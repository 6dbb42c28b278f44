"""Talks and notes in free words, with what a reader finds in them (free_words.jsonl)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worlds.stss.talk import talk_rule_cases as cases

_ROWS = tuple(
    json.loads(row)
    for row in (Path(__file__).parent / "free_words.jsonl").read_text(encoding="utf-8").splitlines()
)
_TALKS = tuple(row for row in _ROWS if "talk" in row)
_NOTES = tuple(row for row in _ROWS if "note" in row)


@pytest.mark.parametrize("row", _TALKS, ids=[row["talk"][0][:40] for row in _TALKS])
def test_what_a_talk_in_free_words_tells(row: dict[str, Any]) -> None:
    task = getattr(cases, row["task"])
    here = "Post Office: counter room"
    found = cases.talked(task, "\n".join(row["talk"]), getattr(cases, row["now"]), here)
    assert found == row["met"]


@pytest.mark.parametrize("row", _NOTES, ids=[row["note"][:40] for row in _NOTES])
def test_what_a_note_in_free_words_says(row: dict[str, Any]) -> None:
    assert cases.noted(getattr(cases, row["task"]), row["note"]) == row["met"]
