"""Ratings as one array: rows of unequal length, worked by hand, beside plain Python."""

from __future__ import annotations

import math
from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sociolab.stats import (
    Bins,
    bin_numbers,
    left_out_interval,
    nan_to_none,
    rating_table,
    stack_tables,
)

ITEMS = ((4, 6), (5, None), (), (1, 2, 2, 9))
rated = st.lists(st.lists(st.none() | st.integers(-5, 5), max_size=5), max_size=6)


def test_rows_worked_by_hand() -> None:
    table = rating_table(ITEMS)
    assert table.sizes.tolist() == [2, 1, 0, 4]
    assert table.missing.tolist() == [0, 1, 0, 0]
    assert nan_to_none(table.means()) == [5, 5, None, 3.5]
    # 1 2 2 9 about 3.5: 6.25 + 2.25 + 2.25 + 30.25.
    assert table.squares().tolist() == [2, 0, 0, 41]
    # Of six pairs one is equal, three are at most a point apart.
    assert nan_to_none(table.pair_shares()) == [0, None, None, 1 / 6]
    assert nan_to_none(table.pair_shares(1)) == [0, None, None, 0.5]


def test_tables_below_each_other_keep_their_rows() -> None:
    wide = stack_tables([rating_table(ITEMS[:2]), rating_table(ITEMS[2:])])
    assert nan_to_none(wide.pair_shares()) == nan_to_none(rating_table(ITEMS).pair_shares())
    assert wide.missing.tolist() == [0, 1, 0, 0]


def test_a_rating_that_is_no_number_is_refused() -> None:
    for bad in (math.nan, math.inf):
        with pytest.raises(ValueError, match="finite numbers"):
            rating_table([(1, bad)])


@given(rated)
@settings(max_examples=40)
def test_plain_python_says_the_same(items: list[list[int | None]]) -> None:
    table = rating_table(items)
    given_ = [[value for value in item if value is not None] for item in items]
    for ratings, average, share in zip(
        given_, nan_to_none(table.means()), nan_to_none(table.pair_shares(1)), strict=True
    ):
        pairs = [abs(a - b) <= 1 for a, b in combinations(ratings, 2)]
        assert average == (pytest.approx(fmean(ratings)) if ratings else None)
        assert share == (pytest.approx(fmean(pairs)) if pairs else None)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=20), st.integers(2, 12))
@settings(max_examples=40)
def test_bins_of_a_whole_array_are_those_of_each_value(tenths: list[int], count: int) -> None:
    bins = Bins(0, 10, count)
    values = np.array([[tenth / 10] for tenth in tenths])
    assert bin_numbers(values, bins).ravel().tolist() == [
        bins.number(tenth / 10) for tenth in tenths
    ]


def test_limits_of_a_mean_from_leaving_out_are_students_worked_by_hand() -> None:
    # Means of 1, 2, 6 without each: 4, 3.5, 1.5, about 3: squares 1 + 0.25 + 2.25, times 2/3,
    # root 1.527525; t of 0.975 with 2 degrees of freedom is 4.302653.
    ends, _ = left_out_interval(3.0, [4.0, 3.5, 1.5])
    assert ends is not None
    low, high = ends
    assert high - 3 == pytest.approx(4.302653 * 1.527525, rel=1e-5)
    assert low + high == pytest.approx(6)
