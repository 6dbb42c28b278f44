"""Agreement of pairs of raters and Randolph's kappa: by hand, statsmodels, properties."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from sociolab.stats import (
    Bins,
    RaterAgreement,
    free_marginal_kappa,
    means,
    nan_to_none,
    pair_columns,
    rating_table,
    summarize_agreement,
)

GOAL = Bins(0, 10)

# Psychiatric diagnoses of Fleiss (1971) as printed in textbooks: 10 subjects, 14 raters, 5
# categories; how many raters chose each.
FLEISS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip

scores = st.integers(0, 10)
some = settings(max_examples=40)
tables = st.lists(st.lists(st.none() | scores, min_size=1, max_size=5), min_size=1, max_size=12)


def clusters(items: Sequence[object]) -> list[str]:
    return [f"s{i}" for i in range(len(items))]


def measured(items: Sequence[Sequence[float | None]], bins: Bins = GOAL) -> RaterAgreement:
    return agreement(items, bins, clusters(items))


def agreement(
    items: Sequence[Sequence[float | None]], bins: Bins | Sequence[Bins], clusters: Sequence[str]
) -> RaterAgreement:
    """Of these items, all in as many bins."""
    table = rating_table(items)
    shares = {name: nan_to_none(column) for name, column in pair_columns(table, bins).items()}
    count = (bins if isinstance(bins, Bins) else bins[0]).count
    return summarize_agreement(means(shares, clusters), table, count)


# Worked by hand


def test_share_of_pairs_worked_by_hand() -> None:
    # 5 5 6: one of three pairs is the same, all are within one. 3 4: none, one. 2 5: none. 7: no
    # pair, so no share.
    items = [(5, 5, 6), (3, 4), (2, 5), (7, None)]
    assert nan_to_none(rating_table(items).pair_shares()) == [1 / 3, 0, 0, None]
    assert nan_to_none(rating_table(items).pair_shares(1)) == [1, 1, 0, None]


def test_agreement_of_unequal_numbers_of_raters_worked_by_hand() -> None:
    # Items (bins of width 2): 0 1 1 -> bins 0 0 0: exact 1/3, within one 1, binned 1.
    # 4 5 6 -> bins 2 2 3: 0, 2/3, 1/3. 0 2 4 -> bins 0 1 2: 0, 0, 0. 9 9: 1, 1, 1. 8 alone.
    # Each item counts the same: exact (1/3 + 0 + 0 + 1) / 4 = 1/3; within one (1 + 2/3 + 0 + 1)
    # / 4 = 2/3; binned (1 + 1/3 + 0 + 1) / 4 = 7/12, kappa (7/12 - 1/5) / (4/5) = 23/48.
    found = measured([(0, 1, 1), (4, 5, 6), (0, 2, 4), (9, None, 9), (8, None, None)])
    assert found.exact.value == pytest.approx(1 / 3)
    assert found.near.value == pytest.approx(2 / 3)
    assert found.binned.value == pytest.approx(7 / 12)
    assert found.kappa.value == pytest.approx(23 / 48)
    assert (found.exact.n, found.pairs, found.left_out, found.missing) == (4, 10, 1, 3)


def test_kappa_of_the_diagnoses_of_fleiss() -> None:
    # Shares of agreeing pairs, printed: 1, 0.253, 0.308, 0.440, 0.330, 0.462, 0.242, 0.176, 0.286,
    # 0.286, on average 0.378; free-marginal kappa (0.378 - 0.2) / 0.8 = 0.2225.
    items = [np.repeat(range(5), row).tolist() for row in FLEISS]
    found = measured(items, Bins(0, 4))
    assert found.binned.value == pytest.approx(0.378, abs=5e-4)
    assert found.kappa.value == pytest.approx(0.2225, abs=7e-4)


def test_published_agreement_of_sotopia_is_not_the_exact_agreement_behind_its_kappa() -> None:
    # Appendix D: kappa 0.503 with five bins, pairwise agreement 0.8485. kappa = (A - 1/5) / (4/5)
    # puts the agreement in bins at A = 0.503 * 0.8 + 0.2 = 0.602; an A of 0.8485 makes kappa 0.811.
    assert free_marginal_kappa(0.6024, 5) == pytest.approx(0.503)
    assert free_marginal_kappa(0.8485, 5) == pytest.approx(0.810625)


def test_the_interval_of_kappa_is_the_interval_of_the_agreement_in_bins_rescaled() -> None:
    # Four items, four clusters, binned shares 1, 0, 1, 1: mean 3/4, se 1/4, t(0.975; 3) = 3.18245.
    found = measured([(1, 1), (1, 9), (5, 5), (8, 9)])
    half = 3.18244631 / 4
    assert (found.binned.low, found.binned.high) == pytest.approx((0.75 - half, 0.75 + half))
    ends = [(0.75 - half - 0.2) / 0.8, (0.75 + half - 0.2) / 0.8]
    assert [found.kappa.low, found.kappa.high] == pytest.approx(ends)
    assert (found.kappa.n, found.kappa.clusters, found.kappa.method) == (4, 4, "t")


def test_items_of_different_ranges_are_binned_each_by_its_own() -> None:
    found = agreement([(-2, -1), (5, 4)], [Bins(-10, 0), Bins(-5, 5)], ["a", "b"])
    assert found.binned.value == 1
    assert agreement([(-2, -1)], [Bins(-5, 5)], ["a"]).binned.value == 0


# Where there is no value


def test_no_item_with_two_ratings_gives_no_value() -> None:
    found = measured([(1,), (None, 4)])
    assert (found.kappa.value, found.kappa.note, found.exact.value) == (None, "no values", None)
    assert (found.pairs, found.left_out, found.missing) == (0, 2, 1)


def test_full_agreement_claims_no_certainty() -> None:
    found = measured([(1, 1), (5, 5)])
    assert (found.kappa.value, found.kappa.low) == (1, None)
    assert found.kappa.note == "no variation between clusters"


def test_categories_that_leave_no_room_for_chance_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 categories"):
        free_marginal_kappa(0.5, 1)


# Oracle


@some
@given(
    st.integers(2, 5).flatmap(
        lambda raters: st.lists(
            st.lists(scores, min_size=raters, max_size=raters), min_size=1, max_size=12
        )
    ),
    st.integers(2, 7),
)
def test_statsmodels_says_the_same(items: list[list[int]], count: int) -> None:
    bins = Bins(0, 10, count)
    binned = [[bins.number(score) for score in item] for item in items]
    table, _ = aggregate_raters(np.array(binned), n_cat=count)
    theirs = fleiss_kappa(table, method="randolph")
    assert measured(items, bins).kappa.value == pytest.approx(float(theirs), abs=1e-12)


# Properties


@some
@given(tables, st.integers(0, 99))
def test_order_of_raters_does_not_matter(items: list[list[int | None]], seed: int) -> None:
    chance = random.Random(seed)
    shuffled = [chance.sample(item, len(item)) for item in items]
    assert measured(shuffled) == measured(items)


@some
@given(tables)
def test_agreement_grows_with_the_tolerance(items: list[list[int | None]]) -> None:
    found = measured(items)
    if found.exact.value is not None:
        assert found.near.value is not None
        assert found.binned.value is not None
        assert 0 <= found.exact.value <= found.near.value <= 1
        assert found.exact.value <= found.binned.value
        assert -0.25 <= (found.kappa.value or 0) <= 1


@some
@given(tables)
def test_missing_ratings_are_counted_and_change_nothing(items: list[list[int | None]]) -> None:
    given_only = [[score for score in item if score is not None] for item in items]
    found, without = measured(items), measured(given_only)
    assert found.kappa == without.kappa
    assert found.missing == sum(item.count(None) for item in items)
    assert without.missing == 0
