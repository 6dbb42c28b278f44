"""A quote counts where its words stand in the text; how they are set does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.judging.quoting import quoted

LINES = (
    "Good morning, Ada!",
    "I\u2019d say: \u201cthe kite evening\u201d is at five, isn't it?",
    "Ada in  \u0130stanbul.",
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Good morning, Ada!", "Good morning, Ada"),
        ("good  MORNING,\nada", "Good morning, Ada"),
        ('"Good morning, Ada."', "Good morning, Ada"),
        ("... morning", "morning"),
        ("I'd say", "I\u2019d say"),
        ('"the kite evening" is at five', "the kite evening\u201d is at five"),
        ("isn\u2019t it", "isn't it"),
        ("the kite evening is at five", None),
        ("kite even", None),
        ("ood morning", None),
        ("Ada! I'd say", None),
        ("is at six", None),
        ("say: the", None),
        ("at five, is", None),
        ("\u0130stanbul", "\u0130stanbul"),
        ("Ada in \u0130STANBUL", "Ada in \u0130stanbul"),
        ("", None),
        ('"..."', None),
    ],
)
def test_words_count_and_how_they_are_set_does_not(quote: str, found: str | None) -> None:
    assert quoted(quote, LINES) == found


@given(st.text(), st.text(), st.text())
def test_what_is_found_stands_in_the_line(before: str, quote: str, after: str) -> None:
    line = f"{before} {quote} {after}"
    found = quoted(quote, [line])
    assert found is None or found in " ".join(line.split())
    if quote.isalpha():
        assert found is not None


@given(st.text())
def test_a_quote_is_words_and_no_pattern(quote: str) -> None:
    assert quoted(f"{quote}.*", ["nothing of it"]) in (None, "nothing", "of", "it", "nothing of it")
