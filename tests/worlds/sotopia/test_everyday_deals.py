"""Thirty deals as people make them, read by hand: which line offered, and which one accepted."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from fake_models import FakeModel
from sociolab.core import Score
from sociolab.judging import LlmJudge
from sociolab.worlds import sotopia

SET = Path(__file__).parents[3] / "validation" / "sotopia" / "everyday.jsonl"
ROWS: dict[str, dict[str, Any]] = {
    row["id"]: row for row in map(json.loads, SET.read_text(encoding="utf-8").splitlines())
}
EXCHANGES = {
    "bike-k": (2, 3),
    "sofa-thumb": (1, 2),
    "desk-words": (1, 2),
    "guitar-halfway": (2, 3),
    "lamp-sold": (1, 2),
    "phone-late": (3, 4),
    "table-handshake": (2, 3),
    "camera-typo": (1, 2),
    "skis-ask": (1, 2),
    "drill-at-once": (0, 1),
    "hats-short": (1, 2),
    "hats-one-book": (0, 1),
    "hats-swap": (1, 2),
    "hats-keep-one": (1, 2),
    "camp-even": (1, 2),
    "camp-all-lamps": (1, 2),
    "camp-three-one": (0, 1),
    "camp-nod": (0, 1),
    "hour-noon": (0, 1),
    "room-blue": (1, 2),
    "film-either": (2, 3),
    "trip-coast": (1, 2),
    "dinner-stew": (2, 3),
    "music-piano": (1, 2),
    "friend-baker": (1, 2),
    "friend-short": (0, 1),
    "friend-job": (0, 1),
    "friend-after-two": (1, 2),
    "friend-nod": (0, 1),
    "friend-surname": (1, 2),
}
"""The places of the offer and of the acceptance among the lines, from 0."""


@pytest.mark.parametrize("id", ROWS)
def test_a_deal_in_everyday_words_is_established_by_a_reader(id: str) -> None:
    row = ROWS[id]
    offer, acceptance = (row["lines"][place][2] for place in EXCHANGES[id])
    terms, kind = row["labels"][0]["terms"], row["goals"][0]["kind"]
    reply = dict(terms) if kind == "division" else {kind: terms}
    reply |= {"outcome": "agreed", "in_words": "", "offer": offer, "acceptance": acceptance}
    item = sotopia.read_labelled(row, id)
    judge = LlmJudge(sotopia.OutcomeReader(), FakeModel(json.dumps(reply)), role="reader")
    found = asyncio.run(judge.judge(item.episode))
    values = [verdict.value for verdict in found if isinstance(verdict, Score)]
    assert len(values) == 2
    assert values == [getattr(verdict, "value", None) for verdict in item.expected[0]]


def test_all_thirty_are_read() -> None:
    assert len(ROWS) == 30
    assert ROWS.keys() == EXCHANGES.keys()
