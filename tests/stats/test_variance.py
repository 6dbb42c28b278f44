"""Variance components: worked by hand, recovered from simulated plays, and properties."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st

from sociolab.stats import Component, Components, LeveledScore, variance_components

FOUR = ("scenario", "partner", "repeat", "judge")

# Two-way crossed, one value a cell. Scenario means 2, 4, 9; partner means 4, 6; grand mean 5.
# SS scenario = 2 (9 + 1 + 16) = 52, 2 df, MS 26; SS partner = 3 (1 + 1) = 6, 1 df, MS 6;
# SS total = 16 + 4 + 1 + 1 + 4 + 36 = 62, so SS residual = 4, 2 df, MS 2.
CROSSED = {
    ("s", "p"): 1,
    ("s", "q"): 3,
    ("t", "p"): 4,
    ("t", "q"): 4,
    ("u", "p"): 7,
    ("u", "q"): 11,
}
TABLE = [
    LeveledScore(value, {"scenario": scenario, "partner": partner})
    for (scenario, partner), value in CROSSED.items()
]

tables = st.lists(
    st.tuples(st.integers(-9, 9), st.sampled_from("abc"), st.sampled_from("xyz")),
    min_size=2,
    max_size=25,
)


def variances(found: Components) -> list[float | None]:
    return [part.variance for part in (*found.factors, found.residual)]


def shares(found: Components) -> list[float | None]:
    return [part.share for part in (*found.factors, found.residual)]


def two_way(table: Sequence[tuple[float, str, str]]) -> Components:
    rows = [LeveledScore(value, {"scenario": a, "partner": b}) for value, a, b in table]
    return variance_components(rows, ("scenario", "partner"))


def played(
    sds: Mapping[str, float], sizes: Mapping[str, int], seed: int, keep: float = 1.0
) -> list[LeveledScore]:
    """Simulated plays, every one read by every judge; a share of the rows is lost."""
    draw = np.random.default_rng(seed)
    effects: dict[Hashable, float] = {}
    rows = []
    for cell in itertools.product(*(range(sizes[name]) for name in FOUR)):
        scenario, partner, _, judge = cell
        keys = {"scenario": scenario, "partner": partner, "repeat": cell[:3], "judge": judge}
        value = draw.normal(0, sds["residual"])
        for name, key in keys.items():
            value += effects.setdefault((name, key), draw.normal(0, sds[name]))
        if draw.random() < keep:
            rows.append(LeveledScore(value, dict(zip(FOUR, cell, strict=True))))
    return rows


# Worked by hand


def test_balanced_crossed_table_worked_by_hand() -> None:
    # residual 2; scenario (26 - 2) / 2 = 12; partner (6 - 2) / 3 = 4/3; together 46/3.
    found = variance_components(TABLE, ("scenario", "partner"))
    assert variances(found) == pytest.approx([12, 4 / 3, 2])
    assert shares(found) == pytest.approx([36 / 46, 4 / 46, 6 / 46])
    assert [part.levels for part in found.factors] == [3, 2]
    assert (found.n, found.missing) == (6, 0)


def test_error_of_the_mean_and_doublings_worked_by_hand() -> None:
    # Now 12/3 + (4/3)/2 + 2/6 = 5. Twice the scenarios: 2 + 2/3 + 1/6 = 17/6. Twice the partners:
    # 4 + 1/3 + 1/6 = 9/2.
    advice = variance_components(TABLE, ("scenario", "partner")).advice
    assert advice.error == pytest.approx(math.sqrt(5))
    doubled = {"scenario": math.sqrt(17 / 6), "partner": math.sqrt(4.5)}
    assert advice.doublings == pytest.approx(doubled)
    assert advice.fixed == ()


def test_unequal_groups_worked_by_hand() -> None:
    # a 1 3, b 5, c 2 4 6: MS between = 7.5/2 = 3.75, MS within = 10/3, n0 = (6 - 14/6)/2 = 11/6.
    table = {"a": [1, 3], "b": [5], "c": [2, 4, 6]}
    rows = [LeveledScore(v, {"scenario": name}) for name, values in table.items() for v in values]
    found = variance_components(rows, ["scenario"])
    assert variances(found) == pytest.approx([(3.75 - 10 / 3) / (11 / 6), 10 / 3])
    # The mean over all values: group a counts 2/6, b 1/6, c 3/6 of it.
    expected = (3.75 - 10 / 3) / (11 / 6) * (4 + 1 + 9) / 36 + 10 / 18
    assert found.advice.error == pytest.approx(math.sqrt(expected))


def test_a_negative_estimate_is_set_to_zero_and_says_so() -> None:
    # MS between 0, MS within (1 + 1 + 1 + 1)/2 = 2: (0 - 2)/2 = -1.
    rows = [
        LeveledScore(value, {"scenario": name})
        for name, value in zip("aabb", (0, 2, 2, 0), strict=True)
    ]
    found = variance_components(rows, ["scenario"])
    assert found.factors == (Component("scenario", 0, 0, 2, "estimated below 0, set to 0"),)
    assert (found.residual.variance, found.residual.share) == pytest.approx((2, 1))


def test_repeats_are_nested_in_scenario_and_partner() -> None:
    # Each of 4 pairings is played twice, the second play 4 points above the first, and every play
    # is read by two judges who differ by 2 (2^2/2 = 2). All else is exact. 8 plays at +-2, 2 rows
    # each: SS 64. Less 1 df each for scenario and partner, 5 of 7 are left: 64/5 = 2 * 6.4. A
    # factor for the pairing takes the sixth: 64/4 = 2 * 8.
    rows = [
        LeveledScore(
            4 * repeat + 2 * judge,
            {"scenario": s, "partner": p, "pairing": (s, p), "repeat": repeat, "judge": judge},
        )
        for s, p, repeat, judge in itertools.product(range(2), repeat=4)
    ]
    found = variance_components(rows, FOUR)
    assert variances(found) == pytest.approx([0, 0, 6.4, 2, 0])
    assert [part.levels for part in found.factors] == [2, 2, 8, 2]
    within = {"repeat": ("scenario", "partner"), "pairing": ("scenario", "partner")}
    found = variance_components(rows, (*FOUR, "pairing"), within=within)
    assert variances(found) == pytest.approx([0, 0, 8, 2, 0, 0])


# What the design cannot tell


def test_one_level_tells_nothing_and_is_named_as_fixed() -> None:
    rows = [LeveledScore(row.value, {**row.levels, "judge": "only"}) for row in TABLE]
    found = variance_components(rows, ("scenario", "partner", "judge"))
    assert found.factors[2] == Component("judge", None, None, 1, "1 level")
    assert variances(found)[:2] == pytest.approx([12, 4 / 3])
    assert found.advice.fixed == ("judge",)
    assert found.advice.error == pytest.approx(math.sqrt(5))
    assert found.advice.doublings["judge"] is None


def test_one_judging_a_play_cannot_tell_repeat_from_residual_but_their_sum() -> None:
    rows = [LeveledScore(row.value, {**row.levels, "repeat": 0, "judge": "only"}) for row in TABLE]
    found = variance_components(rows, FOUR)
    _, _, repeat, judge = found.factors
    assert (repeat.variance, judge.variance, found.residual.variance) == (None, None, None)
    assert "cannot tell" in repeat.note
    advice = found.advice
    assert advice.error == pytest.approx(math.sqrt(5))
    errors = [*advice.doublings.values()]
    # Repeats halve the 2/6 of repeat and residual together; what judgings halve is unknown.
    assert errors[:3] == pytest.approx([math.sqrt(17 / 6), math.sqrt(4.5), math.sqrt(5 - 1 / 6)])
    assert errors[3] is None


def test_a_partner_met_in_one_scenario_only_cannot_be_told_from_it() -> None:
    table = [(1, "a", "x"), (3, "a", "x"), (5, "b", "y"), (8, "b", "y"), (2, "c", "z")]
    found = two_way(table)
    assert variances(found)[:2] == [None, None]
    assert found.residual.variance is not None
    assert found.advice.error is not None


def test_missing_values_are_counted_and_left_out() -> None:
    rows = [*TABLE, LeveledScore(None, {"scenario": "v", "partner": "p"})]
    found = variance_components(rows, ("scenario", "partner"))
    assert (found.n, found.missing) == (6, 1)
    assert found.factors == variance_components(TABLE, ("scenario", "partner")).factors


def test_equal_values_have_no_variance_and_no_shares() -> None:
    found = two_way([(0.1, a, b) for a in "abc" for b in "xyz"])
    assert variances(found) == [0, 0, 0]
    assert shares(found) == [None, None, None]
    assert found.advice.error == 0


# Against others, and simulated


def test_balanced_groups_agree_with_restricted_maximum_likelihood() -> None:
    draw = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), 4)
    values = draw.normal(0, 2, 30)[groups] + draw.normal(0, 1, 120)
    fit = sm.MixedLM(values, np.ones(120), groups=groups).fit(reml=True)
    rows = [
        LeveledScore(float(v), {"scenario": int(g)}) for v, g in zip(values, groups, strict=True)
    ]
    expected = [float(np.asarray(fit.cov_re)[0, 0]), float(fit.scale)]
    assert variances(variance_components(rows, ["scenario"])) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("keep", [1.0, 0.6])
def test_components_are_recovered_from_whole_and_patchy_designs(keep: float) -> None:
    sds = {"scenario": 1.5, "partner": 1, "repeat": 1, "judge": 0.7, "residual": 1}
    sizes = {"scenario": 12, "partner": 6, "repeat": 2, "judge": 4}
    found = [
        variances(variance_components(played(sds, sizes, seed, keep), FOUR)) for seed in range(50)
    ]
    # The standard error over 50 studies is about 0.1 of a component (partner and judge: few
    # levels, so that one study's estimate is off by about two thirds).
    means = np.mean(np.array(found, dtype=np.float64), axis=0)
    assert means == pytest.approx([2.25, 1, 1, 0.49, 1], rel=0.25)


def test_the_error_is_how_much_means_differ_from_study_to_study() -> None:
    sds = {"scenario": 1, "partner": 0.5, "repeat": 1, "judge": 0.4, "residual": 0.7}
    sizes = {"scenario": 12, "partner": 5, "repeat": 2, "judge": 3}
    studies = [played(sds, sizes, seed, keep=0.7) for seed in range(60)]
    errors = [variance_components(rows, FOUR).advice.error for rows in studies]
    means = [sum(row.value or 0 for row in rows) / len(rows) for rows in studies]
    spread = np.std(means, ddof=1)
    assert np.mean(np.array(errors, dtype=np.float64)) == pytest.approx(spread, rel=0.25)


# Properties


@given(tables, st.integers(0, 9))
def test_order_of_the_rows_does_not_matter(table: list[tuple[float, str, str]], seed: int) -> None:
    shuffled = random.Random(seed).sample(table, len(table))
    assert variances(two_way(shuffled)) == pytest.approx(variances(two_way(table)), abs=1e-7)


@given(tables, st.integers(-100, 100), st.sampled_from([-2, 0.5, 3]))
def test_a_shift_changes_nothing_and_a_factor_counts_squared(
    table: list[tuple[float, str, str]], shift: int, factor: float
) -> None:
    before = variances(two_way(table))
    after = variances(two_way([(factor * v + shift, a, b) for v, a, b in table]))
    expected = [None if v is None else v * factor**2 for v in before]
    assert after == pytest.approx(expected, abs=1e-6)


@given(tables)
def test_doubling_never_raises_the_error(table: list[tuple[float, str, str]]) -> None:
    advice = two_way(table).advice
    for error in advice.doublings.values():
        if error is not None and advice.error is not None:
            assert advice.error**2 / 2 - 1e-9 <= error**2 <= advice.error**2 + 1e-9


# Bad input


def test_a_row_without_the_level_of_a_factor_is_refused() -> None:
    with pytest.raises(ValueError, match="judge"):
        variance_components(TABLE, ("scenario", "judge"))
    with pytest.raises(ValueError, match="partner"):
        variance_components([LeveledScore(1, {"repeat": 0, "scenario": "s"})] * 2, ["repeat"])


def test_bad_factors_and_values_are_refused() -> None:
    for factors in ((), ("scenario", "scenario")):
        with pytest.raises(ValueError, match="factors"):
            variance_components(TABLE, factors)
    with pytest.raises(ValueError, match="finite"):
        two_way([(math.nan, "a", "x"), (1, "a", "x")])
    with pytest.raises(ValueError, match="two values, found 1"):
        two_way([(1, "a", "x")])
