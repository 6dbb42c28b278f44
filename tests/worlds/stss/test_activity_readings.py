"""The readings of moments in town by two readers, beside the keyword filter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sociolab.stats import yes_no_agreement
from sociolab.worlds import stss

MOMENTS = Path(__file__).parents[3] / "validation" / "stss-activities" / "moments.jsonl"


def moments(source: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in MOMENTS.read_text("utf-8").splitlines()]
    return [one for one in found if one["from"] == source]


def passes(moment: dict[str, Any]) -> bool:
    return stss.Keywords(moment["keywords"]).matches(moment["line"].partition(": ")[2])


@pytest.mark.parametrize(
    ("source", "reader", "same", "pairs", "kappa"),
    [
        ("played", "first", 9, 10, 0.80),
        ("played", "second", 9, 9, 1.0),
        ("written", "first", 5, 27, -0.614),
        ("written", "second", 5, 27, -0.614),
    ],
)
def test_the_filter_beside_a_reader_is_as_the_set_says(
    source: str, reader: str, same: int, pairs: int, kappa: float
) -> None:
    told = [(passes(one), one[reader] == "yes") for one in moments(source) if one[reader] in YES_NO]
    assert (sum(a == b for a, b in told), len(told)) == (same, pairs)
    found = yes_no_agreement(told, [str(i) for i in range(len(told))])
    assert found.value == pytest.approx(kappa, abs=1e-3)


def test_the_readers_agree_wherever_both_can_tell() -> None:
    both = [
        (one["first"], one["second"])
        for one in (*moments("played"), *moments("written"))
        if {one["first"], one["second"]} <= YES_NO
    ]
    assert (len(both), sum(a == b for a, b in both)) == (36, 36)


YES_NO = {"yes", "no"}
