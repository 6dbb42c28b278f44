"""p by flipping the signs of clusters: Fisher's own example, small cases by hand, properties."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from sociolab.stats import SignFlip, sign_flip

# Crossed minus self-fertilised maize of each pair, in eighths of an inch (Fisher, The Design of
# Experiments, section 17, from Darwin).
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)

rows = st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(-3, 3)), min_size=1, max_size=20)


def flip(gaps: Sequence[float | None], clusters: Sequence[str] | None = None) -> SignFlip:
    names = clusters if clusters is not None else [f"c{i:03}" for i in range(len(gaps))]
    return sign_flip({"x": gaps}, names)["x"]


def test_fishers_own_example_comes_out_at_5_267_percent() -> None:
    found = flip(DARWIN)
    assert found.exact
    assert found.p == 1726 / 32768  # section 21: 863 arrangements on each side
    assert (found.clusters, found.differing, found.smallest) == (15, 15, 2**-14)


def test_three_clusters_worked_by_hand() -> None:
    # Sums 3, 1, -2, together 2. |+-3 +-1 +-2| is 6, 4, 2 or 0, two ways each: 6 of 8 reach 2.
    found = flip([1, 2, 1, -2], ["a", "a", "b", "c"])
    assert (found.p, found.smallest) == (0.75, 0.25)


def test_whole_clusters_are_flipped_not_plays() -> None:
    # Six plays that all say 1 would give 2 / 2^6; in two clusters they give 2 / 2^2.
    assert flip([1] * 6).p == 2 / 64
    assert flip([1] * 6, ["a", "a", "a", "b", "b", "b"]).p == 0.5


@pytest.mark.parametrize(("count", "silent"), [(5, False), (6, True)])
def test_it_says_when_no_p_could_have_been_small(count: int, silent: bool) -> None:
    found = flip([1.0] * count)
    assert found.p == found.smallest == 2 ** (1 - count)
    assert (found.note == "") is silent
    assert flip([1.0] * 5).note == "5 of 5 clusters differ: p cannot be less than 0.0625"


def test_clusters_without_a_difference_give_no_evidence() -> None:
    found = flip([1.0] * 3 + [0.0] * 30)
    assert (found.p, found.clusters, found.differing) == (0.25, 33, 3)
    assert found.note == "3 of 33 clusters differ: p cannot be less than 0.25"


def test_a_cluster_whose_differences_cancel_but_for_rounding_does_not_differ() -> None:
    assert flip([0.1, 0.2, -0.3, 1.0], ["a", "a", "a", "b"]).differing == 1


def test_an_agent_does_not_differ_from_itself() -> None:
    assert flip([0.0] * 20).p == 1


def test_one_cluster_can_only_be_flipped_to_its_mirror_image() -> None:
    found = flip([1, 2, 3], ["a", "a", "a"])
    assert (found.p, found.smallest) == (1, 1)


def test_no_pairs_have_no_p() -> None:
    for gaps, clusters in (([], []), ([None], ["a"])):
        assert flip(gaps, clusters) == SignFlip(None, 0, 0, None, False, "no values")


def test_ties_count_as_reaching_it_despite_rounding() -> None:
    # Each flip of thirds is a tie of another; scaled by 0.1 the sums differ in the last digit.
    whole = flip([3, 1, 1, -2, 4, 1])
    assert flip([0.3, 0.1, 0.1, -0.2, 0.4, 0.1]).p == whole.p


@pytest.mark.parametrize(("higher", "lower"), [(13, 4), (21, 19), (40, 0), (60, 30)])
@pytest.mark.parametrize("unit", [1.0, 0.1, 1 / 7])
def test_many_clusters_of_one_size_are_a_binomial_test(
    higher: int, lower: int, unit: float
) -> None:
    found = flip([unit] * higher + [-unit] * lower)
    p = scipy.stats.binomtest(higher, higher + lower).pvalue
    assert found.exact
    assert found.p == pytest.approx(float(p), rel=1e-3)
    assert found.smallest == 2.0 ** (1 - higher - lower)


def count_flips(sums: Sequence[int]) -> float:
    """The share of flips that reach the sum, by adding one cluster after the other."""
    ways = {0: 1}
    for size in sums:
        added: dict[int, int] = {}
        for total, count in ways.items():
            for flipped in (total + size, total - size):
                added[flipped] = added.get(flipped, 0) + count
        ways = added
    reached: int = sum(count for total, count in ways.items() if abs(total) >= abs(sum(sums)))
    return float(reached / 2 ** len(sums))


@given(st.lists(st.integers(-12, 15), min_size=17, max_size=60), st.sampled_from([1, 3, 7, 42]))
def test_whole_sums_of_many_clusters_are_counted_exactly(sums: list[int], parts: int) -> None:
    found = flip([total / parts for total in sums])
    assert found.p == pytest.approx(count_flips(sums), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("count", [17, 60])
def test_sums_without_a_common_step_have_an_error_of_few_percent(count: int) -> None:
    # In steps of .001 they can be counted, which moves the sum by about a thousandth of
    # its spread.
    gaps = np.random.default_rng(count).normal(3.5 / count**0.5, 1, count)
    counted = count_flips(np.rint(gaps * 1000).astype(int).tolist())
    assert 0 < counted < 0.1
    assert flip(gaps.tolist()).p == pytest.approx(counted, rel=0.03)


def test_a_p_that_thirty_metrics_decide_is_not_left_to_chance() -> None:
    # 10,000 random flips would give such a p with an error of a third.
    gaps = [1.0] * 32 + [-1.0] * 11
    p = flip(gaps).p
    assert p == pytest.approx(float(scipy.stats.binomtest(32, 43).pvalue), rel=1e-9)
    assert 0.001 < (p or 0) < 0.002


def test_scipy_counts_the_same() -> None:
    gaps = np.random.default_rng(1).normal(0.5, 1, 10)
    theirs = scipy.stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=10_000
    )
    assert flip(gaps.tolist()).p == pytest.approx(float(theirs.pvalue), rel=1e-12)


def test_under_no_difference_p_is_below_5_percent_in_about_5_percent() -> None:
    draws = np.random.default_rng(3)
    effects = np.repeat(draws.normal(0, 1, (400, 12)), 4, axis=1)
    gaps = effects + draws.normal(0, 1, (400, 48))
    columns = {str(i): row.tolist() for i, row in enumerate(gaps)}
    found = sign_flip(columns, [f"c{i // 4}" for i in range(48)])
    assert 0.02 <= sum(one.p is not None and one.p <= 0.05 for one in found.values()) / 400 <= 0.08


@given(rows)
def test_it_is_the_share_of_all_ways_to_flip(table: list[tuple[str, int]]) -> None:
    sums: dict[str, int] = {}
    for cluster, gap in table:
        sums[cluster] = sums.get(cluster, 0) + gap
    ways = [
        abs(sum(s * x for s, x in zip(signs, sums.values(), strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    share = sum(way >= abs(sum(sums.values())) for way in ways) / len(ways)
    assert flip([gap for _, gap in table], [name for name, _ in table]).p == share


@pytest.mark.parametrize("count", [8, 30])
def test_order_sides_and_company_do_not_matter(count: int) -> None:
    draws = np.random.default_rng(2)
    gaps: list[float | None] = draws.normal(0.3, 1, 3 * count).tolist()
    gaps[4] = None
    clusters = [f"c{i % count}" for i in range(3 * count)]
    alone = flip(gaps, clusters)
    order = list(range(3 * count))
    random.Random(1).shuffle(order)
    assert flip([gaps[i] for i in order], [clusters[i] for i in order]) == alone
    assert flip([None if gap is None else -gap for gap in gaps], clusters) == alone
    beside: dict[str, list[float | None]] = {"x": gaps, "y": [1.0] * (3 * count)}
    assert sign_flip(beside, clusters)["x"] == alone


def test_values_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        flip([float("nan")])
    with pytest.raises(ValueError, match="2 values and 1 clusters"):
        flip([1, 2], ["a"])
