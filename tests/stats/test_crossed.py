"""Errors clustered by scenario and rater, beside statsmodels and in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from sociolab.stats.crossed import RatedPlay, crossed, crossed_estimate


def study(seed: int, rater_sd: float = 1.0) -> list[RatedPlay]:
    """28 plays in 14 scenarios, two each of 8 raters; the true mean is 0."""
    rng = np.random.default_rng(seed)
    raters, scenarios = rng.normal(0, rater_sd, 8), rng.normal(0, 0.5, 14)
    return [
        RatedPlay(
            f"s{play % 14}",
            {
                f"r{r}": scenarios[play % 14] + raters[r] + rng.normal()
                for r in {play % 8, (play * 3 + 1) % 8}
            },
        )
        for play in range(28)
    ]


def test_a_balanced_design_has_the_error_that_statsmodels_gives() -> None:
    from statsmodels.regression.linear_model import OLS
    from statsmodels.stats.sandwich_covariance import cov_cluster_2groups

    rng = np.random.default_rng(3)
    raters, scenarios = rng.normal(0, 2, 5), rng.normal(0, 2, 6)
    cells = [(s, r) for s in range(6) for r in range(5)]
    y = np.array([scenarios[s] + raters[r] + rng.normal() for s, r in cells])
    plays = [
        RatedPlay(f"s{s}", {f"r{r}": y[i] for i, (t, r) in enumerate(cells) if t == s})
        for s in range(6)
    ]
    fit = OLS(y, np.ones(len(y))).fit()
    both, *_ = cov_cluster_2groups(
        fit, np.array([s for s, _ in cells]), np.array([r for _, r in cells])
    )
    found = crossed(plays)
    assert found is not None
    assert found.error is not None
    assert (found.clusters, found.raters) == (6, 5)
    assert found.value == pytest.approx(y.mean())
    assert found.error**2 == pytest.approx(float(np.squeeze(both)), rel=1e-9)


def test_intervals_hold_the_truth_for_other_raters() -> None:
    made = [crossed_estimate(study(seed)) for seed in range(300)]
    held = [
        one.low is not None and one.high is not None and one.low <= 0 <= one.high for one in made
    ]
    assert np.mean(held) >= 0.93


def test_raters_of_both_sides_cancel_in_a_difference() -> None:
    a, b = study(1, rater_sd=50.0), study(1, rater_sd=50.0)
    found = crossed([*a, *(play._replace(sign=-1) for play in b)])
    assert found is not None
    assert found.value == 0
    assert found.error is None


def test_one_rater_gives_no_interval_for_others() -> None:
    found = crossed_estimate([RatedPlay(f"s{i}", {"ann": float(i)}) for i in range(5)])
    assert (found.low, found.note) == (None, "1 rater")
