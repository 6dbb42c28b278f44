"""Pearson's r and Spearman's rho: by hand, scipy, where undefined, coverage of the interval."""

from __future__ import annotations

import math
import random
from statistics import correlation as textbook

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

from sociolab.stats import Correlation, correlations, intervals, number_clusters, pearson, spearman

some = settings(max_examples=40)
pairs = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(-5, 5), st.integers(0, 10)),
    min_size=3,
    max_size=30,
)


def of(table: list[tuple[str, int, int]]) -> Correlation:
    groups, a, b = zip(*table, strict=True)
    return pearson(a, b, groups)


def singles(count: int) -> list[str]:
    return [f"s{i}" for i in range(count)]


# Worked by hand


def test_r_and_p_worked_by_hand() -> None:
    # Deviations -2..2 and -1, -2, 1, 0, 2: products add up to 8, squares to 10 and 10, r = 0.8.
    # With 3 degrees of freedom P(|t|) = 1 - 2/pi (asin r + r sqrt(1 - r^2)) = 1 - 2/pi * 1.407295.
    found = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], singles(5))
    assert found.value == pytest.approx(0.8)
    assert found.p == pytest.approx(1 - 2 / math.pi * (math.asin(0.8) + 0.8 * 0.6))
    assert found.p == pytest.approx(0.104088, abs=1e-6)
    assert (found.n, found.clusters, found.missing, found.stars) == (5, 5, 0, "")


def test_p_with_an_even_number_of_degrees_of_freedom_worked_by_hand() -> None:
    # 4 pairs leave 2 degrees: P = 1 - r. Here products 4, squares 5 and 5: r = 0.8, p = 0.2.
    found = pearson([1, 2, 3, 4], [1, 3, 2, 4], singles(4))
    assert found.value == pytest.approx(0.8)
    assert found.p == pytest.approx(0.2)


def test_scores_that_have_nothing_in_common_have_an_r_of_0_with_its_interval() -> None:
    found = pearson([-1, 1, -1, 1, 0], [-1, -1, 1, 1, 3], singles(5))
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.p == pytest.approx(1)
    assert found.low is not None
    assert found.low < 0


def test_rho_with_ties_worked_by_hand() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1..4: products 4.5, squares 4.5 and 5, rho = 4.5 / sqrt(22.5).
    found = spearman([1, 20, 20, 300], [-9, 2, 5, 6], singles(4))
    assert found.value == pytest.approx(4.5 / math.sqrt(22.5))


def test_the_interval_leaves_out_one_cluster_at_a_time() -> None:
    # Fisher's z = atanh(r) without each of three clusters, by the textbook's formula of r; se =
    # sqrt(2/3 * sum of squared deviations from their mean), t(0.975; 2) = 4.302653.
    a, b = [1, 2, 3, 5, 6, 8], [2, 1, 4, 3, 9, 5]
    found = pearson(a, b, ["x", "x", "y", "y", "z", "z"])
    left = [
        math.atanh(textbook(a[2:], b[2:])),
        math.atanh(textbook(a[:2] + a[4:], b[:2] + b[4:])),
        math.atanh(textbook(a[:4], b[:4])),
    ]
    centre = sum(left) / 3
    half = 4.302653 * math.sqrt(2 / 3 * sum((z - centre) ** 2 for z in left))
    whole = math.atanh(textbook(a, b))
    ends = (math.tanh(whole - half), math.tanh(whole + half))
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)


@pytest.mark.parametrize(
    ("count", "stars"),
    [
        # r = 0.5 in 15, 16, 25 and 26 pairs: the printed critical values at 0.05 (two-sided) are
        # 0.514 (13 degrees of freedom) and 0.497 (14), those at 0.01 0.505 (23) and 0.496 (24).
        (15, ""),
        (16, "*"),
        (25, "*"),
        (26, "**"),
    ],
)
def test_stars_mark_significance_at_five_and_one_per_cent(count: int, stars: str) -> None:
    # A line and noise at right angles to it, mixed so that r is exactly 0.5.
    line = np.arange(count) - (count - 1) / 2
    bend = line**2 - (line**2).mean()
    mixed = 0.5 * line / np.linalg.norm(line) + math.sqrt(0.75) * bend / np.linalg.norm(bend)
    found = pearson(line.tolist(), mixed.tolist(), singles(count))
    assert found.value == pytest.approx(0.5)
    assert found.stars == stars


# Where there is no value, or no interval


def test_scores_that_never_vary_have_no_correlation() -> None:
    for a, b in (([0, 0, 0], [1, 2, 3]), ([1, 2, 3], [0.1, 0.1, 0.1])):
        for found in (pearson(a, b, singles(3)), spearman(a, b, singles(3))):
            assert (found.value, found.p, found.low) == (None, None, None)
            assert found.note == "no variation"
            assert found.stars == ""


def test_fewer_than_three_pairs_have_no_correlation() -> None:
    found = pearson([1, 2, None], [1, 2, 3], singles(3))
    assert (found.value, found.n, found.missing) == (None, 2, 1)
    assert found.note == "fewer than 3 pairs"


def test_a_pair_with_a_missing_side_is_left_out_and_counted() -> None:
    found = pearson([1, None, 2, 3, 4, 5], [2, 7, 1, 4, None, 3], singles(6))
    assert (found.n, found.clusters, found.missing) == (4, 4, 2)
    assert found.value == pearson([1, 2, 3, 5], [2, 1, 4, 3], singles(4)).value


def test_one_cluster_gives_no_interval() -> None:
    found = pearson([1, 2, 3, 4], [1, 3, 2, 4], ["a"] * 4)
    assert found.value == pytest.approx(0.8)
    assert (found.low, found.note) == (None, "1 cluster")


