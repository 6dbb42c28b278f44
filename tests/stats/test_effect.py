"""Effect sizes of pairs: by hand and properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from sociolab.stats import EffectSize, effect_size

A, B, CLUSTERS = (5, 7, 6, 10), (4, 4, 4, 2), ("s", "s", "t", "t")
scores = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(-9, 9), st.integers(-9, 9)),
    min_size=2,
    max_size=20,
)


def test_four_pairs_worked_by_hand() -> None:
    # Differences 1, 3, 2, 8: mean 3.5, squared deviations 6.25 + 0.25 + 2.25 + 20.25 = 29, over 3.
    # a: mean 7, variance 14/3; b: mean 3.5, variance 1; mean of the variances 17/6.
    found = effect_size(A, B, CLUSTERS)
    assert found.difference == 3.5
    assert found.d_z == pytest.approx(3.5 / math.sqrt(29 / 3))
    assert found.d_av == pytest.approx(3.5 / math.sqrt(17 / 6))
    assert (found.better, found.equal, found.worse, found.superiority) == (2, 0, 0, 1)


def test_wins_and_ties_are_of_clusters_by_their_mean() -> None:
    # s: +4 - 1 - 1 > 0 though two of three are lost; t: 0 but for rounding; u: worse.
    found = effect_size(
        [4, 0, 0, 0.1, 0.2, 0, 1], [0, 1, 1, 0, 0, 0.3, 2], ["s", "s", "s", "t", "t", "t", "u"]
    )
    assert (found.better, found.equal, found.worse) == (1, 1, 1)
    assert found.superiority == 0.5


def test_equal_differences_have_no_standardised_size() -> None:
    found = effect_size([1.1, 2.1, 3.1], [1, 2, 3], ["a", "b", "c"])
    assert found.d_z is None
    assert found.d_av == pytest.approx(0.1)


def test_nothing_and_a_single_pair() -> None:
    assert effect_size([], [], []) == EffectSize(None, None, None, 0, 0, 0)
    assert effect_size([], [], []).superiority is None
    assert effect_size([3], [1], ["a"]) == EffectSize(2, None, None, 1, 0, 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="2 values and 1 clusters"):
        effect_size([1], [1, 2], ["a"])
    with pytest.raises(ValueError, match="finite"):
        effect_size([float("inf")], [1], ["a"])


@given(scores)
def test_swapping_the_sides_mirrors_it(table: list[tuple[str, int, int]]) -> None:
    clusters, a, b = [r[0] for r in table], [r[1] for r in table], [r[2] for r in table]
    one, other = effect_size(a, b, clusters), effect_size(b, a, clusters)
    assert (one.better, one.equal, one.worse) == (other.worse, other.equal, other.better)
    for x, y in ((one.d_z, other.d_z), (one.d_av, other.d_av)):
        assert (x is None and y is None) or x == pytest.approx(-y)  # type: ignore[operator]


@given(scores, st.sampled_from([0.1, 3, 1e6]), st.integers(-5, 5))
def test_units_do_not_matter(table: list[tuple[str, int, int]], factor: float, shift: int) -> None:
    clusters, a, b = [r[0] for r in table], [r[1] for r in table], [r[2] for r in table]
    before = effect_size(a, b, clusters)
    after = effect_size([factor * x + shift for x in a], [factor * x + shift for x in b], clusters)
    assert (after.better, after.equal, after.worse) == (before.better, before.equal, before.worse)
    for x, y in ((before.d_z, after.d_z), (before.d_av, after.d_av)):
        assert (x is None and y is None) or x == pytest.approx(y, rel=1e-6)
