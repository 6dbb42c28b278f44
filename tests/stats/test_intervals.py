"""Clustered intervals: worked by hand, checked against statsmodels and scipy, and by properties."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from sociolab.stats.intervals import BOOTSTRAP_FROM, Estimate, mean, means
from stats.paired_difference import difference

METHODS: tuple[Literal["t", "bca"], ...] = ("t", "bca")

# Whole numbers, so that ties and equal cluster means stay what they are under shifts and scales.
rows = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(-10, 10)), min_size=2, max_size=30
)
methods = st.sampled_from(METHODS)


def interval(
    table: Sequence[tuple[str, float]], method: Literal["t", "bca"], seed: int = 0
) -> Estimate:
    values, clusters = [value for _, value in table], [cluster for cluster, _ in table]
    return mean(values, clusters, method=method, seed=seed, resamples=200)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def near(a: Estimate, b: Estimate) -> bool:
    """Equal, but for rounding."""
    same = (a.n, a.clusters, a.method, a.note) == (b.n, b.clusters, b.method, b.note)
    return same and all(
        (x is None) == (y is None) and (x is None or x == pytest.approx(y, abs=1e-8))
        for x, y in ((a.value, b.value), (a.low, b.low), (a.high, b.high))
    )


def scenarios(count: int, seed: int, low: int = 1, high: int = 8) -> tuple[list[float], list[str]]:
    """Skewed values in clusters of unequal sizes that share an effect."""
    random = np.random.default_rng(seed)
    sizes = random.integers(low, high + 1, count)
    effect = np.repeat(random.exponential(3, count), sizes)
    values = effect + random.exponential(1, len(effect))
    names = [f"s{i}" for i in np.repeat(np.arange(count), sizes)]
    return values.tolist(), names


# Worked by hand


def test_t_interval_of_unequal_clusters_worked_by_hand() -> None:
    # N = 6, mean 30 / 6 = 5. Deviations: a (2-5)+(4-5) = -4, b 1, c 0+2+1 = 3.
    # Sum of squares 16 + 1 + 9 = 26; se = sqrt(3/2 * 26) / 6 = 1.040833; t(0.975; 2) = 4.302653.
    found = mean([2, 4, 6, 5, 7, 6], ["a", "a", "b", "c", "c", "c"])
    assert (found.value, found.n, found.clusters, found.method) == (5, 6, 3, "t")
    assert limits(found) == pytest.approx((5 - 4.478343, 5 + 4.478343), abs=1e-6)


def test_t_interval_of_single_values_is_the_textbook_one() -> None:
    # 1, 3, 5, 7: mean 4, sd = sqrt(20/3), se = sd / 2 = 1.290994; t(0.975; 3) = 3.182446.
    found = mean([1, 3, 5, 7], ["a", "b", "c", "d"])
    assert limits(found) == pytest.approx((4 - 4.108520, 4 + 4.108520), abs=1e-6)


def test_each_value_counts_the_same_whatever_the_size_of_its_cluster() -> None:
    assert mean([0, 0, 0, 4], ["a", "a", "a", "b"]).value == 1


def test_bca_of_a_coin_counts_ties_half() -> None:
    # 20 of 40 succeeded: no skew, no bias, and the 2.5 and 97.5 % points of Binomial(40, 1/2) are
    # 14 and 26. Ties counted as below (or above) would shift both ends.
    found = mean([0, 1] * 20, [f"s{i}" for i in range(40)])
    assert found.method == "bca"
    assert limits(found) == (14 / 40, 26 / 40)


def test_rounding_does_not_carry_an_end_past_the_data() -> None:
    # More than 1 in 40 resamples miss the only scenario that is not 0, so the low end is 0: the
    # mean plus its deviation rounds to -1e-19, which would print as -0.00.
    values = [0.1] + [0.0] * 269
    low, _ = limits(mean(values, [f"s{i:02}" for i in range(90) for _ in range(3)]))
    assert low == 0


def test_a_single_outlier_still_has_an_interval() -> None:
    values = [1e6] + [0.0] * 59
    low, high = limits(mean(values, [f"s{i}" for i in range(60)], resamples=100))
    assert 0 <= low < 1e6 / 60 < high < 1e6


def test_bca_reaches_further_towards_the_long_tail() -> None:
    values, clusters = scenarios(60, seed=1)
    found = mean(values, clusters)
    low, high = limits(found)
    assert found.value is not None
    assert high - found.value > 1.1 * (found.value - low)


# Which method


def test_bootstrap_takes_over_at_forty_clusters() -> None:
    for count, method in ((BOOTSTRAP_FROM - 1, "t"), (BOOTSTRAP_FROM, "bca")):
        assert mean(range(count), [f"s{i}" for i in range(count)]).method == method


def test_method_can_be_asked_for() -> None:
    values, clusters = scenarios(50, seed=2)
    assert mean(values, clusters, method="t").method == "t"
    assert mean(values[:20], clusters[:20], method="bca").method == "bca"


# Where there is no interval


def test_no_values_give_no_value() -> None:
    for values, clusters in (([], []), ([None, None], ["a", "b"])):
        found = mean(values, clusters)
        assert found == Estimate(None, 0, 0, None, None, "none", note="no values")


def test_one_cluster_gives_a_value_without_an_interval() -> None:
    found = mean([1, 2, 6], ["a", "a", "a"])
    assert found == Estimate(3, 3, 1, None, None, "none", note="1 cluster")


@pytest.mark.parametrize("count", [3, 60])
def test_equal_cluster_means_claim_no_certainty(count: int) -> None:
    values = [0.1, 0.3, 0.2] * count  # 0.1 + 0.3 + 0.2 and 0.2 three times differ by rounding
    values[:3] = [0.2, 0.2, 0.2]
    found = mean(values, [f"s{i}" for i in range(count) for _ in range(3)])
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high, found.method) == (None, None, "none")
    assert found.note == "no variation between clusters"


def test_missing_values_count_neither_as_values_nor_as_clusters() -> None:
    found = mean([1, None, 3, None, 5], ["a", "a", "b", "c", "d"])
    assert found == mean([1, 3, 5], ["a", "b", "d"])
    assert (found.n, found.clusters) == (3, 3)


# Bad input


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean([1, bad], ["a", "b"])


def test_values_without_their_cluster_are_refused() -> None:
    with pytest.raises(ValueError, match="3 values and 2 clusters"):
        mean([1, 2, 3], ["a", "b"])


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match="resamples"):
        mean([1, 2], ["a", "b"], resamples=99)


# Against others


@pytest.mark.parametrize("count", [2, 5, 25, 80])
def test_t_interval_equals_statsmodels_cluster_robust_regression(count: int) -> None:
    # Its correction is G / (G - 1) * (N - 1) / (N - k): with a constant only, k = 1, ours.
    values, clusters = scenarios(count, seed=count)
    groups = np.unique(clusters, return_inverse=True)[1]
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = mean(values, clusters, method="t")
    assert found.value == pytest.approx(fit.params[0])
    assert limits(found) == pytest.approx(fit.conf_int(alpha=0.05)[0])


def test_bca_agrees_with_scipy_on_one_value_a_cluster() -> None:
    values, clusters = scenarios(45, seed=3, high=1)
    low, high = limits(mean(values, clusters, resamples=40_000))
    choices: tuple[tuple[Literal["BCa", "percentile"], bool], ...]
    choices = (("BCa", True), ("percentile", False))
    for method, agrees in choices:
        theirs = scipy.stats.bootstrap(
            np.array([values]),
            np.mean,
            n_resamples=40_000,
            method=method,
            rng=np.random.default_rng(1),
        ).confidence_interval
        close = pytest.approx((theirs.low, theirs.high), abs=0.02 * (high - low))
        assert ((low, high) == close) is agrees


def test_bca_agrees_with_scipy_on_the_ratio_of_cluster_sums() -> None:
    values, clusters = scenarios(45, seed=4)
    groups = np.unique(clusters, return_inverse=True)[1]
    theirs = scipy.stats.bootstrap(
        (np.bincount(groups, weights=values), np.bincount(groups)),
        lambda sums, sizes, axis: sums.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        n_resamples=40_000,
        method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval
    low, high = limits(mean(values, clusters, resamples=40_000))
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=0.02 * (high - low))


# Properties


@given(rows, methods, st.randoms(use_true_random=False))
def test_order_of_the_rows_does_not_matter(
    table: list[tuple[str, float]], method: Literal["t", "bca"], random: object
) -> None:
    shuffled = list(table)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert near(interval(shuffled, method), interval(table, method))


@given(rows, methods, st.integers(-1000, 1000))
def test_adding_a_constant_shifts_the_interval(
    table: list[tuple[str, float]], method: Literal["t", "bca"], shift: int
) -> None:
    before = interval(table, method)
    after = interval([(cluster, value + shift) for cluster, value in table], method)
    assert after.value == pytest.approx(before.value + shift)  # type: ignore[operator]
    assert after.note == before.note
    if not before.note:
        assert limits(after) == pytest.approx([end + shift for end in limits(before)])


@given(rows, methods, st.sampled_from([-3, -1, 2, 0.1, 1e6]))
def test_a_factor_scales_the_interval_and_a_negative_one_mirrors_it(
    table: list[tuple[str, float]], method: Literal["t", "bca"], factor: float
) -> None:
    before = interval(table, method)
    after = interval([(cluster, value * factor) for cluster, value in table], method)
    assert after.note == before.note
    if not before.note:
        expected = sorted(end * factor for end in limits(before))
        assert limits(after) == pytest.approx(expected, abs=1e-9 * abs(factor))


@given(rows, methods, st.integers(2, 4))
def test_repeating_every_row_adds_values_and_no_knowledge(
    table: list[tuple[str, float]], method: Literal["t", "bca"], times: int
) -> None:
    before, after = interval(table, method), interval(table * times, method)
    assert after.n == before.n * times
    assert after.note == before.note
    if not before.note:
        assert limits(after) == pytest.approx(limits(before), abs=1e-9)


@given(rows, st.integers(0, 5))
def test_bca_stays_inside_the_data(table: list[tuple[str, float]], seed: int) -> None:
    found = interval(table, "bca", seed)
    if not found.note:
        low, high = limits(found)
        values = [value for _, value in table]
        assert min(values) <= low <= high <= max(values)


@given(rows, methods)
def test_means_says_of_each_column_what_mean_says(
    table: list[tuple[str, float]], method: Literal["t", "bca"]
) -> None:
    clusters = [cluster for cluster, _ in table]
    columns: dict[str, list[float | None]] = {
        "all": [value for _, value in table],
        "squares": [value**2 for _, value in table],
        "some": [value if value > 0 else None for _, value in table],
        "none": [None for _ in table],
    }
    found = means(columns, clusters, method=method, resamples=200)
    assert list(found) == list(columns)
    for name, column in columns.items():
        assert near(found[name], mean(column, clusters, method=method, resamples=200))


def test_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values, clusters = scenarios(50, seed=5)
    once = mean(values, clusters, seed=7)
    assert mean(values, clusters, seed=7) == once
    assert limits(mean(values, clusters, seed=8)) != limits(once)


def test_global_random_state_is_left_alone() -> None:
    values, clusters = scenarios(50, seed=6)
    np.random.seed(1)
    expected = np.random.random()
    np.random.seed(1)
    mean(values, clusters)
    assert np.random.random() == expected


# How often it is right


@pytest.mark.parametrize(("count", "method"), [(8, "t"), (90, "bca")])
def test_about_95_of_100_intervals_hold_the_true_mean(
    count: int, method: Literal["t", "bca"]
) -> None:
    # Five plays of each scenario, half of the variance between scenarios, true mean 6.
    random = np.random.default_rng(0)
    clusters = [f"s{i}" for i in range(count) for _ in range(5)]
    held = 0
    for seed in range(400):
        effect = np.repeat(random.normal(6, 1, count), 5)
        values = (effect + random.normal(0, 1, len(effect))).tolist()
        found = mean(values, clusters, seed=seed, resamples=1000)
        assert found.method == method
        low, high = limits(found)
        held += low <= 6 <= high
    assert 0.91 <= held / 400 <= 0.98


# Paired differences


def test_difference_worked_by_hand() -> None:
    # a - b: 1, 3 in s; 2, 8 in t; 2, 4, 0 in u. N = 7, mean 20/7; deviations s 4 - 40/7 = -12/7,
    # t 10 - 40/7 = 30/7, u 6 - 60/7 = -18/7; their squares add up to 1368/49.
    # se = sqrt(3/2 * 1368/49) / 7 = 0.9244695; t(0.975; 2) = 4.302653.
    a = [5, 7, 6, 10, 4, 9, 3]
    b = [4, 4, 4, 2, 2, 5, 3]
    found = difference(a, b, ["s", "s", "t", "t", "u", "u", "u"])
    assert found.value == pytest.approx(20 / 7)
    assert (found.n, found.clusters, found.method) == (7, 3, "t")
    half = 4.302653 * 0.9244695
    assert limits(found) == pytest.approx((20 / 7 - half, 20 / 7 + half), abs=1e-5)


def test_pairing_takes_out_what_both_share() -> None:
    values, clusters = scenarios(60, seed=7)
    random = np.random.default_rng(7)
    better = [
        value + 0.5 + noise
        for value, noise in zip(values, random.normal(0, 0.5, len(values)), strict=True)
    ]
    low, high = limits(difference(better, values, clusters))
    alone = limits(mean(values, clusters))
    assert low > 0
    assert high - low < (alone[1] - alone[0]) / 3


def test_swapping_the_sides_mirrors_the_difference() -> None:
    values, clusters = scenarios(50, seed=8)
    other = values[::-1]
    low, high = limits(difference(values, other, clusters))
    assert limits(difference(other, values, clusters)) == pytest.approx((-high, -low))


def test_an_agent_does_not_differ_from_itself_and_no_certainty_is_claimed() -> None:
    values, clusters = scenarios(50, seed=9)
    found = difference(values, values, clusters)
    assert (found.value, found.low, found.note) == (0, None, "no variation between clusters")


def test_differences_that_are_equal_but_for_rounding_do_not_vary() -> None:
    found = mean([1000.1 - 1000, 3.1 - 3, 7.1 - 7], ["a", "b", "c"])
    assert found.note == "no variation between clusters"


# Cost


def test_resampling_works_in_little_memory() -> None:
    values, clusters = scenarios(450, seed=10, high=1)  # all counts at once would take 36 MB
    tracemalloc.start()
    mean(values, clusters, resamples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_scipy_is_never_imported() -> None:
    code = "import sys, sociolab.stats.intervals; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
