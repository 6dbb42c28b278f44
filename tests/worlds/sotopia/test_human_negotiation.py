"""The outcome reader on people's negotiations, whose outcome is on record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fake_models import FakeModel
from own_code import writer
from sociolab.app import ValidationConfig, validate
from sociolab.core import CANNOT_TELL, Labelled, PointAnswer, ScoreFailure
from sociolab.judging import LlmJudge
from sociolab.worlds import sotopia
from worlds.sotopia import human_negotiation

MANY = 100


@pytest.fixture(scope="module")
def rows() -> list[human_negotiation.Row]:
    """Some conversations of each kind, by lot."""
    if not human_negotiation.folder().is_dir():
        pytest.skip(f"people's negotiations are not at hand in {human_negotiation.folder()}")
    return [
        row
        for all_rows in (human_negotiation.casino(), human_negotiation.deal_or_no_deal())
        for row in human_negotiation.drawn(all_rows, MANY, seed=3)
    ]


def item_of(row: human_negotiation.Row) -> Labelled:
    return sotopia.read_labelled(json.loads(json.dumps(human_negotiation.row_of(row))), "unnamed")


def reply_of(row: human_negotiation.Row, *quotes: str) -> str:
    """The reply of somebody who knows the record, with these quotes, if there are any to give."""
    label = row["labels"][0]
    blank: Mapping[str, Any] = dict.fromkeys(row["goals"][0]["counts"])
    terms = label.get("terms") or blank
    offer, acceptance = quotes if label["outcome"] == "agreed" else ("", "")
    reply = {"outcome": label["outcome"], **terms, "in_words": ""}
    return json.dumps(reply | {"offer": offer, "acceptance": acceptance})


def quotes_of(row: human_negotiation.Row) -> tuple[str, str]:
    """The first line, and the last of the other person, who may have said nothing: ""."""
    lines = row["lines"]
    others = [text for who, _, text in lines if who != lines[0][0]]
    return lines[0][2], others[-1] if others else ""


def asked(item: Labelled, replies: Sequence[str]) -> PointAnswer:
    (answer,) = asyncio.run(item.ask(FakeModel(*replies)))
    return answer


def test_whoever_goes_by_the_record_is_right_in_all(rows: list[human_negotiation.Row]) -> None:
    outcomes = set()
    for row in rows:
        item, quotes = item_of(row), quotes_of(row)
        if not all(quotes):  # a deal that the text cannot show
            continue
        answer = asked(item, [reply_of(row, *quotes)])
        assert answer.text in item.points[0].right, row["id"]
        outcomes.add(row["labels"][0]["outcome"])
        # Scored as in a run, each figure is the one that the label makes.
        judge = LlmJudge(sotopia.OutcomeReader(), FakeModel(reply_of(row, *quotes)))
        found = asyncio.run(judge.judge(item.episode))
        for given, wanted in zip(found, item.expected[0], strict=True):
            assert getattr(given, "value", None) == getattr(wanted, "value", None), row["id"]
    assert outcomes == {"agreed", "nothing", "cannot tell"}


def test_quotes_that_are_not_there_are_failures_and_never_figures(
    rows: list[human_negotiation.Row],
) -> None:
    for row in [row for row in rows if row["labels"][0]["outcome"] == "agreed"][:40]:
        item = item_of(row)
        invented = [reply_of(row, "a proposal nobody made", "an answer nobody gave")] * 3
        assert asked(item, invented).text is None
        found = asyncio.run(
            LlmJudge(sotopia.OutcomeReader(), FakeModel(*invented)).judge(item.episode)
        )
        assert [type(verdict) for verdict in found] == [ScoreFailure] * 2


def test_the_formula_gives_what_people_were_paid(rows: list[human_negotiation.Row]) -> None:
    """CaSiNo's own count of points, out of 3 x (5 + 4 + 3) = 36, is 36 / 10 of the goal's value."""
    deals = [r for r in rows if r["kind"] == human_negotiation.CASINO and "terms" in r["labels"][0]]
    assert len(deals) > MANY / 2
    for row in deals:
        values = [getattr(verdict, "value", None) for verdict in item_of(row).expected[0]]
        assert values == pytest.approx([points * 10 / 36 for points in row["points"]])


UNSURE = """
from sociolab.core.score import JudgeId, Unscored
from sociolab.worlds.sotopia.evaluation import GOAL_CHECKED

class Judge:
    id = JudgeId("unsure", "rules", "1")

    async def judge(self, episode, judging=0):
        return [Unscored(GOAL_CHECKED, seat, "who knows") for seat in episode.trial.task.seats]
"""


def test_the_set_that_is_written_can_be_validated_on(
    rows: list[human_negotiation.Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    spec = writer(tmp_path)("unsure_judge", UNSURE)
    list(human_negotiation.written(tmp_path / "people", each=8, seed=1))
    found = validate(
        ValidationConfig(judge=f"{spec}:Judge", data=tmp_path / "people", store=tmp_path / "s.db")
    )
    assert [tuple(count.n for count in row.counts) for row in found.findings] == [
        (8, 16),
        (8, 16),
        (16, 32),
    ]
    assert {one.answer.text for one in found.compared} == {CANNOT_TELL}
