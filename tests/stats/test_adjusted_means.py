"""People's means adjusted for severity, and their slopes, where the truth is planted."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats import RatedPlay, adjust_means, crossed_estimate

SEVERITY = np.linspace(-2, 2, 10)


def study(seed: int, *, b_better: float = 0.0, lopsided: bool = True) -> list[RatedPlay]:
    """Sides a and b, 24 plays each in 12 scenarios, two of ten raters a play; `lopsided`: a has the
    lenient half of the raters four times of five, b the severe half."""
    rng = np.random.default_rng(seed)
    scenario, severity = rng.normal(0, 1, 12), -SEVERITY + rng.normal(0, 0.1, 10)
    plays = []
    for side, better in (("a", 0.0), ("b", b_better)):
        odds = np.ones(10)
        if lopsided:
            odds[:5], odds[5:] = (4, 1) if side == "a" else (1, 4)
        for play in range(24):
            truth = scenario[play % 12] + better + rng.normal(0, 0.5)
            given = tuple(
                (f"r{r}", float(truth + severity[r] + rng.normal(0, 0.5)))
                for r in rng.choice(10, 2, replace=False, p=odds / odds.sum())
            )
            plays.append(RatedPlay(f"s{play % 12}", given, side=side))
    return plays


def test_a_side_that_severe_raters_got_is_not_the_worse_for_it() -> None:
    plays = study(1, b_better=1.0)
    raw = crossed_estimate([p._replace(weight=-1.0 if p.side == "a" else 1.0) for p in plays])
    found = adjust_means(plays).contrast({"b": 1, "a": -1})
    assert (raw.value or 0) < 0
    assert found.value == pytest.approx(1.0, abs=0.4)
    assert (found.high or 0) - (found.low or 0) < 0.6 * ((raw.high or 0) - (raw.low or 0))


def test_intervals_of_differences_hold_the_truth() -> None:
    gaps = [adjust_means(study(seed)).contrast({"b": 1, "a": -1}) for seed in range(120)]
    held = [
        gap.low <= 0 <= gap.high for gap in gaps if gap.low is not None and gap.high is not None
    ]
    assert len(held) == 120
    assert np.mean(held) >= 0.9


def test_where_everybody_rates_everything_means_are_those_of_the_ratings() -> None:
    rng = np.random.default_rng(3)
    plays = [
        RatedPlay(f"s{i}", tuple((f"r{r}", float(rng.integers(1, 9))) for r in range(4)), side=side)
        for side in "ab"
        for i in range(6)
    ]
    means = adjust_means(plays)
    for side in "ab":
        values = [v for play in plays if play.side == side for _, v in play.ratings]
        assert means.contrast({side: 1}).value == pytest.approx(np.mean(values))


def test_severity_alone_is_not_taken_for_a_liking() -> None:
    # Each rater is as severe to a as to b, which is a point better: the likelihood has a second
    # maximum, at which raters only like one side.
    severity = {"kind": 2, "mild": 1, "fair": 0, "strict": -1, "harsh": -2}
    plays = []
    for i in range(8):
        given = tuple((w, 5.0 + s + (i + j) % 2) for j, (w, s) in enumerate(severity.items()))
        plays.append(RatedPlay(f"s{i}", given[:4], side="a"))
        plays.append(RatedPlay(f"s{i}", tuple((w, v + 1) for w, v in given[2:]), side="b"))
    found = adjust_means(plays).contrast({"b": 1, "a": -1})
    assert found.value == pytest.approx(1.0, abs=0.1)
    assert (found.low or 0) > 0.2


def test_a_side_that_scatters_more_has_the_larger_error() -> None:
    # Nothing but plays varies: by 1 in a, by 4 in b, 60 plays each.
    rng = np.random.default_rng(7)
    plays = [
        RatedPlay(f"s{i}", ((f"r{i % 5}", float(rng.normal(0, sd))),), side=side)
        for side, sd in (("a", 1.0), ("b", 4.0))
        for i in range(60)
    ]
    means = adjust_means(plays)
    squares = []
    for side in "ab":
        values = [v for play in plays if play.side == side for _, v in play.ratings]
        squares.append(np.var(values, ddof=1) / 60)
        assert means.contrast({side: 1}).error == pytest.approx(np.sqrt(squares[-1]), rel=0.25)
    gap = means.contrast({"a": 1, "b": -1})
    assert gap.error == pytest.approx(np.sqrt(sum(squares)), rel=0.15)


def test_raters_who_are_severe_on_one_side_only_are_an_error_of_the_difference() -> None:
    # Whether a rater likes b is the rater's own: 8 raters, each by N(0, 1), on 64 plays of b.
    errors = list[float]()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        liking = rng.normal(0, 1, 8)
        plays = [
            RatedPlay(
                f"s{i % 16}",
                ((f"r{i % 8}", float((side == "b") * liking[i % 8] + rng.normal(0, 0.5))),),
                side=side,
            )
            for side in "ab"
            for i in range(64)
        ]
        errors.append(adjust_means(plays).contrast({"b": 1, "a": -1}).error or 0.0)
    assert np.mean(errors) == pytest.approx(np.sqrt(1 / 8), rel=0.3)


def test_what_pairs_share_cancels() -> None:
    # Both sides of a pair have the pair's own level: only what differs within pairs is error.
    rng = np.random.default_rng(4)
    plays, gaps = [], []
    for pair in range(20):
        level, gap = rng.normal(0, 5), 1 + rng.normal(0, 0.3)
        gaps.append(gap)
        for side, value in (("a", level), ("b", level + gap)):
            given = tuple((f"r{r}", float(value + 0.01 * rng.normal())) for r in range(3))
            plays.append(RatedPlay(f"s{pair % 10}", given, side=side, block=f"p{pair}"))
    found = adjust_means(plays).contrast({"b": 1, "a": -1})
    assert found.value == pytest.approx(np.mean(gaps), abs=0.01)
    assert found.error == pytest.approx(np.std(gaps, ddof=1) / np.sqrt(20), rel=0.2)


def test_a_slope_is_taken_within_sides() -> None:
    # Side b says more and gets more; within a side words change nothing.
    plays, words = [], []
    rng = np.random.default_rng(5)
    for side, level in (("a", 0.0), ("b", 5.0)):
        for i in range(20):
            given = tuple((f"r{r}", float(level + rng.normal())) for r in range(3))
            plays.append(RatedPlay(f"s{i}", given, side=side))
            words.append(level + rng.normal())
    found = adjust_means(plays, words).slope()
    assert found.value == pytest.approx(0.0, abs=0.3)
    assert (found.low or 1) < 0 < (found.high or -1)


def test_what_cannot_be_told_has_no_interval_and_says_why() -> None:
    alike = [RatedPlay(f"s{i}", (("r", 4.0),), side="a") for i in range(5)]
    found = adjust_means(alike).contrast({"a": 1})
    assert (found.value, found.low, found.note) == (4.0, None, "no variation between clusters")
    single = [RatedPlay("s", (("r", float(i)), ("q", 2.0)), side="a") for i in range(5)]
    assert adjust_means(single).contrast({"a": 1}).note == "1 cluster"
    flat = adjust_means(study(6), [1.0] * 48).slope()
    assert (flat.value, flat.low) == (None, None)
    with pytest.raises(ValueError, match="at least a rating each"):
        adjust_means([])
