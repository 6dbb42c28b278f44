"""Two agents compared: every part of the record against the part's own function."""

from __future__ import annotations

import random

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from sociolab.stats import (
    KeyedValue,
    compare,
    describe_design,
    effect_size,
    holm,
    needed_sample,
    paired_t,
    sign_flip,
)
from stats.paired_difference import difference

Sides = tuple[list[KeyedValue], list[KeyedValue]]


def sides(gain: float, seed: int, scenarios: int = 8, repeats: int = 3) -> Sides:
    draws = np.random.default_rng(seed)
    a, b = [], []
    for s in range(scenarios):
        hard = draws.normal()
        for r in range(repeats):
            key, cluster = (f"task {s}", "seat", r), f"s{s}"
            a.append(KeyedValue(key, cluster, float(hard + gain + draws.normal())))
            b.append(KeyedValue(key, cluster, float(hard + draws.normal())))
    return a, b


def columns(one: Sides) -> tuple[list[float], list[float], list[str]]:
    a, b = one
    return [row.value for row in a], [row.value for row in b], [row.cluster for row in a]


def test_every_part_is_what_its_own_function_says() -> None:
    one = sides(1, seed=1)
    a, b, clusters = columns(one)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    found = compare({"goal": one})["goal"]
    assert found.mean_a == pytest.approx(np.mean(a))
    assert found.mean_b == pytest.approx(np.mean(b))
    assert found.difference == difference(a, b, clusters)
    assert found.permutation == sign_flip({"x": gaps}, clusters)["x"]
    assert found.p == found.holm_p == found.permutation.p
    assert found.effect == effect_size(a, b, clusters)
    assert found.design == describe_design(gaps, clusters)
    assert found.settles == needed_sample(gaps, clusters, found.difference.value or 0)
    assert found.t_test == paired_t(a, b)
    assert (found.pairs, found.clusters, found.only_a, found.only_b) == (24, 8, 0, 0)


