"""Clustered intervals: worked by hand, checked against statsmodels and scipy, and by properties."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm
from hypothesis import given, strategies as st

from sociolab.stats import Estimate, mean, means, t_quantile
from stats.paired_difference import difference

# Whole numbers, so that ties and equal cluster means stay what they are under shifts and scales.
rows = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(-10, 10)), min_size=2, max_size=30
)


def interval(table: Sequence[tuple[str, float]]) -> Estimate:
    return mean([value for _, value in table], [cluster for cluster, _ in table])


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
    # Mean 30 / 6 = 5; weights w 1/3, 1/6, 1/2; cluster means less 5 are -2, 1, 1.
    # c = w^2 / (1 - w): 1/6, 1/30, 1/2; error^2 = 4/6 + 1/30 + 1/2 = 1.2. Freedom
    # 1 / (14/36 + .7^2 - (1/36 + 1/900 + 1/4)) = 1 / .6 = 5/3; t(.975; 5/3) = 5.24227.
    found = mean([2, 4, 6, 5, 7, 6], ["a", "a", "b", "c", "c", "c"])
    assert (found.value, found.n, found.clusters, found.method) == (5, 6, 3, "t")
    assert found.error == pytest.approx(1.2**0.5)
    assert found.freedom == pytest.approx(5 / 3)
    half = 5.24227 * 1.2**0.5
    assert limits(found) == pytest.approx((5 - half, 5 + half), abs=1e-4)


def test_t_interval_of_single_values_is_the_textbook_one() -> None:
    # 1, 3, 5, 7: mean 4, sd = sqrt(20/3), se = sd / 2 = 1.290994; t(0.975; 3) = 3.182446.
    found = mean([1, 3, 5, 7], ["a", "b", "c", "d"])
    assert limits(found) == pytest.approx((4 - 4.108520, 4 + 4.108520), abs=1e-6)


def test_each_value_counts_the_same_whatever_the_size_of_its_cluster() -> None:
    assert mean([0, 0, 0, 4], ["a", "a", "a", "b"]).value == 1


def test_the_end_towards_the_longer_tail_is_moved_out_worked_by_hand() -> None:
    # Seven 0 and an 8: mean 1, squares 7 + 49 = 56, se = sqrt(56/7/8) = 1; t(.975; 7) = 2.364624.
    # Skewness: cubes -7 + 343 = 336, 336/8 / (56/8)^1.5 = 6/sqrt(7), times sqrt(8 * 7) / 6 is
    # sqrt(8).
    # Shift: sqrt(8) / (6 * sqrt(8)) * (1 + 2 * 2.364624^2) = 12.182894 / 6, times 1.1.
    low, high = limits(mean([0] * 7 + [8], "abcdefgh"))
    assert low == pytest.approx(1 - 2.364624, abs=1e-6)
    assert high == pytest.approx(1 + 2.364624 + 1.1 * 12.182894 / 6, abs=1e-5)


def test_the_skewness_of_fewer_than_eight_clusters_is_not_used() -> None:
    low, high = limits(mean([0, 0, 0, 0, 0, 0, 4], "abcdefg"))
    assert 4 / 7 - low == pytest.approx(high - 4 / 7)


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


# Against others


@pytest.mark.parametrize("count", [2, 5, 25, 80])
def test_with_equal_clusters_it_is_the_cluster_robust_regression_of_statsmodels(count: int) -> None:
    # Its correction is G / (G - 1) * (N - 1) / (N - k): with a constant only, k = 1, ours.
    # The end away from the longer tail is Student's own.
    values, clusters = scenarios(count, seed=count, low=4, high=4)
    groups = np.unique(clusters, return_inverse=True)[1]
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found, (low, high) = mean(values, clusters), fit.conf_int(alpha=0.05)[0]
    assert found.value == pytest.approx(fit.params[0])
    ours = limits(found)
    assert ours[0] == pytest.approx(low) or ours[1] == pytest.approx(high)
    assert ours[0] <= low + 1e-9
    assert ours[1] >= high - 1e-9


def test_the_error_of_unequal_clusters_is_unbiased_and_spreads_as_its_freedom_says() -> None:
    """Of 5,000 studies of independent plays: mean 1/N, and variance 2 / freedom / N^2."""
    sizes = np.array([1, 2, 3, 5, 8, 13])
    random = np.random.default_rng(1)
    clusters = [name for name, size in zip("abcdef", sizes, strict=True) for _ in range(size)]
    found = [mean(row.tolist(), clusters) for row in random.normal(0, 1, (5000, 32))]
    squares = [32 * one.error**2 for one in found if one.error]
    assert np.mean(squares) == pytest.approx(1, abs=0.03)
    assert found[0].freedom is not None
    assert np.var(squares) == pytest.approx(2 / found[0].freedom, rel=0.1)


def test_the_skewness_is_that_of_scipy() -> None:
    values, clusters = scenarios(12, seed=3, high=1)
    low, high = limits(mean(values, clusters))
    centre, edge = np.mean(values), scipy.stats.t.ppf(0.975, 11)
    error = scipy.stats.sem(values)
    johnson = scipy.stats.skew(values, bias=False) / (6 * 12**0.5) * (1 + 2 * edge**2)
    assert low == pytest.approx(centre - edge * error)
    assert high == pytest.approx(centre + (edge + 1.1 * johnson) * error)


# Properties


@given(rows, st.randoms(use_true_random=False))
def test_order_of_the_rows_does_not_matter(table: list[tuple[str, float]], random: object) -> None:
    shuffled = list(table)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert near(interval(shuffled), interval(table))


@given(rows, st.integers(-1000, 1000))
def test_adding_a_constant_shifts_the_interval(table: list[tuple[str, float]], shift: int) -> None:
    before = interval(table)
    after = interval([(cluster, value + shift) for cluster, value in table])
    assert after.value == pytest.approx(before.value + shift)  # type: ignore[operator]
    assert after.note == before.note
    if not before.note:
        assert limits(after) == pytest.approx([end + shift for end in limits(before)])


@given(rows, st.sampled_from([-3, -1, 2, 0.1, 1e6]))
def test_a_factor_scales_the_interval_and_a_negative_one_mirrors_it(
    table: list[tuple[str, float]], factor: float
) -> None:
    before = interval(table)
    after = interval([(cluster, value * factor) for cluster, value in table])
    assert after.note == before.note
    if not before.note:
        expected = sorted(end * factor for end in limits(before))
        assert limits(after) == pytest.approx(expected, abs=1e-9 * abs(factor))


@given(rows, st.integers(2, 4))
def test_repeating_every_row_adds_values_and_no_knowledge(
    table: list[tuple[str, float]], times: int
) -> None:
    before, after = interval(table), interval(table * times)
    assert after.n == before.n * times
    assert after.note == before.note
    if not before.note:
        assert limits(after) == pytest.approx(limits(before), abs=1e-9)


@given(rows)
def test_means_says_of_each_column_what_mean_says(table: list[tuple[str, float]]) -> None:
    clusters = [cluster for cluster, _ in table]
    columns: dict[str, list[float | None]] = {
        "all": [value for _, value in table],
        "squares": [value**2 for _, value in table],
        "some": [value if value > 0 else None for _, value in table],
        "none": [None for _ in table],
    }
    found = means(columns, clusters)
    assert list(found) == list(columns)
    for name, column in columns.items():
        assert near(found[name], mean(column, clusters))


# How often it is right


def rounded(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.clip(np.round(values), low, high)


def goals(random: np.random.Generator, count: int) -> np.ndarray:
    effect = random.normal(6, 1.5, (count, 1))
    return rounded(effect + random.normal(0, 2.5, (count, 4)), 0, 10)


def believability(random: np.random.Generator, count: int) -> np.ndarray:
    """Mostly 9 and 10, seldom far below: Student's t holds its mean in 90.6 % at 10 scenarios."""
    lost = random.gamma(1.5, 0.6, (count, 1)) * random.gamma(2, 0.5, (count, 4))
    return np.clip(10 - random.poisson(lost), 0, 10).astype(float)


