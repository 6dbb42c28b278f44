"""Comparisons made of scores: who meets whom, with which weight, and who never does."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, strategies as st

from sociolab.stats import Contest, SeatScore, fit_bradley_terry, make_contests


def score(
    model: str,
    value: float | None,
    play: str,
    *,
    seat: str = "1",
    partner: str = "p",
    task: str = "t",
) -> SeatScore:
    return SeatScore(model, task, seat, partner, play, f"scenario of {task}", value)


scores = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("st"),
        st.sampled_from("12"),
        st.sampled_from("pq"),
        st.none() | st.integers(0, 3),
    ),
    max_size=25,
).map(
    lambda rows: [
        score(model, value, f"e{i}", seat=seat, partner=partner, task=task)
        for i, (model, task, seat, partner, value) in enumerate(rows)
    ]
)


def test_the_better_score_wins_and_equal_ones_tie() -> None:
    found = make_contests(
        [
            score("a", 7, "e1"),
            score("b", 5, "e2"),
            score("c", 0.1 + 0.2, "e3"),
            score("d", 0.3, "e4"),
        ]
    )
    outcome = {(row.a, row.b): row.outcome for row in found.comparisons}
    assert outcome["a", "b"] == 1
    assert outcome["b", "c"] == 1
    assert outcome["c", "d"] == 0.5
    assert len(outcome) == 6
    first = found.comparisons[0]
    assert first == Contest("a", "b", 1.0, "scenario of t", 1.0, ("e1", "e2"))


def test_repeats_meet_each_other_and_share_a_weight_of_one() -> None:
    # a 1, 5, 9 against b 5, 6: 1 loses twice, 5 ties and loses, 9 wins twice.
    rows = [score("a", v, f"a{v}") for v in (1, 5, 9)] + [score("b", v, f"b{v}") for v in (5, 6)]
    found = make_contests(rows).comparisons
    assert [row.weight for row in found] == [1 / 6] * 6
    assert sorted(row.outcome for row in found) == [0, 0, 0, 0.5, 1, 1]
    rating = next(r for r in fit_bradley_terry(found).models if r.model == "a")
    assert rating.model == "a"
    assert (rating.won, rating.tied, rating.lost) == pytest.approx((1 / 3, 1 / 6, 1 / 2))
    assert rating.note == "fewer than 5 clusters"


def test_only_the_same_task_seat_and_partner_compare() -> None:
    rows = [
        score("a", 7, "e1"),
        score("b", 5, "e2", seat="2"),
        score("c", 5, "e3", partner="q"),
        score("d", 5, "e4", task="u"),
    ]
    found = make_contests(rows)
    assert (found.comparisons, found.unmatched, found.missing) == ((), 4, 0)


def test_the_two_seats_of_one_play_never_meet() -> None:
    # a and b play each other, in both seatings, and each with itself.
    rows = [
        score("a", 9, "ab", seat="1", partner="b"),
        score("b", 1, "ab", seat="2", partner="a"),
        score("b", 2, "ba", seat="1", partner="a"),
        score("a", 8, "ba", seat="2", partner="b"),
        score("a", 5, "aa", seat="1", partner="a"),
        score("a", 6, "aa", seat="2", partner="a"),
        score("b", 5, "bb", seat="1", partner="b"),
        score("b", 6, "bb", seat="2", partner="b"),
    ]
    found = make_contests(rows)
    assert {(row.plays, row.outcome) for row in found.comparisons} == {
        (("ab", "bb"), 1.0),
        (("aa", "ba"), 1.0),
        (("aa", "ab"), 1.0),
        (("ba", "bb"), 1.0),
    }
    assert found.unmatched == 0


def test_missing_scores_are_counted_and_lose_nothing() -> None:
    found = make_contests([score("a", 7, "e1"), score("b", None, "e2"), score("c", 3, "e3")])
    assert [(row.a, row.b) for row in found.comparisons] == [("a", "c")]
    assert (found.missing, found.unmatched) == (1, 0)


def test_a_seat_scored_twice_two_clusters_and_nan_are_refused() -> None:
    with pytest.raises(ValueError, match="scored once"):
        make_contests([score("a", 1, "e"), score("b", 2, "e")])
    with pytest.raises(ValueError, match="one cluster"):
        make_contests([score("a", 1, "e"), score("b", 2, "f")._replace(cluster="other")])
    with pytest.raises(ValueError, match="finite"):
        make_contests([score("a", math.nan, "e")])


@given(scores, st.integers(0, 9))
def test_order_of_the_scores_does_not_matter(rows: list[SeatScore], seed: int) -> None:
    assert make_contests(random.Random(seed).sample(rows, len(rows))) == make_contests(rows)


@given(scores)
def test_each_setting_weighs_one_for_each_two_models(rows: list[SeatScore]) -> None:
    found = make_contests(rows)
    present = [row for row in rows if row.value is not None]
    there = {(row.task, row.seat, row.partner): set[str]() for row in present}
    for row in present:
        there[row.task, row.seat, row.partner].add(row.model)
    pairs = sum(len(models) * (len(models) - 1) // 2 for models in there.values())
    assert sum(row.weight for row in found.comparisons) == pytest.approx(pairs)
    met = {play for row in found.comparisons for play in row.plays}
    assert len(met) + found.unmatched + found.missing == len(rows)