def test_a_correlation_that_rests_on_one_cluster_has_no_interval() -> None:
    found = pearson([0, 0, 0, 0, 1, 2], [3, 4, 5, 3, 6, 7], ["a", "b", "b", "c", "d", "d"])
    assert found.value is not None
    assert (found.low, found.note) == (None, "undefined without one of the clusters")


def test_pairs_on_a_line_have_no_interval() -> None:
    found = pearson([1, 2, 3, 4], [-2, -4, -6, -8], singles(4))
    assert found.value == pytest.approx(-1)
    assert (found.p, found.low, found.note) == (0, None, "all pairs on a line")


def test_clusters_that_all_say_the_same_claim_no_certainty() -> None:
    found = pearson([0.1, 0.2, 0.7] * 3, [1, 3, 2] * 3, [group for group in "abc" for _ in "123"])
    assert found.value is not None
    assert (found.low, found.note) == (None, "no variation between clusters")


def test_what_cannot_be_paired_is_refused() -> None:
    with pytest.raises(ValueError, match="found 2, 1 and 2"):
        pearson([1, 2], [1], ["a", "b"])
    with pytest.raises(ValueError, match="nan/inf"):
        pearson([1, 2, math.nan], [1, 2, 3], singles(3))


# Oracles


@some
@given(pairs)
def test_scipy_says_the_same(table: list[tuple[str, int, int]]) -> None:
    groups, a, b = zip(*table, strict=True)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert of(table).note == "no variation"
        return
    for ours, theirs in (
        (pearson(a, b, groups), scipy.stats.pearsonr(a, b)),
        (spearman(a, b, groups), scipy.stats.spearmanr(a, b)),
    ):
        assert ours.value == pytest.approx(float(theirs.statistic), abs=1e-12)
        assert ours.p == pytest.approx(float(theirs.pvalue), rel=1e-7, abs=1e-12)


def test_leaving_out_each_cluster_of_ranks_is_done_afresh() -> None:
    a, b = [1, 7, 3, 3, 6, 8, 2], [2, 1, 4, 3, 9, 5, 2]
    groups = ["x", "x", "y", "y", "z", "z", "z"]
    left = []
    for out in "xyz":
        keep = [i for i, group in enumerate(groups) if group != out]
        rho = scipy.stats.spearmanr([a[i] for i in keep], [b[i] for i in keep]).statistic
        left.append(math.atanh(float(rho)))
    error = math.sqrt(2 / 3 * sum((z - sum(left) / 3) ** 2 for z in left))
    found = spearman(a, b, groups)
    assert found.value is not None
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - 4.302653 * error))


# Properties


@some
@given(pairs, st.randoms(use_true_random=False))
def test_order_of_pairs_does_not_matter(
    table: list[tuple[str, int, int]], chance: random.Random
) -> None:
    assert of(chance.sample(table, len(table))) == of(table)


@some
@given(pairs)
def test_columns_say_the_same_as_sequences_however_many_clusters_are_left_out_at_once(
    table: list[tuple[str, int, int]],
) -> None:
    groups, a, b = zip(*table, strict=True)
    wanted = pearson(a, b, groups), spearman(a, b, groups)
    x, y = np.array(a, dtype=np.float64), np.array(b, dtype=np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals, "_CELLS_AT_ONCE", 3)
        found = correlations(x, y, number_clusters(groups))
    for one, other in zip(found, wanted, strict=True):
        assert (one.n, one.clusters, one.note) == (other.n, other.clusters, other.note)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_nan_in_a_column_is_missing() -> None:
    a, b = np.array([1, 2, np.nan, 4, 5]), np.array([2, 1, 3, np.nan, 4])
    found, _ = correlations(a, b, np.arange(5))
    assert found == pearson([1, 2, None, 4, 5], [2, 1, 3, None, 4], list("abcde"))


@some
@given(pairs)
def test_swapping_the_sides_changes_nothing_and_a_mirror_turns_the_sign(
    table: list[tuple[str, int, int]],
) -> None:
    found = of(table)
    swapped = of([(group, b, a) for group, a, b in table])
    mirrored = of([(group, a, -b) for group, a, b in table])
    assert swapped.note == mirrored.note == found.note
    if found.value is not None:
        assert swapped.value == pytest.approx(found.value)
        assert mirrored.value == pytest.approx(-found.value)
    if found.low is not None and found.high is not None:
        assert (swapped.low, swapped.high) == pytest.approx((found.low, found.high))
        assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


@some
@given(pairs)
def test_rho_sees_only_the_order(table: list[tuple[str, int, int]]) -> None:
    groups, a, b = zip(*table, strict=True)
    assert spearman([x**3 for x in a], b, groups) == spearman(a, b, groups)


@some
@given(pairs)
def test_the_interval_holds_the_value_and_stays_within_its_range(
    table: list[tuple[str, int, int]],
) -> None:
    found = of(table)
    if found.low is not None and found.high is not None and found.value is not None:
        assert -1 <= found.low <= found.value <= found.high <= 1


# How often it is right


@pytest.mark.parametrize("count", [8, 20])
def test_about_95_of_100_intervals_hold_the_true_correlation(count: int) -> None:
    # Three pairs of each scenario; scenario and pair each carry half of the variance, r = 0.6.
    chance = np.random.default_rng(0)
    groups = [f"s{i}" for i in range(count) for _ in range(3)]
    mix = np.linalg.cholesky([[1, 0.6], [0.6, 1]])
    held = 0
    for _ in range(120):
        shared = np.repeat(chance.normal(size=(count, 2)), 3, axis=0)
        a, b = ((shared + chance.normal(size=shared.shape)) @ mix.T).T
        found = pearson(a.tolist(), b.tolist(), groups)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.6 <= found.high
    assert 0.91 <= held / 120 <= 0.98
