"""What docs/import-dnd.md shows can be read, and its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sociolab.worlds.anteval.importing.crd3 import HAND_CHECK, hand_checked
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.importing.transcript import read_transcript
from sociolab.worlds.anteval.virtual_dm.example import DM

PAGE = (Path(__file__).parents[4] / "docs" / "import-dnd.md").read_text("utf-8")


def block(after: str) -> str:
    """The first block of code after a heading."""
    found = re.search(r"```\w*\n(.*?)```", PAGE[PAGE.index(after) :], re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("heading", "name"),
    [("## The open format", "play.jsonl"), ("## A transcript of your own", "play.txt")],
)
def test_what_the_page_shows_can_be_read(tmp_path: Path, heading: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(block(heading))
    (example,) = read_transcript(path) if name.endswith("txt") else read_examples(path)
    assert example.labels == {("Sorrel", "perception")}
    assert example.turns[0].speaker == DM
    assert example.strict


def test_the_page_tells_the_precision_of_the_hand_check() -> None:
    right, read = HAND_CHECK
    assert f"{right} of {read} examples have no wrong label" in PAGE
    share, low, high = re.findall(r"([0-9.]+)%", hand_checked())
    assert f"{share} %" in PAGE
    assert f"{low} to {high} %" in PAGE
