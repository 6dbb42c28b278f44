"""Holm's correction: by hand, against statsmodels, and properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.multitest import multipletests

from sociolab.stats import holm


def test_four_tests_worked_by_hand() -> None:
    # Sorted 0.005 x 4 = 0.02, 0.01 x 3 = 0.03, 0.03 x 2 = 0.06, 0.04 x 1 = 0.04, raised to 0.06.
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(found) == ["a", "b", "c", "d"]


def test_a_measure_without_p_stays_without_and_does_not_count() -> None:
    assert holm({"a": 0.02, "b": None, "c": 0.5}) == {"a": 0.04, "b": None, "c": 0.5}


def test_nothing_exceeds_one() -> None:
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="a: a p-value"):
        holm({"a": bad})


def test_the_first_test_is_not_corrected_and_the_others_wait_for_it() -> None:
    ps = {"a": 0.01, "b": 0.04, "main": 0.03, "c": 0.3}
    # 0.01 x 3 = 0.03, 0.04 x 2 = 0.08, 0.3: none below the first.
    assert holm(ps, first="main") == pytest.approx({"a": 0.03, "b": 0.08, "main": 0.03, "c": 0.3})
    failed = holm(ps | {"main": 0.2}, first="main")
    assert failed == pytest.approx({"a": 0.2, "b": 0.2, "main": 0.2, "c": 0.3})


def test_two_looks_count_for_the_first_test_and_for_the_others() -> None:
    found = holm({"main": 0.01, "a": 0.02}, looks=2, first="main")
    assert found == {"main": 0.02, "a": 0.04}


def test_a_first_test_without_p_decides_nothing() -> None:
    ps = {"main": None, "a": 0.01, "b": 0.04}
    assert holm(ps, first="main") == holm(ps)
    assert holm({"a": 0.01}, first="elsewhere") == {"a": 0.01}


@given(st.lists(st.booleans(), min_size=2, max_size=5), st.integers(0, 2**32 - 1))
def test_a_first_test_keeps_false_alarms_of_all_tests_at_5_percent(
    null: list[bool], seed: int
) -> None:
    draws = np.random.default_rng(seed).uniform(size=(400, len(null)))
    ps = np.where(null, draws, draws / 1000)
    alarms = 0
    for row in ps:
        found = holm(dict(enumerate(row.tolist())), first=0)
        alarms += any(alone and (found[i] or 0) < 0.05 for i, alone in enumerate(null))
    assert alarms <= 46  # of 400, 20 expected at most; more than 46 once in ten million


def test_statsmodels_says_the_same() -> None:
    ps = np.random.default_rng(0).uniform(0, 0.2, 40).round(2)  # with ties
    found = holm({f"m{i:02}": float(p) for i, p in enumerate(ps)})
    assert list(found.values()) == pytest.approx(multipletests(ps, method="holm")[1].tolist())


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=9))
def test_order_does_not_matter_and_no_p_becomes_smaller(ps: dict[str, float]) -> None:
    found = holm(ps)
    assert found == holm(dict(reversed(ps.items())))
    ordered = sorted(ps, key=lambda name: (ps[name], name))
    adjusted = [found[name] or 0.0 for name in ordered]
    assert adjusted == sorted(adjusted)
    assert all(found[name] >= p for name, p in ps.items())  # type: ignore[operator]
