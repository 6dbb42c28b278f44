"""People's means corrected by a judge: bias is taken off, a good judge saves ratings."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats.prediction_powered import JudgedPlay, corrected


def plays(seed: int, noise: float = 0.3, bias: float = 2.0) -> list[JudgedPlay]:
    """60 plays in 15 scenarios, a third of them rated; the true mean is 0."""
    rng = np.random.default_rng(seed)
    scenarios = rng.normal(0, 0.4, 15)
    truth = scenarios[np.arange(60) % 15] + rng.normal(0, 0.8, 60)
    rated = rng.permutation(60) < 20
    return [
        JudgedPlay(
            f"s{i % 15}",
            truth[i] + bias + rng.normal(0, noise),
            truth[i] + rng.normal(0, 0.3) if rated[i] else None,
        )
        for i in range(60)
    ]


def test_by_hand_with_a_judge_that_is_two_too_high() -> None:
    rows = [
        JudgedPlay(f"s{i}", y + 2.0, y if i < 4 else None) for i, y in enumerate((1, 2, 3, 4, 5, 9))
    ]
    found = corrected(
        [JudgedPlay(c, float(j), None if p is None else float(p)) for c, j, p, _ in rows]
    )
    assert found is not None
    # mean(y) 2.5; the judge's mean of rated plays 4.5, of the others 9: 2.5 + w * 4.5
    # w = cov(y, f) between clusters over that of f of both parts: 5/16 / (5/16 + 8/4)
    w = (5 / 16) / (5 / 16 + 2.0)
    assert found.weight == pytest.approx(w)
    assert found.corrected.value == pytest.approx(2.5 + w * 4.5)
    assert found.people.value == pytest.approx(2.5)


def test_intervals_hold_the_truth_and_are_narrower_than_peoples() -> None:
    held, widths = [], []
    for seed in range(200):
        found = corrected(plays(seed))
        assert found is not None
        one, people = found.corrected, found.people
        assert one.low is not None
        assert one.high is not None
        assert people.low is not None
        assert people.high is not None
        held.append(one.low <= 0 <= one.high)
        widths.append((one.high - one.low) / (people.high - people.low))
    assert np.mean(held) >= 0.93
    assert np.median(widths) < 0.9


def test_a_judge_that_knows_nothing_is_left_out() -> None:
    found = corrected(plays(1, noise=1000.0))
    assert found is not None
    assert found.weight == pytest.approx(0, abs=0.01)
