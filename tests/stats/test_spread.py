"""How far a judge lies from people: worked by hand, at the edges, properties."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from sociolab.stats import Spread
from stats.judged_items import Judged, spread

HAND = (
    Judged(8, (4, 6), "a"),
    Judged(6, (5, 5), "b"),
    Judged(3, (2, 3, 7), "c"),
    Judged(7, (9,), "d"),
    Judged(2, (1, 4), "e"),
)

some = settings(max_examples=40)
items = st.lists(
    st.builds(
        Judged,
        st.integers(0, 10),
        st.lists(st.integers(0, 10), min_size=1, max_size=4).map(tuple),
        st.sampled_from("abcde"),
    ),
    min_size=1,
    max_size=15,
)


def of(table: list[Judged] | tuple[Judged, ...]) -> Spread:
    return spread(table)


# Worked by hand


def test_differences_from_the_mean_of_the_people_worked_by_hand() -> None:
    # 8 - 5 = 3, 6 - 5 = 1, 3 - 4 = -1, 7 - 9 = -2, 2 - 2.5 = -0.5: mean 0.1, squares about it
    # 8.41 + 0.81 + 1.21 + 4.41 + 0.36 = 15.2, sd = sqrt(15.2 / 4), se = sd / sqrt(5) = 0.8717798,
    # t(0.975; 4) = 2.776445.
    found = of(HAND)
    assert found.bias.value == pytest.approx(0.1)
    assert found.sd == pytest.approx(math.sqrt(3.8))
    half = 2.776445 * 0.8717798
    assert (found.bias.low, found.bias.high) == pytest.approx((0.1 - half, 0.1 + half), abs=1e-5)


def test_differences_are_counted_at_the_nearest_whole_number_and_halves_away_from_zero() -> None:
    assert of(HAND).counts == ((-2, 1), (-1, 2), (0, 0), (1, 1), (2, 0), (3, 1))
    halves = [Judged(score, (4, 5), "a") for score in (4, 5, 6)]  # -0.5, 0.5, 1.5
    assert of(halves).counts == ((-1, 1), (0, 0), (1, 1), (2, 1))


def test_share_within_the_own_sd_of_the_item_worked_by_hand() -> None:
    # 3 > sqrt(2); 1 > 0; 1 <= sqrt(14 / 2); one person has no sd; 0.5 <= sqrt(4.5).
    found = of(HAND)
    assert found.within_own_sd.value == pytest.approx(2 / 4)
    assert found.within_own_sd.n == 4
    assert found.single_rater == 1


def test_share_within_the_pooled_sd_worked_by_hand() -> None:
    # Squares about the items' means 2 + 0 + 14 + 4.5 = 20.5, over 1 + 1 + 2 + 1 degrees of freedom:
    # sd = sqrt(4.1) = 2.025. Of 3, 1, 1, 0.5 all but the first lie within.
    found = of(HAND)
    assert found.pooled_sd == pytest.approx(math.sqrt(4.1))
    assert found.within_pooled_sd.value == pytest.approx(3 / 4)


def test_scores_against_the_range_that_people_perceived_worked_by_hand() -> None:
    # 8 over 4-6 by 2; 6 over 5-5 by 1; 3 in 2-7; 2 in 1-4; a single rater spans no range.
    found = of(HAND)
    assert found.inside.value == pytest.approx(2 / 4)
    assert (found.below, found.above) == (0, 2)
    assert found.outside_by.value == pytest.approx(1.5)
    assert found.outside_by.n == 2


def test_the_ends_of_the_range_lie_inside() -> None:
    found = of([Judged(4, (4, 6), "a"), Judged(6, (4, 6), "b"), Judged(1, (4, 6), "c")])
    assert found.inside.value == pytest.approx(2 / 3)
    assert (found.below, found.above) == (1, 0)
    assert found.outside_by.value == 3


def test_a_judge_at_one_sd_exactly_lies_within() -> None:
    # 1, 2, 3 have mean 2 and sd 1; 0.1, 0.2, 0.3 the same but for rounding.
    assert of([Judged(3, (1, 2, 3), "a")]).within_own_sd.value == 1
    assert of([Judged(0.3, (0.1, 0.2, 0.3), "a")]).within_own_sd.value == 1


# Where there is no value


def test_no_items_give_no_values() -> None:
    found = of([])
    assert found.counts == ()
    assert (found.sd, found.pooled_sd, found.single_rater) == (None, None, 0)
    for estimate in (found.bias, found.within_own_sd, found.within_pooled_sd, found.inside):
        assert (estimate.value, estimate.note) == (None, "no values")


def test_single_raters_give_a_bias_and_nothing_that_needs_their_spread() -> None:
    found = of([Judged(5, (4,), "a"), Judged(7, (4,), "b")])
    assert (found.bias.value, found.single_rater, found.pooled_sd) == (2, 2, None)
    assert found.within_own_sd.value is found.within_pooled_sd.value is found.inside.value is None


def test_a_judge_inside_every_range_has_no_distance_outside() -> None:
    found = of([Judged(5, (4, 6), "a"), Judged(4, (4, 6), "b")])
    assert (found.outside_by.value, found.inside.value, found.inside.low) == (None, 1, None)


# Properties


@some
@given(items, st.randoms(use_true_random=False))
def test_order_of_items_and_raters_does_not_matter(
    table: list[Judged], chance: random.Random
) -> None:
    shuffled = [
        replace(each, people=tuple(chance.sample(each.people, len(each.people))))
        for each in chance.sample(table, len(table))
    ]
    assert of(shuffled) == of(table)


@some
@given(items)
def test_a_mirrored_scale_mirrors_the_counts_and_keeps_the_shares(table: list[Judged]) -> None:
    mirrored = [Judged(-each.judge, tuple(-x for x in each.people), each.cluster) for each in table]
    before, after = of(table), of(mirrored)
    assert after.counts == tuple((-place, count) for place, count in reversed(before.counts))
    assert (after.below, after.above) == (before.above, before.below)
    assert after.bias.value == pytest.approx(-(before.bias.value or 0))
    for name in ("within_own_sd", "within_pooled_sd", "inside", "outside_by"):
        assert getattr(after, name).value == getattr(before, name).value


@some
@given(items, st.integers(-20, 20))
def test_a_shift_of_the_whole_scale_changes_nothing(table: list[Judged], shift: int) -> None:
    moved = [
        Judged(each.judge + shift, tuple(x + shift for x in each.people), each.cluster)
        for each in table
    ]
    before, after = of(table), of(moved)
    assert after.counts == before.counts
    assert after.within_own_sd == before.within_own_sd
    assert after.inside == before.inside


@some
@given(items)
def test_every_item_is_counted_once(table: list[Judged]) -> None:
    found = of(table)
    assert sum(count for _, count in found.counts) == len(table) == found.bias.n
    several = sum(len(each.people) > 1 for each in table)
    assert several + found.single_rater == len(table)
    if found.inside.value is not None:
        outside = found.below + found.above
        assert found.inside.value * several == pytest.approx(several - outside)