def test_four_pairs_worked_by_hand() -> None:
    # 5, 7 | 6, 10 against 4, 4 | 4, 2: sums 4 and 10, mean 3.5; deviations -3 and 3,
    # se = sqrt(2 x 18) / 4 = 1.5; t(0.975; 1) = 12.706. Two clusters: p = 2 / 4.
    a = [KeyedValue(i, "st"[i // 2], v) for i, v in enumerate((5, 7, 6, 10))]
    b = [KeyedValue(i, "st"[i // 2], v) for i, v in enumerate((4, 4, 4, 2))]
    found = compare({"goal": (a, [*b, KeyedValue(9, "u", 1)])})["goal"]
    assert (found.mean_a, found.mean_b, found.difference.value) == (7, 3.5, 3.5)
    assert found.difference.high == pytest.approx(3.5 + 12.7062 * 1.5, rel=1e-5)
    assert (found.p, found.only_b, found.effect.better) == (0.5, 1, 2)
    assert found.permutation.note == "2 of 2 clusters differ: p cannot be less than 0.5"


def test_holm_corrects_over_the_measures_that_have_a_p() -> None:
    one, two = sides(2, seed=2), sides(0.3, seed=3)
    found = compare({"goal": one, "secret": two, "none": ([], one[1])})
    assert list(found) == ["goal", "secret", "none"]
    corrected = holm({name: record.p for name, record in found.items()})
    assert {name: record.holm_p for name, record in found.items()} == corrected
    assert found["goal"].holm_p == pytest.approx(2 * (found["goal"].p or 0))


def test_a_measure_without_pairs_is_told_not_refused() -> None:
    rows = sides(0, seed=4)[0]
    found = compare({"goal": ([], rows)})["goal"]
    assert (found.mean_a, found.mean_b, found.p, found.holm_p) == (None, None, None, None)
    assert (found.pairs, found.clusters, found.only_b) == (0, 0, len(rows))
    notes = (found.difference.note, found.permutation.note, found.design.note, found.settles.note)
    assert notes == ("no values",) * 4


def test_measures_may_lack_different_plays() -> None:
    one, two = sides(1, seed=5), sides(1, seed=6)
    short = (two[0][5:], two[1])
    found = compare({"goal": one, "secret": short})
    alone = compare({"secret": short})
    assert found["secret"].difference == alone["secret"].difference
    assert found["secret"].permutation == alone["secret"].permutation
    assert (found["secret"].pairs, found["secret"].only_b) == (19, 5)


@pytest.mark.parametrize("scenarios", [6, 45])
def test_the_order_of_the_rows_does_not_matter(scenarios: int) -> None:
    a, b = sides(0.4, 7, scenarios)
    rounded = [[KeyedValue(k, c, round(v, 1)) for k, c, v in side] for side in (a, b)]
    shuffled = [random.Random(1).sample(side, len(side)) for side in rounded]
    one = compare({"goal": (rounded[0], rounded[1])})["goal"]
    other = compare({"goal": (shuffled[0], shuffled[1])})["goal"]
    assert one.permutation == other.permutation
    assert (one.mean_a, one.mean_b) == (other.mean_a, other.mean_b)
    assert one.difference.low == pytest.approx(other.difference.low, rel=1e-9)
    assert one.settles.clusters == other.settles.clusters


def test_swapping_the_agents_mirrors_the_comparison() -> None:
    a, b = sides(0.4, 8, 45)
    one, other = compare({"x": (a, b)})["x"], compare({"x": (b, a)})["x"]
    assert one.p == other.p
    assert one.difference.low == pytest.approx(-(other.difference.high or 0))
    assert one.effect.better == other.effect.worse
    assert one.settles.clusters == other.settles.clusters


def test_sides_equal_but_for_rounding_do_not_differ() -> None:
    a = [KeyedValue(i, f"s{i}", 0.1 + 0.2) for i in range(8)]
    b = [KeyedValue(i, f"s{i}", 0.3) for i in range(8)]
    found = compare({"goal": (a, b)})["goal"]
    assert (found.p, found.effect.equal, found.difference.value) == (1, 8, 0)
    assert found.settles.note == "no variation between clusters"


def test_a_key_in_two_clusters_is_refused() -> None:
    one = ([KeyedValue(1, "s", 1)], [KeyedValue(1, "s", 2)])
    two = ([KeyedValue(1, "t", 1)], [KeyedValue(1, "t", 2)])
    with pytest.raises(ValueError, match="secret: a key belongs to one cluster"):
        compare({"goal": one, "secret": two})


def flat(scenarios: int = 8) -> Sides:
    rows = [KeyedValue((f"task {s}", "seat", 0), f"s{s}", 5.0) for s in range(scenarios)]
    return rows, rows


def test_a_measure_whose_pairs_are_all_equal_is_no_test_and_costs_the_others_nothing() -> None:
    one, two = sides(2, seed=2), sides(0.3, seed=3)
    found = compare({"goal": one, "same": flat(), "secret": two, "equal": flat()})
    assert (found["same"].p, found["same"].holm_p, found["equal"].holm_p) == (1, None, None)
    for name, record in compare({"goal": one, "secret": two}).items():
        assert found[name].holm_p == record.holm_p


def test_a_measure_that_cancels_in_each_cluster_is_no_test_either() -> None:
    a = [KeyedValue((c, r), c, float(r)) for c in "abcdefgh" for r in (0, 1)]
    b = [KeyedValue((c, r), c, float(1 - r)) for c in "abcdefgh" for r in (0, 1)]
    found = compare({"goal": sides(2, seed=2), "turned": (a, b)})
    assert found["turned"].holm_p is None
    assert found["goal"].holm_p == found["goal"].p


def test_what_would_settle_it_is_for_the_level_that_holm_asks_of_the_smallest_p() -> None:
    rows = {name: sides(0.3, seed=i) for i, name in enumerate(("goal", "secret", "money"))}
    found = compare({**rows, "same": flat()})["goal"]
    a, b, clusters = columns(rows["goal"])
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    assert (found.design.alpha, found.settles.alpha) == (0.05 / 3, 0.05 / 3)
    assert found.design == describe_design(gaps, clusters, 0.05 / 3)
    assert found.settles == needed_sample(gaps, clusters, found.difference.value or 0, 0.05 / 3)


def test_how_far_apart_at_most_is_the_margin_of_two_one_sided_tests() -> None:
    random = np.random.default_rng(4)
    a = random.normal(5, 1, 20)
    b = a + random.normal(0.2, 0.5, 20)
    sides = [
        [KeyedValue(i, f"c{i}", float(value)) for i, value in enumerate(side)] for side in (a, b)
    ]
    margin = compare({"goal": (sides[0], sides[1])})["goal"].at_most
    assert margin is not None
    assert ttost_paired(a, b, -margin, margin)[0] == pytest.approx(0.05)
