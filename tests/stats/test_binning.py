"""Equal bins of a score's range: the five of SOTOPIA, edges, and numpy's histogram as an oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sociolab.stats import Bins


def test_goal_scores_fall_two_by_two_and_the_top_bin_holds_three() -> None:
    # 0-10 in five bins of width 2: [0, 2), [2, 4), [4, 6), [6, 8), [8, 10].
    bins = Bins(0, 10)
    assert [bins.number(score) for score in range(11)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]


def test_secret_scores_of_zero_and_minus_two_share_the_top_bin() -> None:
    bins = Bins(-10, 0)
    assert bins.edges == (-10, -8, -6, -4, -2, 0)
    assert [bins.number(score) for score in (-10, -9, -8, -3, -2, -1, 0)] == [0, 0, 1, 3, 4, 4, 4]


def test_an_edge_belongs_to_the_bin_above_it_and_the_top_edge_to_the_last_bin() -> None:
    bins = Bins(-5, 5, 4)
    assert [bins.number(edge) for edge in bins.edges] == [0, 1, 2, 3, 3]


def test_edges_that_no_float_holds_exactly_still_belong_to_the_bin_above() -> None:
    bins = Bins(0, 1, 10)
    assert [bins.number(edge) for edge in bins.edges[:-1]] == list(range(10))
    assert bins.number(0.3) == bins.number(0.1 + 0.2) == 3


def test_a_score_outside_the_range_is_refused() -> None:
    for score in (10.1, -0.1, float("nan")):
        with pytest.raises(ValueError, match="from 0 to 10"):
            Bins(0, 10).number(score)


@pytest.mark.parametrize(("low", "high", "count"), [(1, 1, 5), (2, 1, 5), (0, 1, 1)])
def test_bins_that_cannot_be_are_refused(low: float, high: float, count: int) -> None:
    with pytest.raises(ValueError, match="at least 2 bins"):
        Bins(low, high, count)


@given(st.integers(-20, 20), st.integers(1, 20), st.integers(2, 9), st.data())
def test_numpy_counts_the_same(low: int, width: int, count: int, data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.integers(low, low + width), min_size=1))
    bins = Bins(low, low + width, count)
    ours = np.bincount([bins.number(score) for score in scores], minlength=count)
    theirs, _ = np.histogram(scores, bins=np.array(bins.edges))
    assert ours.tolist() == theirs.tolist()


@given(st.floats(0, 10), st.floats(0, 10), st.integers(2, 9))
def test_a_higher_score_is_never_in_a_lower_bin(a: float, b: float, count: int) -> None:
    bins = Bins(0, 10, count)
    low, high = sorted((a, b))
    assert 0 <= bins.number(low) <= bins.number(high) < count
