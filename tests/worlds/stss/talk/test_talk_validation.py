"""The judge of conversations beside labels: by condition, in the talk and in the note."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fake_models import FakeModel
from sociolab.core import Labelled, PointAnswer
from sociolab.worlds.stss.talk.model_judge import read_labelled

SET = Path(__file__).parents[4] / "validation" / "stss-talk"
ROWS = [
    json.loads(path.read_text("utf-8").split("\n")[line])
    for path in sorted(SET.glob("*.jsonl"))
    for line in (0, -2)
]
"""The first and the last row of each file."""


def sheet(labels: dict[str, bool], quote: str) -> str:
    """The reply of a judge that goes by the labels."""
    marks = {
        f"statement_{number}": {"quote": quote if met else "", "met": met}
        for number, met in enumerate(labels.values(), 1)
    }
    return json.dumps(marks)


def asked(item: Labelled, *replies: str) -> tuple[PointAnswer, ...]:
    return asyncio.run(item.ask(FakeModel(*replies)))


def replies(row: dict[str, Any]) -> list[str]:
    """By the labels, quoting the first line, and the note as a whole."""
    found = []
    if row.get("lines"):
        found.append(sheet(row["labels"], row["lines"][0][1]))
    if row.get("note"):
        found.append(sheet(row["note_labels"], row["note"].split("\n")[0]))
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_whoever_goes_by_the_labels_is_right_in_all(row: dict[str, Any]) -> None:
    item = read_labelled(row, "unnamed")
    answers = asked(item, *replies(row))
    assert [answer.text for answer in answers] == [point.right[0] for point in item.points]
    wanted = [*row.get("labels", {}).values(), *row.get("note_labels", {}).values()]
    assert [answer.text == "met" for answer in answers] == wanted
    assert all(answer.evidence for answer in answers if answer.text == "met")


def test_an_invented_quote_fails_its_level_and_leaves_the_other() -> None:
    row = next(row for row in ROWS if row.get("note") and row.get("lines"))
    item, (_, note) = read_labelled(row, "unnamed"), replies(row)
    invented = sheet(dict.fromkeys(row["labels"], True), "words that nobody said there")
    answers = asked(item, invented, invented, invented, note)
    count = len(row["labels"])
    assert [answer.text for answer in answers[:count]] == [None] * count
    assert {answer.text for answer in answers[count:]} <= {"met", "not met"}


def test_the_labels_make_the_scores_of_the_world() -> None:
    for row in ROWS:
        item = read_labelled(row, "unnamed")
        if not (row.get("note") and row.get("lines")):
            assert item.expected == ()
            continue
        (scores,) = item.expected
        values = {score.measure.name: getattr(score, "value", None) for score in scores}
        met, noted = list(row["labels"].values()), list(row["note_labels"].values())
        assert values == {
            "conversation_sr": float(all(met)),
            "conversation_gcsr": sum(met) / len(met),
            "summary_sr": float(all(noted)),
            "summary_gcsr": sum(noted) / len(noted),
        }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"labels": {"invited": True}}, "expected labels of"),
        ({"performer": {"id": "nobody"}}, 'residents of Alderbrook, found "nobody"'),
        ({"lines": [], "note": ""}, "lines with labels, or a note with note_labels"),
    ],
)
def test_what_is_wrong_with_a_row_is_told(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_labelled(ROWS[0] | change, "unnamed")
