"""What a judge says is looked at before it goes on record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from sociolab import result_of
from sociolab.core import (
    Episode,
    JudgeId,
    Measure,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
    WorldError,
)
from sociolab.runner import checked_verdicts, verdicts_of
from sociolab.store import Store
from tiny_runs import RUN, CountingJudge, Speaker, play_run, statuses, table, trial

WARMTH = Measure("warmth", 0, 10)
EPISODE = Episode(trial(0), ())
OTHER: Any = Decimal(5)
NOTHING: Any = None


class Textual(float):
    """Compares like a number."""


def _valued(value: Any) -> Score:
    """A score as somebody makes it whose type nobody checks."""
    made = Score(WARMTH, "x", 5.0)
    object.__setattr__(made, "value", value)
    return made


@dataclass
class Says:
    """A judge that says this of every episode."""

    verdicts: tuple[Verdict, ...]
    id: ClassVar[JudgeId] = JudgeId("says", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return self.verdicts


@pytest.mark.parametrize(
    ("verdict", "problem"),
    [
        (Score(WARMTH, "x", 5.0, NOTHING), "the Score of warmth with a reason that is a str, "
         "found None"),
        (Score(WARMTH, "x", OTHER), "a value that is a number, found Decimal('5')"),
        (_valued("5"), "a value that is a number, found '5'"),
        (Score(WARMTH, ["x"], 5.0), "expected verdicts on the seats x, y"),  # type: ignore[arg-type]
        (Unscored(WARMTH, "x", NOTHING), "the Unscored of warmth with a why that is a str"),
        (ScoreFailure(WARMTH, "x", "tired", ""), "found 'tired'"),  # type: ignore[arg-type]
        (ScoreFailure(WARMTH, "x", "timeout", NOTHING), "with a problem that is a str"),
        (
            ScoreFailure("warmth", "x", "plugin", ""),  # type: ignore[arg-type]
            "expected a Measure in every verdict",
        ),
        (
            Unscored(WARMTH, "x", "", "maybe"),  # type: ignore[arg-type]
            "the Unscored of warmth with a kind out of cannot tell, disputed, unconfirmed, "
            "not applicable, found",
        ),
    ],
)  # fmt: skip
def test_a_part_that_is_not_of_its_type_is_told_in_a_sentence(
    verdict: Verdict, problem: str
) -> None:
    with pytest.raises(WorldError) as caught:
        checked_verdicts("the judge a", (verdict,), EPISODE)
    assert str(caught.value).startswith("the judge a: expected ")
    assert problem in str(caught.value)


def test_two_verdicts_on_one_measure_and_seat_are_one_too_many() -> None:
    twice = (Score(WARMTH, "x", 5.0), Score(WARMTH, "y", 5.0), Unscored(WARMTH, "x", "hm"))
    with pytest.raises(WorldError, match="expected one verdict of warmth on x, found 2"):
        checked_verdicts("the judge a", twice, EPISODE)
    whole = (Score(WARMTH, None, 5.0), Score(WARMTH, None, 6.0))
    with pytest.raises(WorldError, match="of warmth on the whole episode, found 2"):
        checked_verdicts("the judge a", whole, EPISODE)


@pytest.mark.parametrize("value", [np.float32(2.5), np.float64(2.5), Fraction(5, 2), Textual(2.5)])
def test_a_number_of_another_kind_is_kept_as_pythons_own(value: Any) -> None:
    (found,) = checked_verdicts("the judge a", (Score(WARMTH, "x", value),), EPISODE)
    assert isinstance(found, Score)
    assert type(found.value) is float
    assert found.value == 2.5


def test_a_bad_verdict_fails_its_judge_alone_and_the_report_can_be_read(store: Store) -> None:
    bad = Says((Score(WARMTH, "x", 5.0, NOTHING),))
    counting = CountingJudge()
    play_run(table(store, Speaker(), bad, counting))
    assert statuses(store) == ["played"] * 5
    result = result_of(store, RUN)
    assert result.failures.scores == {"plugin": 5}
    assert len(counting.judged) == 5
    assert any(entry.judge == "count" and entry.n for entry in result.scores)


def test_a_judge_of_a_bad_id_is_asked_nothing(store: Store) -> None:
    class Magic(Says):
        id: ClassVar[JudgeId] = JudgeId("a", "magic")  # type: ignore[arg-type]

    with pytest.raises(WorldError, match="the judge Magic: expected an id whose method"):
        asyncio.run(verdicts_of(Magic(()), EPISODE))
