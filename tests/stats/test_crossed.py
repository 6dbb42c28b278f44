"""Errors clustered by scenario and rater: beside statsmodels, by hand, and in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats import (
    Estimate,
    KeyedValue,
    RatedPlay,
    compare,
    crossed_estimate,
    for_other_raters,
    mean,
    on_scale,
)


def study(seed: int, rater_sd: float = 1.0, raters: int = 8) -> list[RatedPlay]:
    """28 plays in 14 scenarios, two raters each; the true mean is 0."""
    rng = np.random.default_rng(seed)
    severity, scenarios = rng.normal(0, rater_sd, raters), rng.normal(0, 0.5, 14)
    return [
        RatedPlay(
            f"s{play % 14}",
            tuple(
                (f"r{r}", scenarios[play % 14] + severity[r] + rng.normal())
                for r in {play % raters, (play * 3 + 1) % raters}
            ),
        )
        for play in range(28)
    ]


def holds(found: Estimate) -> bool:
    """Whether an interval holds 0."""
    return found.low is not None and found.high is not None and found.low <= 0 <= found.high


def turned(plays: list[RatedPlay]) -> list[RatedPlay]:
    """As the side that is taken off."""
    return [play._replace(weight=-play.weight) for play in plays]


def test_a_balanced_design_has_the_error_that_statsmodels_gives() -> None:
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    rng = np.random.default_rng(3)
    raters, scenarios = rng.normal(0, 2, 5), rng.normal(0, 2, 6)
    cells = [(s, r) for s in range(6) for r in range(5)]
    y = np.array([scenarios[s] + raters[r] + rng.normal() for s, r in cells])
    plays = [
        RatedPlay(f"s{s}", tuple((f"r{r}", y[i]) for i, (t, r) in enumerate(cells) if t == s))
        for s in range(6)
    ]
    fit = OLS(y, np.ones(len(y))).fit()
    both, *_ = cov_cluster_2groups(
        fit, np.array([s for s, _ in cells]), np.array([r for _, r in cells])
    )
    found = crossed_estimate(plays)
    assert found is not None
    assert found.error is not None
    assert (found.clusters, found.raters, found.freedom) == (6, 5, 4)
    assert found.value == pytest.approx(y.mean())
    assert found.error**2 == pytest.approx(float(np.squeeze(both)), rel=1e-9)


def test_the_variance_between_raters_is_unbiased_however_unequally_they_rate() -> None:
    # One rater gave half of all ratings, and nothing varies but raters: the expected squared error
    # of the mean is the sum of squared shares.
    rng, sizes = np.random.default_rng(1), (12, 4, 4, 2, 2)
    squares = []
    for _ in range(4000):
        severity = rng.normal(size=5)
        given = [(f"r{r}", severity[r]) for r, size in enumerate(sizes) for _ in range(size)]
        found = crossed_estimate([RatedPlay(f"s{i % 12}", (one,)) for i, one in enumerate(given)])
        assert found is not None
        squares.append((found.error or 0.0) ** 2)
    assert np.mean(squares) >= sum((size / 24) ** 2 for size in sizes) * 0.98


def test_of_one_or_two_raters_it_is_the_interval_clustered_by_scenario() -> None:
    scores, clusters = [1.0, 2.0, 4.0, 3.0, 6.0], ["a", "b", "c", "a", "d"]
    for raters in ("x", "xy"):
        plays = [
            RatedPlay(cluster, tuple((who, score) for who in raters))
            for score, cluster in zip(scores, clusters, strict=True)
        ]
        found, alone = crossed_estimate(plays), mean(scores, clusters)
        assert (found.method, found.raters) == ("t", len(raters))
        assert (found.value, found.low, found.high) == pytest.approx(
            (alone.value, alone.low, alone.high)
        )


def test_no_interval_is_narrower_than_for_these_raters() -> None:
    for seed in range(20):
        plays = study(seed, rater_sd=0.0)
        scores = [sum(v for _, v in play.ratings) / len(play.ratings) for play in plays]
        found, alone = crossed_estimate(plays), mean(scores, [play.cluster for play in plays])
        assert found.method == "crossed"
        assert (found.low or 0.0) <= (alone.low or 0.0) + 1e-9
        assert (found.high or 0.0) >= (alone.high or 0.0) - 1e-9


def test_intervals_hold_the_truth_for_other_raters() -> None:
    plays = [study(seed) for seed in range(300)]
    alone = [mean([p.ratings[0][1] for p in some], [p.cluster for p in some]) for some in plays]
    assert np.mean([holds(crossed_estimate(some)) for some in plays]) >= 0.93
    assert np.mean([holds(one) for one in alone]) < 0.85


def test_weights_make_blocks_count_alike() -> None:
    # Scenario a has two plays of 2 and 4, b one of 9: the mean of the means is 6.
    plays = [
        RatedPlay("a", (("x", 2.0),), 0.5),
        RatedPlay("a", (("y", 4.0),), 0.5),
        RatedPlay("b", (("z", 9.0),)),
    ]
    assert crossed_estimate(plays).value == pytest.approx(6.0)


def test_raters_of_both_sides_cancel_in_a_difference() -> None:
    a = study(1, rater_sd=50.0)
    b = [p._replace(ratings=tuple((w, v + i % 3) for w, v in p.ratings)) for i, p in enumerate(a)]
    found = crossed_estimate([*a, *turned(b)])
    assert found is not None
    assert found.value == pytest.approx(-27 / 28)  # 28 plays: 0, 1, 2, ..., 0
    assert found.error is not None
    assert found.error < 0.5


def test_a_comparison_finds_no_difference_that_one_severe_rater_makes() -> None:
    # Ten of twelve plays of a were rated by a lenient person, ten of b's by a severe one.
    rng = np.random.default_rng(5)
    severity = {"kind": 3.0, "harsh": -3.0, "plain": 0.0}
    sides = []
    for most in ("kind", "harsh"):
        who = [most] * 10 + ["plain", "harsh" if most == "kind" else "kind"]
        sides.append([(w, severity[w] + rng.normal(0, 0.3)) for w in who])
    rows = [[KeyedValue(i, f"s{i}", value) for i, (_, value) in enumerate(side)] for side in sides]
    fixed = compare({"goal": (rows[0], rows[1])})
    plays = [
        RatedPlay(f"s{i}", (one,), sign)
        for side, sign in zip(sides, (1.0, -1.0), strict=True)
        for i, one in enumerate(side)
    ]
    found = for_other_raters(fixed, {"goal": plays})["goal"]
    assert (fixed["goal"].holm_p or 1.0) < 0.01
    assert (found.holm_p or 0.0) > 0.05
    assert found.difference.method == "model"
    # Adjusted for severity nothing is left of the 4.6 between the two means.
    assert fixed["goal"].difference.value == pytest.approx(4.6, abs=0.1)
    assert found.difference.value == pytest.approx(0.0, abs=0.3)
    assert found.p == found.holm_p
    # Much of what severity hid could be seen; with three raters the freedom stays small.
    assert (found.design.detectable or 0.0) < 0.5 * (fixed["goal"].design.detectable or 0.0)


def test_holm_and_looks_count_for_raters_too() -> None:
    a, b = study(1), study(2)
    a = [p._replace(ratings=tuple((who, v + 2.5) for who, v in p.ratings)) for p in a]
    rows = [
        [KeyedValue(i, p.cluster, p.ratings[0][1]) for i, p in enumerate(side)] for side in (a, b)
    ]
    tests = compare({"goal": (rows[0], rows[1]), "relationship": (rows[0], rows[1])}, 2)
    plays = [*a, *turned(b)]
    found = for_other_raters(tests, {"goal": plays, "relationship": plays}, 2)["goal"]
    assert found.p is not None
    assert found.p < 0.2
    assert found.holm_p == pytest.approx(4 * found.p)
    assert found.design.alpha == pytest.approx(0.05 / 4)


def test_a_play_without_ratings_is_refused() -> None:
    with pytest.raises(ValueError, match="each play needs a rating"):
        crossed_estimate([RatedPlay("a", ())])


def rated(cluster: str, score: float, rater: str, weight: float = 1.0) -> RatedPlay:
    """A play that one person rated."""
    return RatedPlay(cluster, ((rater, score),), weight)


def test_a_side_of_one_scenario_has_no_interval_however_many_the_other_has() -> None:
    others = [rated(f"s{i}", i % 3, f"r{i % 4}", -1) for i in range(12)]
    found = crossed_estimate([rated("alone", 2.0, "r1"), rated("alone", 3.0, "r2"), *others])
    assert (found.low, found.note) == (None, "1 cluster")


def test_a_rater_who_gave_nearly_all_ratings_counts_as_few() -> None:
    # Shares .8, .1 and .1 count as 1 / (.64 + .01 + .01) = 1.515 raters: one degree of freedom at
    # least. Equal shares count as three, so that there are two.
    for shares, freedom in (((8, 1, 1), 1.0), ((4, 4, 4), 2.0)):
        raters = [f"r{i}" for i, many in enumerate(shares) for _ in range(many)]
        plays = [rated(f"s{i}", (i * 7) % 5, who) for i, who in enumerate(raters)]
        assert crossed_estimate(plays).freedom == pytest.approx(freedom)


def test_where_all_ratings_lie_at_one_end_few_raters_rule_out_little() -> None:
    # Three raters: .025 ** (1 / 3) = .292 of the scale; three scenarios more would say no more.
    plays = [rated(f"s{i}", 10.0, f"r{i % 3}") for i in range(60)]
    assert on_scale(crossed_estimate(plays), 0, 10).low == pytest.approx(10 * 0.025 ** (1 / 3))