def money(random: np.random.Generator, count: int) -> np.ndarray:
    """Nothing to gain in most scenarios: t holds the mean in 90.8 %."""
    gained = rounded(random.normal(2, 1, (count, 1)) + random.normal(0, 1.5, (count, 4)), -5, 5)
    return np.where(random.random((count, 1)) < 0.35, gained, 0.0)


def successes(random: np.random.Generator, count: int) -> np.ndarray:
    chance = random.beta(3.6, 0.4, (count, 1))
    return (random.random((count, 5)) < chance).astype(float)


# The means of 400,000 simulated scenarios; success is 0.9 by its definition.
DRAWN = [(goals, 5.910), (believability, 9.104), (money, 0.690), (successes, 0.9)]


@pytest.mark.parametrize(("drawn", "truth"), DRAWN, ids=[one.__name__ for one, _ in DRAWN])
@pytest.mark.parametrize("count", [10, 45])
def test_93_of_100_intervals_hold_the_true_mean_of_scores_of_all_shapes(
    drawn: Callable[[np.random.Generator, int], np.ndarray], truth: float, count: int
) -> None:
    random = np.random.default_rng(count)
    held, given_ = 0, 0
    for _ in range(600):
        values = drawn(random, count)
        clusters = [f"s{i}" for i in range(count) for _ in range(values.shape[1])]
        found = mean(values.ravel().tolist(), clusters)
        if not found.note:
            low, high = limits(found)
            given_, held = given_ + 1, held + (low <= truth <= high)
    assert given_ > 0.9 * 600
    assert held / given_ >= 0.92  # the error of 600 studies is 1 point


# Paired differences


def test_difference_worked_by_hand() -> None:
    # a - b: 1, 3 in s; 2, 8 in t; 2, 4, 0 in u. N = 7, mean 20/7; deviations s 4 - 40/7 = -12/7,
    # t 10 - 40/7 = 30/7, u 6 - 60/7 = -18/7, over 7: -12/49, 30/49, -18/49; over 1 - w, 5/7,
    # 5/7 and 4/7: error^2 = 1044/2401 * 7/5 + 324/2401 * 7/4 = .844898. c = 4/35, 4/35, 9/28;
    # freedom 1 / (17/49 + .55^2 - .129439) = 1 / .52.
    a = [5, 7, 6, 10, 4, 9, 3]
    b = [4, 4, 4, 2, 2, 5, 3]
    found = difference(a, b, ["s", "s", "t", "t", "u", "u", "u"])
    assert found.value == pytest.approx(20 / 7)
    assert (found.n, found.clusters, found.method) == (7, 3, "t")
    half = t_quantile(0.975, 1 / 0.52) * 0.844898**0.5
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


def test_scipy_is_never_imported() -> None:
    code = "import sys, sociolab.stats.intervals; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
