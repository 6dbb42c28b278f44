"""Does a score move further than when the same episode is judged again? Computed by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sociolab import Finding
from sociolab.analysis import RepeatedScore, ScoreChange, control_findings
from sociolab.core import Measure

GOAL = Measure("goal", 0, 10)


def results(swaps: Sequence[float], judgings: Sequence[tuple[float, ...]]) -> tuple[Finding, ...]:
    """A play in each of some scenarios: 5 as it is, and how far it moves with other names."""
    changes = [
        ScoreChange(f"t{n}", f"s{n}", "ann", GOAL, "Ann", "Bea", 5, 5 + moved)
        for n, moved in enumerate(swaps)
    ]
    again = [
        RepeatedScore(f"t{n}", f"s{n}", "ann", GOAL, scores) for n, scores in enumerate(judgings)
    ]
    return control_findings("names", {"goal": "as again"}, changes, again)


@pytest.mark.parametrize(
    ("swaps", "judgings", "further", "verdict"),
    [
        ((3, -3) * 3, [(5, 6)] * 6, 2, "fails"),  # 3 up or down; judged again, 1
        ((3, -3) * 2, [(5, 6)] * 4, 2, "undecided"),  # four alike may be an accident
        ((1, -1) * 3, [(5, 6)] * 6, 0, "passes"),
        ((0,) * 6, [(5, 5)] * 6, 0, "passes"),
        ((1, 0, 0, 0), [(5, 8)] * 4, -2.75, "passes"),  # less far is no fault
        ((0, 0, 0, 6), [(5, 5)] * 4, 1.5, "undecided"),
        # Three judgings: |5-6|, |5-8|, |6-8| are 2 on average.
        ((4,) * 6, [(5, 6, 8)] * 6, 2, "fails"),
    ],
)
def test_a_distance_counts_beyond_that_of_two_judgings(
    swaps: Sequence[float], judgings: Sequence[tuple[float, ...]], further: float, verdict: str
) -> None:
    (found,) = results(swaps, judgings)
    assert found.more["change"].value == pytest.approx(further)
    assert found.more["verdict"] == verdict
    assert found.more["no_room"] == 0


def test_without_a_second_judging_there_is_no_verdict() -> None:
    assert results((3, 3), []) == results((3, 3), [(5,), (5,)]) == ()
