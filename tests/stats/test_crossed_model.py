"""The mixed model of crossed factors against analyses by hand, statsmodels, lme4 and pbkrtest."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import statsmodels.api as sm

from sociolab.stats import CrossedModel, fit_crossed

ONE = np.ones((6, 1))

# Three scenarios (rows), each rated by both raters: scenario means 2, 4, 9, rater means 4 and 6.
# Sums of squares: scenarios 2 * (9 + 1 + 16) = 52, raters 3 * (1 + 1) = 6, and the rest 4, as the
# cells lie 0, 1 and -1 (and, of the second rater, 0, -1 and 1) from what row and column say.
TABLE = np.array([[1.0, 3.0], [4.0, 4.0], [7.0, 11.0]])


def fit_table() -> CrossedModel:
    scenario, rater = np.repeat(np.arange(3), 2), np.tile(np.arange(2), 3)
    return fit_crossed(TABLE.ravel(), ONE, {"scenario": scenario, "rater": rater})


def test_a_balanced_table_has_the_components_of_the_analysis_of_variance() -> None:
    # Mean squares: scenarios 52 / 2 = 26, raters 6 / 1 = 6, the rest 4 / 2 = 2.
    found = fit_table()
    assert found.fixed == pytest.approx([5.0])
    assert found.variances["scenario"] == pytest.approx((26 - 2) / 2, rel=1e-4)
    assert found.variances["rater"] == pytest.approx((6 - 2) / 3, rel=1e-4)
    assert found.variances["residual"] == pytest.approx(2.0, rel=1e-4)


def test_the_error_of_its_mean_has_the_degrees_of_freedom_of_satterthwaite() -> None:
    # The variance of the mean is (26 + 6 - 2) / 6 = 5; its degrees of freedom are
    # 30^2 / (26^2 / 2 + 6^2 / 1 + 2^2 / 2) = 900 / 376.
    value, error, freedom = fit_table().estimate([1.0])
    assert value == pytest.approx(5.0)
    assert error == pytest.approx(math.sqrt(5), rel=1e-4)
    assert freedom == pytest.approx(900 / 376, rel=1e-3)


def test_equal_groups_have_as_many_degrees_of_freedom_as_groups_less_one() -> None:
    values = np.array([1.0, 2.0, 4.0, 3.0, 9.0, 8.0, 5.0, 5.0])
    found = fit_crossed(values, np.ones((8, 1)), {"scenario": np.arange(8) // 2})
    means = values.reshape(4, 2).mean(axis=1)
    _, error, freedom = found.estimate([1.0])
    assert error == pytest.approx(means.std(ddof=1) / 2, rel=1e-4)
    assert freedom == pytest.approx(3.0, rel=1e-4)


def test_what_a_design_cannot_tell_is_left_out() -> None:
    # One rater, as many plays as values, and blocks that are the scenarios by another name.
    values = np.array([1.0, 2.0, 4.0, 3.0, 9.0, 8.0])
    scenario = np.arange(6) // 2
    found = fit_crossed(
        values,
        ONE,
        {"scenario": scenario, "block": 9 - scenario, "rater": 0 * scenario, "play": np.arange(6)},
    )
    assert {*found.variances} == {"scenario", "residual"}
    alone = fit_crossed(values, ONE, {})
    assert alone.estimate([1.0]).error == pytest.approx(values.std(ddof=1) / math.sqrt(6))
    assert alone.estimate([1.0]).freedom == pytest.approx(5.0)


def test_a_factor_without_effect_has_a_variance_of_zero() -> None:
    values = np.array([1.0, 5.0, 5.0, 1.0, 1.0, 5.0])
    found = fit_crossed(values, ONE, {"scenario": np.arange(6) // 2})
    assert found.variances["scenario"] == 0
    assert found.estimate([1.0]).error == pytest.approx(values.std(ddof=1) / math.sqrt(6))


def ratings() -> list[tuple[float, str, str, str, str]]:
    """An unbalanced study made of sines: value, agent, scenario, play and rater of 74 ratings."""
    rows = []
    for play in range(40):
        agent, scenario = play % 3, (play * 5) % 8
        for rater in {(play * play) % 7, (3 * play + play // 9) % 7}:
            effects = (
                1.5 * math.sin(3 * scenario + 2)
                + 2 * math.sin(5 * rater + 1)
                + 1.4 * math.sin(play * play + 1)
            )
            value = 5 + 0.8 * agent + effects + math.sin(11 * play + 4 * rater)
            rows.append((round(value, 3), f"a{agent}", f"s{scenario}", f"p{play}", f"r{rater}"))
    return sorted(rows[:-1], key=lambda row: row[3:])


def codes(levels: Iterable[str]) -> np.ndarray:
    return np.unique([*levels], return_inverse=True)[1]


def fit_ratings() -> CrossedModel:
    values, agents, scenarios, plays, raters = zip(*ratings(), strict=True)
    fixed = np.eye(3)[codes(agents)]
    factors = {"scenario": codes(scenarios), "play": codes(plays), "rater": codes(raters)}
    return fit_crossed(np.array(values), fixed, factors)


def test_components_and_errors_are_those_of_statsmodels() -> None:
    frame = pd.DataFrame(ratings(), columns=["y", "agent", "s", "p", "r"])
    parts = {"scenario": "0 + C(s)", "play": "0 + C(p)", "rater": "0 + C(r)"}
    model = sm.MixedLM.from_formula(
        "y ~ 0 + C(agent)", frame, groups=np.ones(len(frame)), vc_formula=parts
    )
    fit = model.fit(reml=True, method="powell")
    found = fit_ratings()
    for name, variance in zip(model.exog_vc.names, fit.vcomp, strict=True):
        assert found.variances[name] == pytest.approx(variance, rel=2e-3)
    assert found.variances["residual"] == pytest.approx(fit.scale, rel=2e-3)
    assert found.fixed == pytest.approx([*fit.fe_params], rel=1e-4)
    assert found.estimate([1, -1, 0]).error == pytest.approx(
        math.sqrt(np.array([1, -1, 0]) @ fit.cov_params().iloc[:3, :3] @ [1, -1, 0]), rel=5e-3
    )


_IN_R = """
options(digits = 10); suppressMessages({library(lme4); library(pbkrtest)})
d <- read.csv("ratings.csv", stringsAsFactors = TRUE)
m <- lmer(y ~ 0 + a + (1 | s) + (1 | p) + (1 | r), d)
v <- as.data.frame(VarCorr(m)); L <- c(1, -1, 0)
cat(v$vcov[match(c("s", "p", "r", "Residual"), v$grp)], fixef(m),
    sqrt(L %*% as.matrix(vcov(m)) %*% L),
    Lb_ddf(L, vcov(m), vcovAdj(m)), Lb_ddf(c(1, 0, 0), vcov(m), vcovAdj(m)), sep = "\\n")
