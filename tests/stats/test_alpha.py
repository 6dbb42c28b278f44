"""Krippendorff's alpha: textbook data worked by hand, coincidence matrices, properties."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings, strategies as st

from sociolab.stats import Alpha, AlphaMetric, alphas, number_clusters, rating_table

METRICS: tuple[AlphaMetric, ...] = ("nominal", "ordinal", "interval")
Item = Sequence[float | None]

# Krippendorff's data with missing values, as on Wikipedia: three coders, fifteen units.
_A = (None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3)
_B = (1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None)
_C = (None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4)
WIKIPEDIA = tuple(zip(_A, _B, _C, strict=True))

# Example C of Krippendorff's "Computing Krippendorff's Alpha-Reliability" (2011): four observers,
# twelve units.
_RELIABILITY = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
OBSERVERS = tuple(zip(*_RELIABILITY, strict=True))

ratings = st.none() | st.integers(-5, 5)
some = settings(max_examples=40)
tables = st.lists(st.lists(ratings, min_size=1, max_size=4), min_size=1, max_size=10)
metrics = st.sampled_from(METRICS)


def krippendorff_alpha(
    items: Sequence[Item], clusters: Sequence[str], metric: AlphaMetric
) -> Alpha:
    return alphas(rating_table(items), number_clusters(clusters), (metric,))[0]


def alpha(items: Sequence[Item], metric: AlphaMetric) -> Alpha:
    return krippendorff_alpha(items, [f"s{i}" for i in range(len(items))], metric)


def by_coincidences(items: Sequence[Item], metric: AlphaMetric) -> float | None:
    """The textbook's way: a matrix of coinciding values, and the metric's table of distances."""
    units = [[value for value in item if value is not None] for item in items]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in units for value in unit})
    pairs: dict[tuple[float, float], float] = {}
    for unit in units:
        for pair in permutations(unit, 2):
            pairs[pair] = pairs.get(pair, 0) + 1 / (len(unit) - 1)
    total = {c: math.fsum(pairs.get((c, k), 0) for k in values) for c in values}

    def distance(c: float, k: float) -> float:
        if metric == "nominal":
            return float(c != k)
        if metric == "interval":
            return (c - k) ** 2
        between = math.fsum(total[g] for g in values if min(c, k) <= g <= max(c, k))
        return (between - (total[c] + total[k]) / 2) ** 2

    n = sum(total.values())
    expected = math.fsum(total[c] * total[k] * distance(c, k) for c in values for k in values)
    if not expected:
        return None
    observed = math.fsum(share * distance(c, k) for (c, k), share in pairs.items())
    return 1 - (n - 1) * observed / expected


# Worked by hand


def test_two_observers_and_two_values_worked_by_hand() -> None:
    # Krippendorff's binary example: 0-1 in four units, 1-1 in one, 0-0 in five. Each unit enters
    # two values: 14 zeros, 6 ones. alpha = 1 - (20 - 1) * 4 / (14 * 6) = 1 - 76/84 = 0.095.
    items = list(zip((0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0), strict=True))
    for metric in METRICS:
        assert alpha(items, metric).value == pytest.approx(1 - 76 / 84)


def test_nominal_alpha_of_three_coders_worked_by_hand() -> None:
    # Units with one value fall out; 26 values remain: 7 ones, 4 twos, 10 threes, 5 fours. Of the
    # coincidences, 1-3 has 1 (unit 8), 3-4 has 2 (units 6, 15), both ways: 6 disagree.
    # Expected: 26^2 - 7^2 - 4^2 - 10^2 - 5^2 = 486. alpha = 1 - 25 * 6 / 486 = 0.691.
    found = alpha(WIKIPEDIA, "nominal")
    assert found.value == pytest.approx(1 - 150 / 486)
    assert (found.items, found.ratings, found.left_out, found.missing) == (12, 26, 3, 18)


def test_interval_alpha_of_three_coders_worked_by_hand() -> None:
    # Observed: 2 * (1 * 2^2 + 2 * 1^2) = 12. Expected: 2 * (28 * 1 + 70 * 4 + 35 * 9 + 40 * 1 +
    # 20 * 4 + 50 * 1) = 1586. alpha = 1 - 25 * 12 / 1586 = 0.811.
    assert alpha(WIKIPEDIA, "interval").value == pytest.approx(1 - 300 / 1586)


def test_ordinal_alpha_of_three_coders_worked_by_hand() -> None:
    # Distances, e.g. 1 to 3: 7 + 4 + 10 values less half of 7 + 10, squared. 1-2: 5.5^2,
    # 1-3: 12.5^2, 1-4: 20^2, 2-3: 7^2, 2-4: 14.5^2, 3-4: 7.5^2.
    # Observed: 2 * (156.25 + 2 * 56.25) = 537.5. Expected: 2 * (28 * 30.25 + 70 * 156.25 +
    # 35 * 400 + 40 * 49 + 20 * 210.25 + 50 * 56.25) = 69524. alpha = 1 - 25 * 537.5 / 69524.
    assert alpha(WIKIPEDIA, "ordinal").value == pytest.approx(1 - 13437.5 / 69524)


def test_printed_alphas_of_four_observers_are_met() -> None:
    printed = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}
    for metric in METRICS:
        found = alpha(OBSERVERS, metric)
        assert found.value is not None
        assert round(found.value, 3) == printed[metric]
        assert (found.items, found.ratings, found.left_out) == (11, 40, 1)


def test_the_interval_leaves_out_one_cluster_at_a_time() -> None:
    # Without each of three clusters in turn, by the textbook's way; t(0.975; 2) = 4.302653.
    items = [(1, 2), (3, 3), (5, 4), (1, 1), (2, 5), (4, 4)]
    left = [by_coincidences(items[:i] + items[i + 2 :], "interval") for i in (0, 2, 4)]
    values = [value for value in left if value is not None]
    error = math.sqrt(2 / 3 * sum((value - sum(values) / 3) ** 2 for value in values))
    found = krippendorff_alpha(items, ["x", "x", "y", "y", "z", "z"], "interval")
    assert found.value is not None
    assert found.low == pytest.approx(found.value - 4.302653 * error, abs=1e-6)
    assert found.high == 1


# Where there is no value, or no interval


def test_ratings_that_never_vary_have_no_alpha() -> None:
    # Full agreement, and no sign that the raters could have told anything apart.
    found = alpha([(0, 0), (0, 0, 0)], "interval")
    assert (found.value, found.low, found.note) == (None, None, "no variation")


def test_no_item_with_two_ratings_gives_no_alpha() -> None:
    found = alpha([(1,), (None, 2)], "nominal")
    assert (found.value, found.items, found.note) == (None, 0, "no values")
    assert (found.left_out, found.missing) == (2, 1)


def test_one_cluster_gives_no_interval() -> None:
    found = krippendorff_alpha([(1, 2), (3, 3)], ["a", "a"], "interval")
    assert found.value is not None
    assert (found.low, found.note) == (None, "1 cluster")


def test_an_alpha_that_rests_on_one_cluster_has_no_interval() -> None:
    found = krippendorff_alpha([(0, 0), (0, 0), (0, 3)], ["a", "b", "c"], "interval")
    assert found.value is not None
    assert (found.low, found.note) == (None, "undefined without one of the clusters")


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="nan/inf"):
        alpha([(1, math.inf)], "interval")


# Oracle


@some
@given(tables, metrics)
def test_the_matrix_of_coincidences_says_the_same(items: list[Item], metric: AlphaMetric) -> None:
    assert alpha(items, metric).value == pytest.approx(by_coincidences(items, metric), abs=1e-9)


# Properties


@some
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(2, 4)), min_size=1), metrics)
def test_perfect_agreement_is_1(units: list[tuple[int, int]], metric: AlphaMetric) -> None:
    found = alpha([[value] * raters for value, raters in units], metric)
    if len({value for value, _ in units}) > 1:
        assert found.value == pytest.approx(1)
        assert (found.low, found.high) == (None, None)


@some
@given(tables, metrics, st.randoms(use_true_random=False))
def test_order_of_raters_and_items_does_not_matter(
    items: list[Item], metric: AlphaMetric, chance: random.Random
) -> None:
    named = [(f"s{i % 3}", item) for i, item in enumerate(items)]
    mixed = [
        (name, chance.sample(item, len(item))) for name, item in chance.sample(named, len(named))
    ]
    one, other = (
        krippendorff_alpha([item for _, item in table], [name for name, _ in table], metric)
        for table in (named, mixed)
    )
    assert one == other


@some
@given(tables, st.sampled_from([-3, 0.5, 2]), st.integers(-100, 100))
def test_a_linear_map_changes_no_interval_alpha(
    items: list[Item], factor: float, shift: int
) -> None:
    mapped = [[None if x is None else factor * x + shift for x in item] for item in items]
    before, after = alpha(items, "interval"), alpha(mapped, "interval")
    assert after.note == before.note
    assert after.value == pytest.approx(before.value, abs=1e-9)


@some
@given(tables)
def test_ordinal_alpha_sees_only_the_order_and_nominal_only_the_names(items: list[Item]) -> None:
    cubed = [[None if x is None else x**3 for x in item] for item in items]
    assert alpha(cubed, "ordinal") == alpha(items, "ordinal")
    mixed = [[None if x is None else (x * 7) % 11 for x in item] for item in items]
    assert alpha(mixed, "nominal").value == pytest.approx(alpha(items, "nominal").value)


@some
@given(tables, metrics)
def test_alpha_stays_at_most_1_and_its_interval_holds_it(
    items: list[Item], metric: AlphaMetric
) -> None:
    found = alpha(items, metric)
    if found.value is not None:
        assert found.value <= 1
    if found.low is not None and found.high is not None and found.value is not None:
        assert found.low <= found.value <= found.high <= 1


def test_raters_at_random_have_an_alpha_near_0() -> None:
    chance = random.Random(0)
    items = [[chance.randint(0, 10) for _ in range(3)] for _ in range(2000)]
    for metric in METRICS:
        found = krippendorff_alpha(items, list("abcde") * 400, metric)
        assert found.value == pytest.approx(0, abs=0.05)


def test_clusters_left_out_in_small_blocks_give_the_same_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(3)
    items = [[chance.randint(0, 4) for _ in range(chance.randint(1, 4))] for _ in range(40)]
    clusters = [f"s{i % 9}" for i in range(40)]
    metrics: tuple[AlphaMetric, ...] = ("nominal", "ordinal", "interval")
    whole = [krippendorff_alpha(items, clusters, metric) for metric in metrics]
    monkeypatch.setattr("sociolab.stats.intervals._CELLS_AT_ONCE", 1)
    for metric, wanted in zip(metrics, whole, strict=True):
        found = krippendorff_alpha(items, clusters, metric)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
