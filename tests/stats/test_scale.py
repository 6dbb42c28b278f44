"""Intervals on a scale: cut, of a rate, of clusters at one end; by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from statsmodels.stats.proportion import proportion_confint

from sociolab.stats import TRUNCATED_NOTE, Estimate, mean, on_scale


def test_an_interval_of_two_clusters_is_cut_at_both_ends() -> None:
    # Means .1 and .9: 0.5 with se sqrt(2 x 0.32) / 2 = 0.4, times 12.706: -4.58 to 5.58.
    found = on_scale(mean([0.1, 0.9], ["a", "b"]), 0, 1)
    assert (found.value, found.low, found.high, found.note) == (0.5, 0, 1, TRUNCATED_NOTE)


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
        values = 0.1 + 0.8 * draws.binomial(4, 0.875, 3) / 4
        whole = mean(values.tolist(), ["a", "b", "c"])
        cut = on_scale(whole, 0, 1)
        if whole.low is not None and whole.high is not None:
            assert cut.low is not None
            assert cut.high is not None
            assert (whole.low <= 0.8 <= whole.high) == (cut.low <= 0.8 <= cut.high)


# Rates


@pytest.mark.parametrize(("hits", "plays"), [(1, 12), (6, 12), (11, 12), (3, 40)])
def test_of_single_plays_a_rate_has_the_interval_of_clopper_and_pearson(
    hits: int, plays: int
) -> None:
    # error^2 = p (1 - p) / (n - 1), as svyciprop(method = "beta") of R's survey has it: n - 1
    # effective plays, of which p (n - 1) are hits.
    values = [1.0] * hits + [0.0] * (plays - hits)
    found = on_scale(mean(values, [f"c{i}" for i in range(plays)]), 0, 1)
    expected = proportion_confint(hits / plays * (plays - 1), plays - 1, method="beta")
    assert found.method == "rate"
    assert (found.low, found.high) == pytest.approx(expected)


def test_a_rate_of_clustered_plays_worked_by_hand() -> None:
    # Clusters 2/2, 2/2, 1/2, 0/2, 2/2: p = .7; cluster means less p: .3, .3, -.2, -.7, .3; squares
    # .80; error^2 = .8 / (5 * 4) = .04. Effective: .21 / .04 = 5.25, times (t(9) / t(4))^2 =
    # (2.262157 / 2.776445)^2 = .663846: 3.485190, hits 2.439633, misses 1.045557.
    values = [1, 1, 1, 1, 1, 0, 0, 0, 1, 1]
    found = on_scale(mean(values, list("aabbccddee")), 0, 1)
    assert found.error == pytest.approx(0.2)
    low, high = beta.ppf(0.025, 2.439633, 2.045557), beta.ppf(0.975, 3.439633, 1.045557)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)


def test_a_rate_never_rests_on_more_plays_than_there_are() -> None:
    # Every cluster but for one half: less scatter than that of independent plays.
    values = [1, 0] * 5 + [1, 1]
    found = on_scale(mean(values, list("aabbccddeeff")), 0, 1)
    expected = proportion_confint(7, 12, method="beta")
    assert (found.low, found.high) == pytest.approx(expected)


def test_a_rate_on_another_scale_is_the_same_there() -> None:
    share = on_scale(mean([1, 0, 0, 1, 1, 0, 1], list("abcdefg")), 0, 1)
    loss = on_scale(mean([0, -10, -10, 0, 0, -10, 0], list("abcdefg")), -10, 0)
    assert share.low is not None
    assert loss.low == pytest.approx(10 * share.low - 10)


def test_scores_between_the_ends_are_no_rate() -> None:
    assert on_scale(mean([0, 1, 0.5, 1, 0], list("abcde")), 0, 1).method == "t"
    assert on_scale(mean([4, 5, 5, 4, 5], list("abcde")), 0, 10).method == "t"


@pytest.mark.parametrize("chance", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("count", [10, 20])
def test_93_of_100_intervals_hold_the_true_rate_however_rare(chance: float, count: int) -> None:
    """Three plays a cluster, alike: Beta with a correlation of .3 within clusters."""
    random = np.random.default_rng([count, int(100 * chance)])
    clusters = [f"c{i}" for i in range(count) for _ in range(3)]
    held = []
    for _ in range(400):
        chances = random.beta(chance * 7 / 3, (1 - chance) * 7 / 3, (count, 1))
        values = (random.random((count, 3)) < chances).astype(float).ravel()
        found = on_scale(mean(values.tolist(), clusters), 0, 1)
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= chance <= found.high)
    assert np.mean(held) >= 0.93


# All clusters at one end


@pytest.mark.parametrize(
    ("value", "ends", "expected"),
    [
        # 0.025^(1/6) = 0.540742; at 0 mirrored; on -10 to 0 ten times as far from the end.
        (1, (0, 1), (0.540742, 1)),
        (0, (0, 1), (0, 0.459258)),
        (0, (-10, 0), (-4.59258, 0)),
    ],
)
def test_six_clusters_at_one_end_rule_out_what_lies_far_from_it(
    value: float, ends: tuple[float, float], expected: tuple[float, float]
) -> None:
    found = on_scale(mean([value] * 6, list("abcdef")), *ends)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-5)
    assert (found.method, found.note) == ("end", "all clusters lie at one end of the scale")


@pytest.mark.parametrize("values", [[0.5, 0.5], [1.0]])
def test_nothing_is_ruled_out_inside_the_scale_or_by_one_cluster(values: list[float]) -> None:
    whole = mean(values, list("abc")[: len(values)])
    assert on_scale(whole, 0, 1) is whole


def test_a_scale_without_an_end_rules_out_nothing() -> None:
    whole = mean([0.0] * 6, list("abcdef"))
    assert on_scale(whole, 0, float("inf")) is whole


def test_a_true_mean_at_the_end_of_that_interval_shows_itself_in_975_of_1000_studies() -> None:
    """Of 4 clusters, each at 1 with the chance of the end itself: 2.5 % come out all 1."""
    alike = Estimate(1, 4, 4, None, None, "none", note="no variation between clusters")
    least = on_scale(alike, 0, 1).low
    assert least is not None
    draws = np.random.default_rng(1).random((20_000, 4)) < least
    assert draws.all(axis=1).mean() == pytest.approx(0.025, abs=0.004)