"""
BY_LME4 = (
    *(1.394194763, 0.8574782689, 1.965540298, 0.7026084786),
    *(5.249362282, 6.150334453, 7.025178615),
    *(0.4623789758, 31.46247447, 15.26922069),
)
"""What the lines above print with lme4 1.1-31 and pbkrtest 0.5.2: variances of scenario, play,
rater and residual; means of the agents; error of a0 less a1; degrees of freedom of that, and of
a0."""


def figures(found: CrossedModel) -> list[float]:
    gap, mean = found.estimate([1, -1, 0]), found.estimate([1, 0, 0])
    names = ("scenario", "play", "rater", "residual")
    variances = [found.variances[name] for name in names]
    return [*variances, *found.fixed, gap.error, gap.freedom, mean.freedom]


def test_all_of_it_is_that_of_lme4_and_the_freedom_that_of_pbkrtest() -> None:
    assert figures(fit_ratings()) == pytest.approx(BY_LME4, rel=1e-3)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_lme4_still_says_so(tmp_path: Path) -> None:
    with (tmp_path / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("y", "a", "s", "p", "r"), *ratings()])
    (tmp_path / "fit.R").write_text(_IN_R)
    ran = subprocess.run(
        ["Rscript", "fit.R"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if "there is no package" in ran.stderr:
        pytest.skip("lme4 or pbkrtest is not installed")
    printed = [float(line) for line in ran.stdout.split()]
    assert printed == pytest.approx(BY_LME4, rel=1e-4)
    assert figures(fit_ratings()) == pytest.approx(printed, rel=1e-3)


def test_any_weighted_sum_has_the_error_of_the_fitted_covariance() -> None:
    values, _, scenarios, plays, raters = zip(*ratings(), strict=True)
    found, weights = fit_ratings(), np.linspace(-1, 2, len(values))
    blocks = {"scenario": codes(scenarios), "play": codes(plays), "rater": codes(raters)}
    covariance = found.variances["residual"] * np.eye(len(values))
    for name, levels in blocks.items():
        covariance += found.variances[name] * (levels[:, None] == levels)
    value, error, _ = found.weigh(weights)
    assert value == pytest.approx(float(weights @ np.array(values)))
    assert error**2 == pytest.approx(float(weights @ covariance @ weights))
