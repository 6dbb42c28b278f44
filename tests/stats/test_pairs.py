"""Matching rows of two agents by key."""

from __future__ import annotations

import pytest

from sociolab.stats import KeyedValue, MatchedValues, match_pairs
from stats.paired_difference import difference


def test_rows_are_matched_by_key_whatever_their_order() -> None:
    first = [
        KeyedValue(("t1", 0), "s1", 5),
        KeyedValue(("t1", 1), "s1", 6),
        KeyedValue(("t2", 0), "s2", 7),
    ]
    second = [
        KeyedValue(("t2", 0), "s2", 1),
        KeyedValue(("t1", 1), "s1", 2),
        KeyedValue(("t1", 0), "s1", 3),
    ]
    assert match_pairs(first, second) == MatchedValues(
        (5, 6, 7), (3, 2, 1), ("s1", "s1", "s2"), 0, 0
    )


def test_rows_without_a_counterpart_are_counted_on_their_side() -> None:
    first = [KeyedValue("t1", "s1", 5), KeyedValue("t2", "s1", 6), KeyedValue("t3", "s2", 7)]
    second = [KeyedValue("t3", "s2", 1), KeyedValue("t4", "s2", 2)]
    assert match_pairs(first, second) == MatchedValues((7,), (1,), ("s2",), only_a=2, only_b=1)


def test_nothing_in_common_makes_no_pairs() -> None:
    found = match_pairs([KeyedValue("t1", "s1", 5)], [])
    assert found == MatchedValues((), (), (), 1, 0)
    assert difference(found.a, found.b, found.clusters).note == "no values"


def test_a_key_that_forgot_the_repeat_is_refused() -> None:
    with pytest.raises(ValueError, match="'t1' twice"):
        match_pairs(
            [KeyedValue("t1", "s1", 5), KeyedValue("t1", "s1", 6)], [KeyedValue("t1", "s1", 1)]
        )


def test_a_pair_in_two_clusters_is_refused() -> None:
    with pytest.raises(ValueError, match="found 's1' and 's2'"):
        match_pairs([KeyedValue("t1", "s1", 5)], [KeyedValue("t1", "s2", 1)])
