"""Properties of score entries, over plays and outcomes drawn at random."""

from __future__ import annotations

import math
import random
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from sociolab.core import JudgeId, Measure, NotKnown
from sociolab.report import NotScored, PlayKey, PlayOutcome, PlayRow, ScoreColumn
from sociolab.report.plays import combined
from sociolab.report.result import column_outcomes, entries

JUDGE = JudgeId("judge", "rules")
AGENTS = st.sampled_from(["a", "b"])
OPEN = [kind for kind in get_args(NotKnown) if kind != "not applicable"]
"""What is not applicable is in no column: see `test_behaviour_sheet.py`."""
OUTCOMES: st.SearchStrategy[PlayOutcome | None] = st.one_of(
    st.integers(0, 10).map(float),
    st.sampled_from(["failed", None]),
    st.builds(NotScored, st.sampled_from(OPEN), st.just(1.0), st.just(9.0)),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[PlayRow], ScoreColumn]:
    plays: list[PlayRow] = []
    outcomes: dict[PlayKey, PlayOutcome] = {}
    for i in range(draw(st.integers(1, 12))):
        key: PlayKey = (f"t{i}", "seat")
        plays.append(
            PlayRow(
                key,
                draw(AGENTS),
                draw(AGENTS),
                draw(st.sampled_from(["x", "y"])),
                draw(st.sampled_from(["c", "d", "e"])),
                draw(st.booleans()),
            )
        )
        outcome = draw(OUTCOMES)
        if outcome is not None:
            outcomes[key] = outcome
    return plays, ScoreColumn("judge", JUDGE, Measure("m", 0, 10), False, True, outcomes)


@given(tables())
def test_each_play_is_in_one_partner_and_in_one_type(
    table: tuple[list[PlayRow], ScoreColumn],
) -> None:
    plays, column = table
    found = entries([column_outcomes(plays, column)])
    for agent in ("a", "b"):
        for key in ("partner", "type"):
            parts = [e for e in found if e.agent == agent and key in e.by]
            for whole in (e for e in found if e.agent == agent and not e.by):
                assert whole.n == sum(part.n for part in parts)
                assert whole.failures == sum(part.failures for part in parts)
                assert whole.unscored == sum(part.unscored for part in parts)
                assert whole.disputed == sum(part.disputed for part in parts)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_plays_does_not_matter(
    table: tuple[list[PlayRow], ScoreColumn], chance: random.Random
) -> None:
    plays, column = table
    shuffled = plays.copy()
    chance.shuffle(shuffled)

    def by_key(plays: list[PlayRow]) -> dict[str, object]:
        return {f"{e.agent} {e.by}": e for e in entries([column_outcomes(plays, column)])}

    assert by_key(plays) == by_key(shuffled)


@given(tables())
def test_a_value_stays_within_the_values(table: tuple[list[PlayRow], ScoreColumn]) -> None:
    plays, column = table
    values = [value for value in column.outcomes.values() if isinstance(value, float)]
    for entry in entries([column_outcomes(plays, column)]):
        assert (entry.value is None) == (entry.n == 0)
        if entry.value is not None:
            assert min(values) <= entry.value <= max(values)


@given(tables())
def test_whatever_the_plays_without_a_score_came_to_the_mean_is_within_its_bounds(
    table: tuple[list[PlayRow], ScoreColumn],
) -> None:
    plays, column = table
    for entry in entries([column_outcomes(plays, column)]):
        assert entry.unscored == entry.disputed + entry.unconfirmed + entry.cannot_tell
        assert entry.bounds is not None
        count = entry.n + entry.failures + entry.unscored
        told = (entry.value or 0.0) * entry.n
        worst, best = told + entry.unscored, told + 9 * entry.unscored + 10 * entry.failures
        assert entry.bounds == pytest.approx((worst / count, best / count))


def test_a_scale_without_an_end_has_no_bounds() -> None:
    plays = [PlayRow(("t", "seat"), "a", "a", None, "c", False)]
    measure = Measure("words", 0, math.inf)
    column = ScoreColumn("judge", JUDGE, measure, False, False, {("t", "seat"): 3.0})
    assert entries([column_outcomes(plays, column)])[0].bounds == (3.0, 3.0)
    nothing = NotScored("cannot tell", 0, math.inf)
    column = ScoreColumn("judge", JUDGE, measure, False, False, {("t", "seat"): nothing})
    assert entries([column_outcomes(plays, column)])[0].bounds is None


def test_judgings_are_averaged_over_their_values() -> None:
    unsure, disputed = NotScored("cannot tell", 0, 4), NotScored("disputed", 2, 8)
    assert combined([4.0, "failed", 7.0]) == 5.5
    assert combined([4.0, disputed]) == 4.0
    assert combined([unsure, "failed"]) == "failed"
    assert combined([unsure, unsure]) == unsure
    assert combined([unsure, disputed]) == NotScored("disputed", 0, 8)


def test_a_failed_trial_owes_nothing_at_seats_that_are_never_judged() -> None:
    # Two tables of a player and an NPC; only players are judged, and the second table failed.
    plays = [
        PlayRow(("t0", "player"), "a", "a", None, "c", False),
        PlayRow(("t0", "npc"), "a", "a", None, "c", False),
        PlayRow(("t1", "player"), "a", "a", None, "d", True),
        PlayRow(("t1", "npc"), "a", "a", None, "d", True),
    ]
    outcomes: dict[PlayKey, PlayOutcome] = {("t0", "player"): 0.5}
    column = ScoreColumn("judge", JUDGE, Measure("m", 0, 1), False, True, outcomes)
    whole = entries([column_outcomes(plays, column)])[0]
    assert (whole.value, whole.n, whole.failures) == (0.5, 1, 1)
