"""People's means corrected by a judge: bias is taken off, a good judge saves ratings."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats import JudgedPlay, correct_means


def plays(seed: int, noise: float = 0.3, bias: float = 2.0) -> list[JudgedPlay]:
    """60 plays in 15 scenarios, a third of them rated, each by one of 8; the true mean is 0."""
    rng = np.random.default_rng(seed)
    scenarios, severity = rng.normal(0, 0.4, 15), rng.normal(0, 0.1, 8)
    truth = scenarios[np.arange(60) % 15] + rng.normal(0, 0.8, 60)
    rated, raters = rng.permutation(60) < 20, rng.integers(0, 8, 60)
    return [
        JudgedPlay(
            f"s{i % 15}",
            truth[i] + bias + rng.normal(0, noise),
            ((f"r{raters[i]}", truth[i] + severity[raters[i]] + rng.normal(0, 0.3)),)
            if rated[i]
            else (),
        )
        for i in range(60)
    ]


def test_by_hand_with_a_judge_that_is_two_too_high() -> None:
    scores = (1, 2, 3, 4, 5, 4, 5, 6, 7, 8)
    rows = [
        JudgedPlay(f"s{i}", y + 2.0, (("ann", float(y)),) if i < 5 else ())
        for i, y in enumerate(scores)
    ]
    found = correct_means(rows)
    assert found is not None
    # People's mean is 3; the judge's of the rated 5, of the others 8. What clusters add: people's
    # (-2, -1, 0, 1, 2) / 5, the judge's the same, and (2, 1, 0, -1, -2) / 5 in the others: the
    # weight is 10 / 25 over 10 / 25 + 10 / 25.
    weight = 0.4 / 0.8
    assert found.weight == pytest.approx(weight)
    assert found.people.value == pytest.approx(3.0)
    assert found.judge.value == pytest.approx(6.5)
    assert found.corrected.value == pytest.approx(3.0 + weight * 3.0)


def test_as_the_package_of_the_authors_has_it_where_plays_are_independent() -> None:
    # ppi-python 0.2.3, with one rater and a scenario to each play:
    # rng = np.random.default_rng(11); f = rng.normal(5, 2, 400); y = .8 f + rng.normal(0, 1, 400)
    # ppi_mean_ci(y[:80], f[:80], f[80:], alpha=.05), and the point estimate likewise.
    rng = np.random.default_rng(11)
    judge = rng.normal(5, 2, 400)
    people = 0.8 * judge + rng.normal(0, 1, 400)
    rows = [
        JudgedPlay(f"s{i}", judge[i], (("ann", people[i]),) if i < 80 else ()) for i in range(400)
    ]
    found = correct_means(rows)
    assert found is not None
    assert found.corrected.value == pytest.approx(4.08586, abs=0.01)
    assert found.corrected.high is not None
    assert found.corrected.low is not None
    width = found.corrected.high - found.corrected.low
    assert width == pytest.approx(4.36771 - 3.80400, rel=0.03)


def test_intervals_hold_the_truth_and_are_narrower_than_peoples() -> None:
    held, widths, saved = [], [], []
    for seed in range(200):
        found = correct_means(plays(seed))
        assert found is not None
        one, people = found.corrected, found.people
        assert one.low is not None
        assert one.high is not None
        assert people.low is not None
        assert people.high is not None
        held.append(one.low <= 0 <= one.high)
        widths.append((one.high - one.low) / (people.high - people.low))
        saved.append(found.saved or 0.0)
    assert np.mean(held) >= 0.93
    assert np.median(widths) < 0.9
    assert np.median(saved) > 5


def test_a_judge_that_knows_nothing_is_left_out() -> None:
    found = correct_means(plays(1, noise=1000.0))
    assert found is not None
    assert found.weight == pytest.approx(0, abs=0.01)
    assert found.corrected.value == pytest.approx(found.people.value, abs=0.5)


def test_a_difference_takes_the_bias_for_one_agent_off() -> None:
    a, b = plays(1, noise=0.01, bias=2.0), plays(1, noise=0.01, bias=0.0)
    rows = [*a, *(JudgedPlay(one.cluster, one.judge, one.ratings, -1.0) for one in b)]
    found = correct_means(rows)
    assert found is not None
    assert found.judge.value == pytest.approx(2.0, abs=0.05)
    assert found.corrected.value == pytest.approx(0.0, abs=0.05)


def test_nothing_is_corrected_without_ratings_or_without_plays_that_nobody_rated() -> None:
    rows = plays(1)
    assert correct_means([row for row in rows if row.ratings]) is None
    assert correct_means([row for row in rows if not row.ratings]) is None
    assert correct_means([row for row in rows if not row.ratings or row.cluster < "s12"]) is None


def test_the_weight_is_that_of_sums_over_scenarios() -> None:
    # In each scenario a rated play, judged as people did, 1 to 5, and another, judged 5 to 1: what
    # scenarios add to the judge's difference is twice what they add to people's mean.
    rows = [
        row
        for i in range(5)
        for row in (
            JudgedPlay(f"s{i}", i + 1.0, (("ann", i + 1.0),)),
            JudgedPlay(f"s{i}", 5.0 - i),
        )
    ]
    found = correct_means(rows)
    assert found is not None
    assert found.weight == pytest.approx(0.5)


def test_nothing_is_corrected_by_a_play_or_two_without_a_rating() -> None:
    # One of 30 is unrated: its deviation from its own mean is 0, which is no sign of certainty.
    rows = [JudgedPlay(f"s{i}", i % 7, (("ann", i % 5),) if i else ()) for i in range(30)]
    assert correct_means(rows) is None
