"""Intervals on a scale: cut, of a rate, of clusters at one end; by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta, norm
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


@pytest.mark.parametrize(("hits", "plays"), [(0, 12), (1, 12), (6, 12), (11, 12), (3, 40)])
def test_of_single_plays_a_rate_has_the_interval_of_clopper_and_pearson(
    hits: int, plays: int
) -> None:
    values = [1.0] * hits + [0.0] * (plays - hits)
    found = on_scale(mean(values, [f"c{i}" for i in range(plays)]), 0, 1)
    expected = proportion_confint(hits, plays, method="beta")
    assert found.method == "end"
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)


def test_a_rate_of_clustered_plays_worked_by_hand() -> None:
    # Clusters 2/2, 1/2, 1/2, 0/2, 2/2: p = .6; cluster means less p: .4, -.1, -.1, -.6, .4; squares
    # .70; error^2 = .7 / (5 * 4) = .035. Effective: .24 / .035 = 6.857143, times (t(9) / t(4))^2 =
    # (2.262157 / 2.776445)^2 = .663846: 4.552089, hits 2.731253, misses 1.820836.
    values = [1, 1, 1, 0, 1, 0, 0, 0, 1, 1]
    found = on_scale(mean(values, list("aabbccddee")), 0, 1)
    assert found.method == "rate"
    assert found.error == pytest.approx(0.035**0.5)
    low, high = beta.ppf(0.025, 2.731253, 2.820836), beta.ppf(0.975, 3.731253, 1.820836)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)


def test_a_rate_never_rests_on_more_plays_than_there_are() -> None:
    # Every cluster but for one half: less scatter than that of independent plays.
    values = [1, 0] * 5 + [1, 1]
    found = on_scale(mean(values, list("aabbccddeeff")), 0, 1)
    expected = proportion_confint(7, 12, method="beta")
    assert (found.low, found.high) == pytest.approx(expected)


def test_a_rate_on_another_scale_is_the_same_there() -> None:
    plays = [1, 1, 1, 0, 1, 0, 0, 0, 1, 1]
    share = on_scale(mean(plays, list("aabbccddee")), 0, 1)
    loss = on_scale(mean([10 * play - 10 for play in plays], list("aabbccddee")), -10, 0)
    assert share.low is not None
    assert loss.low == pytest.approx(10 * share.low - 10)


def test_scores_between_the_ends_are_no_rate() -> None:
    assert on_scale(mean([0, 1, 0.5, 1, 0.2], list("abcde")), 0, 1).method == "t"
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


# Clusters at one end


@pytest.mark.parametrize(
    ("value", "ends", "expected"),
    [
        # 0.025^(1/6) = 0.540742; at 0 mirrored. On other scales the pseudo-cluster weighs .4: the
        # upper 2.5 % of Beta(.4, 6), ten times.
        (1, (0, 1), (0.540742, 1)),
        (0, (0, 1), (0, 0.459258)),
        (0, (-10, 0), (-10 * float(beta.ppf(0.975, 0.4, 6)), 0)),
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


@pytest.mark.parametrize(
    ("alike", "worse", "ends"),
    [
        ([0] * 28, [0] * 27 + [-1], (-10, 0)),
        ([10] * 20, [10] * 19 + [9], (0, 10)),
        ([1] * 70, [1] * 69 + [0], (0, 1)),
    ],
)
def test_one_score_less_does_not_tell_more(
    alike: list[float], worse: list[float], ends: tuple[float, float]
) -> None:
    homes = [f"c{i % 10}" for i in range(len(alike))]
    best, second = (on_scale(mean(values, homes), *ends) for values in (alike, worse))
    assert best.low is not None
    assert second.low is not None
    assert best.low > second.low


@st.composite
def near_an_end(draw: st.DrawFn) -> tuple[list[list[float]], tuple[float, float]]:
    """Clusters of one to three scores, more than half of them at the top."""
    ends = draw(st.sampled_from([(0.0, 10.0), (-10.0, 0.0), (0.0, 1.0)]))
    step = (ends[1] - ends[0]) / 10
    scores = st.lists(st.integers(0, 10).map(lambda i: ends[0] + step * i), min_size=1, max_size=3)
    others = draw(st.lists(scores, min_size=1, max_size=8))
    sizes = draw(st.lists(st.integers(1, 3), min_size=len(others), max_size=len(others) + 9))
    return [*others, *([ends[1]] * size for size in sizes)], ends


@given(near_an_end(), st.data())
def test_a_worse_score_never_gives_a_better_interval(
    case: tuple[list[list[float]], tuple[float, float]], data: st.DataObject
) -> None:
    clusters, (low, high) = case
    values = [score for cluster in clusters for score in cluster]
    homes = [f"c{i}" for i, cluster in enumerate(clusters) for _ in cluster]
    place = data.draw(st.integers(0, sum(map(len, clusters[: len(clusters) // 2])) - 1))
    worse = values.copy()
    worse[place] = data.draw(st.floats(low, values[place]))
    before, after = (on_scale(mean(some, homes), low, high) for some in (values, worse))
    if after.method != "end":  # now less than half of the clusters are at the top
        return
    assert None not in (before.low, before.high, after.low, after.high)
    rounding = 1e-6 * (high - low)
    assert after.low <= before.low + rounding  # type: ignore[operator]
    assert after.high <= before.high + rounding  # type: ignore[operator]


@pytest.mark.parametrize("count", [2, 6, 14, 60, 800])
def test_limits_near_an_end_are_those_of_weights_drawn_at_random(count: int) -> None:
    random = np.random.default_rng(count)
    values = np.where(np.arange(count) < 0.6 * count, 10.0, random.integers(0, 10, count))
    found = on_scale(mean(values.tolist(), [f"c{i}" for i in range(count)]), 0, 10)
    weight = 0.4 if count >= 5 else 1.0
    drawn = np.column_stack(
        [random.exponential(size=(40_000, count)), random.gamma(weight, size=40_000)]
    )
    drawn /= drawn.sum(axis=1, keepdims=True)
    low = np.quantile(drawn[:, :count] @ values, 0.025)
    high = np.quantile(drawn[:, :count] @ values + 10 * drawn[:, count], 0.975)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.05)


@pytest.mark.parametrize(("share", "plays"), [(0.7, 2), (0.9, 2), (0.9, 5)])
@pytest.mark.parametrize("count", [8, 14])
def test_93_of_100_intervals_hold_a_mean_near_the_ceiling(
    share: float, plays: int, count: int
) -> None:
    """Tens but for 30 or 10 %, which are 0 to 9; plays of a cluster are alike (.5)."""
    random, held = np.random.default_rng([count, plays, int(100 * share)]), []
    homes = [f"c{i}" for i in range(count) for _ in range(plays)]
    for _ in range(400):
        shared = random.normal(size=(count, 1))
        place = norm.cdf((shared + random.normal(size=(count, plays))) / 2**0.5)
        lost = np.ceil(np.clip((place - share) / (1 - share), 0, 1) * 10)
        found = on_scale(mean((10 - lost).ravel().tolist(), homes), 0, 10)
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= 10 - 5.5 * (1 - share) <= found.high)
    assert np.mean(held) >= 0.93


def test_a_true_mean_at_the_end_of_that_interval_shows_itself_in_975_of_1000_studies() -> None:
    """Of 4 clusters, each at 1 with the chance of the end itself: 2.5 % come out all 1."""
    alike = Estimate(1, 4, 4, None, None, "none", note="no variation between clusters")
    least = on_scale(alike, 0, 1).low
    assert least is not None
    draws = np.random.default_rng(1).random((20_000, 4)) < least
    assert draws.all(axis=1).mean() == pytest.approx(0.025, abs=0.004)
