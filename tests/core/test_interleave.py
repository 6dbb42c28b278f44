"""Things of several kinds take turns."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from sociolab.core import interleave


@given(st.lists(st.integers(0, 5)))
def test_the_first_few_are_of_as_many_kinds_as_there_are(kinds: list[int]) -> None:
    found = interleave(list(enumerate(kinds)), lambda item: item[1])
    assert Counter(found) == Counter(enumerate(kinds))
    several = len(set(kinds))
    assert len({kind for _, kind in found[:several]}) == several


def test_within_a_kind_and_within_a_round_the_order_stays() -> None:
    words = ["b1", "b2", "a1", "b3", "a2", "c1"]
    assert interleave(words, lambda word: word[0]) == ("b1", "a1", "c1", "b2", "a2", "b3")
