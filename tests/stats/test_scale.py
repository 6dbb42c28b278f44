"""Intervals at the ends of a scale: cut, or a one-sided bound; by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats.intervals import CUT, Estimate, bound, mean, on_scale


def test_an_interval_of_two_clusters_is_cut_at_both_ends() -> None:
    # Means 0 and 1: 0.5 with se sqrt(2 x 0.5) / 2 = 0.5, times 12.706: -5.85 to 6.85.
    found = on_scale(mean([0, 1], ["a", "b"]), 0, 1)
    assert (found.value, found.low, found.high, found.note) == (0.5, 0, 1, CUT)


def test_an_interval_on_the_scale_stays_as_it_is() -> None:
    whole = mean([4, 5, 6, 5, 4, 6], list("abcdef"))
    assert on_scale(whole, 0, 10) is whole
    assert on_scale(whole, 0, 5.2).high == 5.2


def test_what_has_no_interval_stays_as_it_is() -> None:
    alone = mean([0.3], ["a"])
    assert on_scale(alone, 0, 1) is alone


def test_the_cut_interval_holds_the_true_mean_as_often() -> None:
    """Of 300 studies of 3 clusters with a true share of 0.8: both hold it, or neither."""
    draws = np.random.default_rng(5)
    for _ in range(300):
        values = draws.binomial(4, 0.8, 3) / 4
        whole = mean(values.tolist(), ["a", "b", "c"])
        cut = on_scale(whole, 0, 1)
        if whole.low is not None and whole.high is not None:
            assert cut.low is not None
            assert cut.high is not None
            assert (whole.low <= 0.8 <= whole.high) == (cut.low <= 0.8 <= cut.high)


@pytest.mark.parametrize(
    ("value", "ends", "expected"),
    [
        # 0.05^(1/6) = 0.60696; at 0 mirrored; on a scale of -10 to 0 ten times as far from the end.
        (1, (0, 1), 0.60696),
        (0, (0, 1), 0.39304),
        (0, (-10, 0), -3.93038),
    ],
)
def test_six_clusters_at_one_end_have_a_bound(
    value: float, ends: tuple[float, float], expected: float
) -> None:
    assert bound(mean([value] * 6, list("abcdef")), *ends) == pytest.approx(expected, abs=1e-5)


def test_the_bound_of_ninety_clusters_is_about_three_in_ninety() -> None:
    found = bound(mean([1.0] * 90, [f"c{i}" for i in range(90)]), 0, 1)
    assert found == pytest.approx(1 - 3 / 90, abs=1e-3)


@pytest.mark.parametrize("values", [[0.5, 0.5], [1.0], [1.0, 0.5]])
def test_there_is_no_bound_inside_the_scale_of_one_cluster_or_beside_an_interval(
    values: list[float],
) -> None:
    assert bound(mean(values, list("abc")[: len(values)]), 0, 1) is None


def test_a_true_mean_below_the_bound_shows_itself_in_95_of_100_studies() -> None:
    """Of 4 clusters, each at 1 with the chance of the bound itself: 5 % come out all 1."""
    least = bound(Estimate(1, 4, 4, None, None, "none", note="no variation between clusters"), 0, 1)
    assert least is not None
    draws = np.random.default_rng(1).random((20_000, 4)) < least
    assert draws.all(axis=1).mean() == pytest.approx(0.05, abs=0.005)
