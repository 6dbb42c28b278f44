"""Means of plays without counterparts: Welch's test by scipy, shared clusters by statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
import statsmodels.api as sm

from sociolab.stats import KeyedValue, compare_unpaired


def rows(values: np.ndarray, clusters: list[str]) -> list[KeyedValue]:
    return [
        KeyedValue(i, c, float(v)) for i, (v, c) in enumerate(zip(values, clusters, strict=True))
    ]


def test_with_a_play_in_each_cluster_and_none_shared_it_is_welchs_test() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(1, 3, 7), random.normal(0, 1, 12)
    sides = rows(a, [f"a{i}" for i in range(7)]), rows(b, [f"b{i}" for i in range(12)])
    found = compare_unpaired({"goal": sides})["goal"]
    theirs = scipy.stats.ttest_ind(a, b, equal_var=False)
    assert found.p == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval(0.95)
    # The end towards the longer tail goes further, the other is Welch's.
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert low <= ends.low + 1e-9
    assert high >= ends.high - 1e-9
    assert low == pytest.approx(ends.low) or high == pytest.approx(ends.high)


def test_what_shared_clusters_have_in_common_is_taken_out() -> None:
    # 40 clusters of two plays on each side: cluster-robust regression on the agent, up to its own
    # corrections for few clusters and coefficients.
    random = np.random.default_rng(1)
    homes = [f"s{i // 2}" for i in range(80)]
    shared = np.repeat(random.normal(0, 3, 40), 2)
    a, b = shared + random.normal(0.5, 1, 80), shared + random.normal(0, 1, 80)
    found = compare_unpaired({"goal": (rows(a, homes), rows(b, homes))})["goal"]
    groups = np.unique(homes * 2, return_inverse=True)[1]
    fit = sm.OLS(np.concatenate([a, b]), sm.add_constant(np.repeat([1.0, 0.0], 80))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    assert found.difference.value == pytest.approx(fit.params[1])
    assert found.design.error == pytest.approx(fit.bse[1] * np.sqrt(40 / 39))


def test_without_a_difference_one_in_twenty_is_called_significant() -> None:
    random, alarms = np.random.default_rng(2), 0
    for _ in range(600):
        sides = []
        for side, count in (("a", 8), ("b", 20)):
            effect = np.repeat(random.normal(0, 1, count), 3)
            homes = [f"{side}{i // 3}" for i in range(3 * count)]
            sides.append(rows(effect + random.normal(0, 1, 3 * count), homes))
        p = compare_unpaired({"goal": (sides[0], sides[1])})["goal"].p
        alarms += p is not None and p < 0.05
    assert 0.03 <= alarms / 600 <= 0.07


def test_what_cannot_be_told_is_said() -> None:
    one = rows(np.array([1.0, 2.0]), ["s", "s"])
    found = compare_unpaired({"goal": (one, rows(np.array([1.0, 2.0]), ["s", "t"]))})["goal"]
    assert (found.p, found.difference.note) == (None, "1 cluster")
    assert compare_unpaired({"goal": ([], one)})["goal"].difference.note == "no values"
