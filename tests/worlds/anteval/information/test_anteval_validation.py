"""The judge of facts beside labelled pairs of a statement and a fact."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fake_models import FakeModel
from sociolab.core.ports import Labelled, PointAnswer
from sociolab.worlds.anteval.information.validation import NOT_STATED, STATED, labelled

SET = Path(__file__).parents[4] / "validation" / "anteval"
ROWS = [
    json.loads(path.read_text("utf-8").split("\n")[line])
    for path in sorted(SET.glob("*.jsonl"))
    for line in (0, -2)
]
"""The first and the last row of each file."""


def sheet(stated: bool, quote: str) -> str:
    line = {"fact": "f1", "stated": stated, "quote": quote if stated else ""}
    return json.dumps({"facts": [line], "beside": []})


def asked(item: Labelled, *replies: str) -> PointAnswer:
    (answer,) = asyncio.run(item.ask(FakeModel(*replies)))
    return answer


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_whoever_goes_by_the_label_is_right(number: int) -> None:
    row: dict[str, Any] = ROWS[number]
    item = labelled(row, "unnamed")
    same = row["label"] == "same"
    answer = asked(item, sheet(same, row["statement"]))
    assert (answer.text,) == item.points[0].right == (STATED if same else NOT_STATED,)
    ((score,),) = item.expected
    assert score.measure.name == "recall"
    assert score.value == float(same)  # type: ignore[union-attr]


def test_a_quote_that_is_not_in_the_statement_is_no_answer() -> None:
    invented = sheet(True, "words that nobody wrote there")
    assert asked(labelled(ROWS[0], "x"), *[invented] * 3).text is None


def test_a_row_without_a_known_label_is_told() -> None:
    with pytest.raises(ValidationError, match="'same' or 'not'"):
        labelled(ROWS[0] | {"label": "maybe"}, "x")
