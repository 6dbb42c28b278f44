"""What a design could have seen: textbook sample sizes, moments by hand, scipy, a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from scipy.optimize import brentq

from sociolab.stats import (
    Design,
    Needed,
    OnAll,
    describe_design,
    mean,
    needed_sample,
    repeats_on_all,
    t_quantile,
)

# Cluster means 2, 6, 10 of two pairs each.
SIX, HOMES = (1, 3, 5, 7, 9, 11), ("a", "a", "b", "b", "c", "c")

# Cluster means 1 and 9 in turn, of two pairs each.
SIXTEEN, EIGHT = (0, 2, 8, 10) * 4, [f"c{i // 2}" for i in range(16)]
TOO_FEW = "too few clusters differ for any result to be significant"
SEEN = 1.0 + 8 / (60 * 6)
"""Of 8 clusters p comes in steps of 1/128, of which .05 has room for 6: see `power`."""


def spread(count: int) -> tuple[list[float], list[str]]:
    """One pair in each of an even number of clusters, with standard deviation 1."""
    far = math.sqrt((count - 1) / count)
    return [far, -far] * (count // 2), [f"c{i}" for i in range(count)]


def test_three_clusters_of_two_worked_by_hand() -> None:
    # Within: SS 2 + 2 + 2 = 6 over 3 degrees = 2. Between: 2 x (16 + 0 + 16) over 2 = 32;
    # (32 - 2) / 2 = 15. Sums of deviations -8, 0, 8: se = sqrt(3/2 x 128) / 6.
    found = describe_design(SIX, HOMES)
    assert (found.pairs, found.clusters, found.within, found.between) == (6, 3, 2, 15)
    assert found.error == pytest.approx(math.sqrt(192) / 6)
    assert (found.detectable, found.note) == (None, TOO_FEW), "p of 3 clusters is .25 at least"


def t_finds(freedom: int, level: float) -> float:
    """The difference in standard errors that a t-test finds in 8 of 10 cases, by scipy."""
    edge = scipy.stats.t.ppf(1 - level / 2, freedom)
    return float(brentq(lambda d: scipy.stats.nct.sf(edge, freedom, d) - 0.8, 1, 9))


def test_what_eight_clusters_can_show_rests_on_the_level_that_flips_can_use() -> None:
    # Deviations +-8 of sums: se = sqrt(8/7 x 8 x 64) / 16. Within 2; between (256/7 - 2) / 2.
    found = describe_design(SIXTEEN, EIGHT)
    assert found.error == pytest.approx(math.sqrt(512 * 8 / 7) / 16)
    assert found.within == 2
    assert found.between == pytest.approx(121 / 7)
    assert found.error is not None
    assert found.detectable == pytest.approx(t_finds(7, 6 / 128) * SEEN * found.error, rel=1e-4)


@pytest.mark.parametrize(
    ("count", "measures"), [(6, 1), (7, 1), (8, 1), (10, 1), (9, 8), (10, 8), (12, 8), (11, 15)]
)
def test_the_power_that_is_promised_is_delivered_by_flips(count: int, measures: int) -> None:
    alpha, random = 0.05 / measures, np.random.default_rng(count)
    size = t_finds(count - 1, (steps := math.floor(alpha * 2 ** (count - 1))) / 2 ** (count - 1))
    size *= 1 + count / (60 * steps)
    gaps = spread(count)[0] if count % 2 == 0 else [*spread(count - 1)[0], 0.5]
    made = describe_design(gaps, [f"c{i}" for i in range(count)], alpha)
    assert made.detectable == pytest.approx(size * (made.error or 0), rel=1e-4)
    signs = 1.0 - 2.0 * ((np.arange(1 << (count - 1))[:, None] >> np.arange(count)) & 1)
    found = random.normal(size / math.sqrt(count), 1, (2000, count))
    reached = np.abs(found @ signs.T) >= np.abs(found.sum(axis=1))[:, None] - 1e-9
    assert 0.77 <= (reached.mean(axis=1) <= alpha).mean() <= 0.83


def test_clusters_of_unequal_size_worked_by_hand() -> None:
    # a 0, 2, 4 (mean 2), b 7 (mean 7): grand mean 13/4. SSW = 8 over 2 degrees = 4.
    # SSB = 3 x (5/4)^2 + (15/4)^2 = 75/4 over 1 degree; n0 = (4 - 10/4) / 1 = 1.5.
    found = describe_design([0, 2, 4, 7], ["a", "a", "a", "b"])
    assert found.within == pytest.approx(4)
    assert found.between == pytest.approx((75 / 4 - 4) / 1.5)


def test_a_negative_variance_counts_as_zero() -> None:
    assert describe_design([0, 9, 1, 9, 0, 10], HOMES).between == 0


def test_error_is_that_of_the_interval() -> None:
    values = np.random.default_rng(0).normal(0, 1, 40).tolist()
    clusters = [f"c{i % 7 if i < 30 else 1}" for i in range(40)]
    found, interval = describe_design(values, clusters), mean(values, clusters)
    assert found.error is not None
    assert found.error == pytest.approx(interval.error)


@pytest.mark.parametrize(("ratio", "clusters"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_sample_sizes_are_those_of_printed_tables(ratio: float, clusters: int) -> None:
    # One-sample t, two-sided 0.05, power 0.8: as G*Power and Cohen's conventional d give them.
    assert needed_sample(*spread(20), ratio).clusters == clusters


def test_sample_sizes_beyond_the_tables_follow_the_normal_distribution() -> None:
    assert needed_sample(*spread(20), 0.05).clusters == 3142  # statsmodels: 3141.47


def test_simulated_designs_find_the_detectable_difference_eight_times_in_ten() -> None:
    # 12 clusters of 3 pairs, variance 1 between and 1 within: true se = sqrt((1 + 1/3) / 12).
    random = np.random.default_rng(5)
    error = math.sqrt((1 + 1 / 3) / 12)
    shift = 3.0784
    edge = t_quantile(0.975, 11)
    assert scipy.stats.nct.sf(edge, 11, shift) == pytest.approx(0.8, abs=2e-3)
    names = [f"c{i}" for i in range(12) for _ in range(3)]
    found = 0
    detectable = []
    for _ in range(500):
        gaps = np.repeat(random.normal(0, 1, 12), 3) + random.normal(shift * error, 1, 36)
        made = describe_design(gaps.tolist(), names)
        assert made.error is not None
        assert made.detectable is not None
        detectable.append(made.detectable)
        found += abs(float(gaps.mean())) > edge * made.error
    assert 0.76 <= found / 500 <= 0.84
    assert np.mean(detectable) == pytest.approx(shift * error, rel=0.04)


def test_repeats_worked_by_hand() -> None:
    # Eight clusters of two: variance of the mean (121/7 + 2 / (2 r)) / 8. With r twice as many it
    # is (121/7 + 1/2) / 8.
    size = t_finds(7, 6 / 128) * SEEN * math.sqrt((121 / 7 + 0.5) / 8)
    found = needed_sample(SIXTEEN, EIGHT, size)
    assert found.repeats == pytest.approx(2, rel=1e-3)
    assert found.clusters == 9


def test_repeats_never_help_where_clusters_differ_too_much() -> None:
    found = needed_sample(SIXTEEN, EIGHT, t_finds(7, 6 / 128) * SEEN * math.sqrt(121 / 7 / 8) - 0.1)
    assert found.repeats is None
    assert found.note == "repeats are never enough: clusters differ too much"
    assert found.clusters is not None


def test_repeats_on_all_clusters_there_are_worked_by_hand() -> None:
    # Of twelve clusters the mean varies by (121/7 + 2 / (2 r)) / 12. Flips of 12 can use 102 steps
    # of 2^-11, and the shift is 1 + 12 / (60 * 102) times that of a t-test.
    shift = t_finds(11, 102 / 2048) * (1 + 12 / (60 * 102))
    found = repeats_on_all(SIXTEEN, EIGHT, shift * math.sqrt((121 / 7 + 1 / 3) / 12), 12)
    assert found.repeats == pytest.approx(3, rel=1e-3)
    assert found.detectable == pytest.approx(shift * math.sqrt(121 / 7 / 12), rel=1e-4)
    assert found.note == ""
    # A hair less than unlimited repeats show.
    less = repeats_on_all(SIXTEEN, EIGHT, shift * math.sqrt(121 / 7 / 12) - 0.01, 12)
    assert (less.repeats, less.detectable) == (None, found.detectable)
    assert less.note == "repeats are never enough: clusters differ too much"


def test_what_repeats_can_do_is_not_told_from_single_pairs_or_of_too_few_clusters() -> None:
    single = repeats_on_all(*spread(20), 0.1, 90)
    assert single == OnAll(90, None, None, "repeats cannot be told: each cluster has 1 pair")
    assert repeats_on_all(SIX, HOMES, 1, 5) == OnAll(5, None, None, TOO_FEW)
    assert repeats_on_all([1, 1], ["a", "b"], 1, 5).note == "no variation between clusters"


def test_a_difference_that_could_be_seen_needs_no_more() -> None:
    assert needed_sample(SIXTEEN, EIGHT, 50) == Needed(50, 6, 1.0), (
        "fewer could never be significant"
    )


def test_clusters_that_do_not_differ_say_nothing_to_flips() -> None:
    gaps = [1.0, 2.0, 1.5, 1.0, 2.0] + [0.0] * 15
    names = [f"c{i}" for i in range(20)]
    assert describe_design(gaps, names).detectable is None
    found = needed_sample(gaps, names, 1.0)
    assert found.note == TOO_FEW
    assert found.clusters == 22, "so many that 6 of them differ, where a quarter does"


def test_repeats_cannot_be_told_from_single_pairs() -> None:
    found = needed_sample(*spread(20), 0.5)
    assert (found.repeats, found.clusters) == (None, 34)
    assert found.note == "repeats cannot be told: each cluster has 1 pair"
    assert describe_design(*spread(20)).within is None


def test_no_difference_is_never_settled() -> None:
    assert needed_sample(SIX, HOMES, 0) == Needed(
        0, None, None, "a difference of 0 is never settled"
    )


def test_nothing_to_go_by_is_said() -> None:
    assert describe_design([], []) == Design(0, 0, None, None, None, None, "no values")
    assert describe_design([1, 2], ["a", "a"]).note == "1 cluster"
    assert describe_design([1, 1], ["a", "b"]).note == "no variation between clusters"
    assert needed_sample([1, 2], ["a", "a"], 1) == Needed(1, None, None, "1 cluster")


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="2 values and 1 clusters"):
        describe_design([1, 2], ["a"])
    with pytest.raises(ValueError, match="finite"):
        describe_design([1, math.nan], ["a", "b"])


def test_its_own_detectable_difference_needs_the_present_clusters() -> None:
    for count in (12, 60, 600):
        gaps, clusters = spread(count)
        size = describe_design(gaps, clusters).detectable
        assert size is not None
        assert needed_sample(gaps, clusters, size * 1.0001) == Needed(size * 1.0001, count, 1.0)


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(-9, 9)), min_size=3, max_size=25),
    st.sampled_from([0.1, -2, 1e6]),
)
def test_a_factor_scales_everything(table: list[tuple[str, int]], factor: float) -> None:
    gaps, clusters = [gap for _, gap in table], [name for name, _ in table]
    before, after = (
        describe_design(gaps, clusters),
        describe_design([factor * gap for gap in gaps], clusters),
    )
    assert after.note == before.note
    for one, other in ((before.error, after.error), (before.detectable, after.detectable)):
        assert (one is None and other is None) or other == pytest.approx(abs(factor) * one)  # type: ignore[operator]
    small = needed_sample(gaps, clusters, 1)
    large = needed_sample([factor * gap for gap in gaps], clusters, factor)
    assert (small.clusters, small.note) == (large.clusters, large.note)
    if small.repeats is not None:
        assert large.repeats == pytest.approx(small.repeats, rel=1e-4)


@pytest.mark.parametrize("alpha", [0, 1, -0.05])
def test_a_level_outside_0_and_1_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="level of significance"):
        describe_design(SIX, HOMES, alpha)
