"""Intervals on a scale: cut, of a rate, of clusters at one end; by hand and by simulation."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.stats import beta, norm
from statsmodels.stats.proportion import proportion_confint

from sociolab.stats import TRUNCATED_NOTE, Estimate, mean, on_scale


def test_an_interval_of_two_clusters_is_cut_at_both_ends() -> None:
    # Means .4 and .6: 0.5 with se sqrt(2 x 0.02) / 2 = 0.1, times 12.706: -.77 to 1.77.
    found = on_scale(mean([0.4, 0.6], ["a", "b"]), 0, 1)
    assert (found.value, found.low, found.high, found.note) == (0.5, 0, 1, TRUNCATED_NOTE)


def test_an_interval_on_the_scale_stays_as_it_is() -> None:
    whole = mean([4, 5, 6, 5, 4, 6], list("abcdef"))
    ends = on_scale(whole, 0, 10).low, on_scale(whole, 0, 10).high
    assert ends == pytest.approx((whole.low, whole.high))
    assert on_scale(whole, 0, 8).note == ""
    assert on_scale(mean([6, 7, 8], list("abc")), 0, 9).high == 9


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

FIVE_OF_FOUR = [1, 1, 1, 0] + [1, 1, 0, 0] * 2 + [1, 0, 0, 0] + [1, 1, 1, 0]
HOMES = [name for name in "abcde" for _ in range(4)]


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
    # Clusters 3/4, 2/4, 2/4, 1/4, 3/4: p = .55; cluster means less p: .2, -.05, -.05, -.3, .2;
    # squares .175; error^2 = .175 / (5 * 4) = .00875. Effective: .2475 / .00875 = 28.285714, times
    # (t(19) / t(4))^2 = (2.093024 / 2.776445)^2 = .568294: 16.074603, 8.841032 hits.
    found = on_scale(mean(FIVE_OF_FOUR, HOMES), 0, 1)
    assert found.method == "rate"
    assert found.error == pytest.approx(0.00875**0.5)
    low, high = beta.ppf(0.025, 8.841032, 8.233571), beta.ppf(0.975, 9.841032, 7.233571)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-5)


def test_a_rate_never_rests_on_more_plays_than_there_are() -> None:
    # Every cluster but for one half: less scatter than that of independent plays.
    values = [1, 0] * 5 + [1, 1]
    found = on_scale(mean(values, list("aabbccddeeff")), 0, 1)
    expected = proportion_confint(7, 12, method="beta")
    assert (found.low, found.high) == pytest.approx(expected)


def test_a_rate_on_another_scale_is_the_same_there() -> None:
    share = on_scale(mean(FIVE_OF_FOUR, HOMES), 0, 1)
    loss = on_scale(mean([10 * play - 10 for play in FIVE_OF_FOUR], HOMES), -10, 0)
    assert share.low is not None
    assert loss.low == pytest.approx(10 * share.low - 10)


def test_scores_between_the_ends_are_no_rate() -> None:
    assert on_scale(mean([0.4, 0.6, 0.5, 0.7, 0.2], list("abcde")), 0, 1).method == "t"
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


Clusters: TypeAlias = list[list[float]]


def crowding(clusters: Clusters, end: float) -> float:
    """The share of clusters at an end; those nearer than half the mean distance count in part."""
    away = np.array([abs(float(np.mean(cluster)) - end) for cluster in clusters])
    half = away.mean() / 2
    return 1.0 if half < 1e-12 else float(np.sum((half - away)[away < half]) / half / len(away))


def interval(clusters: Clusters, low: float, high: float) -> tuple[float, float]:
    """On the scale; the whole of it where nothing can be told."""
    values = [score for cluster in clusters for score in cluster]
    homes = [f"c{i}" for i, cluster in enumerate(clusters) for _ in cluster]
    found = on_scale(mean(values, homes), low, high)
    return (low, high) if found.low is None or found.high is None else (found.low, found.high)


@st.composite
def scored_clusters(draw: st.DrawFn) -> tuple[Clusters, tuple[float, float]]:
    """2 to 20 clusters of one to three scores, anywhere or most of them at one end."""
    low, high = draw(st.sampled_from([(0.0, 10.0), (-10.0, 0.0), (0.0, 1.0)]))
    sizes, tenths = st.integers(1, 3), st.integers(0, 10).map(lambda i: low + (high - low) / 10 * i)
    others = draw(st.lists(st.lists(tenths, min_size=1, max_size=3), min_size=1, max_size=10))
    end = draw(st.sampled_from([low, high]))
    crowd = draw(st.lists(sizes.map(lambda n: [end] * n), min_size=1, max_size=10))
    return [*others, *crowd], (low, high)


def worsen(data: st.DataObject, clusters: Clusters, least: float) -> Clusters:
    """One score lowered, by whatever amount."""
    cluster = data.draw(st.integers(0, len(clusters) - 1))
    place = data.draw(st.integers(0, len(clusters[cluster]) - 1))
    worse = [[*each] for each in clusters]
    worse[cluster][place] = data.draw(st.floats(least, clusters[cluster][place]))
    return worse


@given(scored_clusters(), st.data())
def test_where_clusters_crowd_at_one_end_a_worse_score_never_gives_a_better_interval(
    case: tuple[Clusters, tuple[float, float]], data: st.DataObject
) -> None:
    clusters, (low, high) = case
    worse = worsen(data, clusters, low)
    assume(all(max(crowding(each, low), crowding(each, high)) >= 0.5 for each in (clusters, worse)))
    for before, after in zip(
        interval(clusters, low, high), interval(worse, low, high), strict=True
    ):
        assert after <= before + 1e-6 * (high - low)


@given(scored_clusters())
def test_clusters_of_which_half_lie_at_one_end_crowd_there(
    case: tuple[Clusters, tuple[float, float]],
) -> None:
    clusters, ends = case
    for end in ends:
        at_end = sum(set(cluster) == {end} for cluster in clusters)
        assert crowding(clusters, end) >= at_end / len(clusters) - 1e-9


@given(scored_clusters(), st.data())
def test_an_interval_never_jumps(
    case: tuple[Clusters, tuple[float, float]], data: st.DataObject
) -> None:
    """Wherever clusters lie: a score that changes by a millionth of the scale hardly moves it."""
    clusters, (low, high) = case
    assume(len({score for cluster in clusters for score in cluster} - {low, high}) > 0)
    cluster = data.draw(st.integers(0, len(clusters) - 1))
    step = 1e-6 * (high - low)
    moved = [[*each] for each in clusters]
    moved[cluster][0] += step if clusters[cluster][0] < high else -step
    before, after = interval(clusters, low, high), interval(moved, low, high)
    assert after == pytest.approx(before, abs=3e-3 * (high - low))


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
