"""A quote counts where its words stand in the text; how they are set does not matter."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sociolab.judging import match_quote

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
        ("... say: \u201cthe kite evening", "say: \u201cthe kite evening"),
        ("I'd say: the", None),
        ("I'd say: 'the", None),
        ("I'd say: \"the", "I\u2019d say: \u201cthe"),
        ('"the kite evening" is at five', "the kite evening\u201d is at five"),
        ("at five, isn\u2019t it", "at five, isn't it"),
        ("the kite evening is at five", None),
        ("kite even", None),
        ("ood morning", None),
        ("Ada! I'd say", None),
        ("is at six", None),
        ("say: the", None),
        ("at five, is", None),
        ("Ada in \u0130STANBUL", "Ada in \u0130stanbul"),
        ("", None),
        ('"..."', None),
    ],
)
def test_words_count_and_how_they_are_set_does_not(quote: str, found: str | None) -> None:
    assert match_quote(quote, LINES) == found


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("I", None),
        ("kite evening", None),
        ("evening is - at", "evening is - at"),
        ("evening - at", None),
        ("five", None),
        ("Yes", None),
        ("yes, please", "Yes, please"),
        ("at five", "At five"),
        ("sure", "Sure"),
    ],
)
def test_a_quote_has_three_words_or_is_a_shorter_line_as_a_whole(
    quote: str, found: str | None
) -> None:
    lines = ("I think the kite evening is - at five.", "Yes, please!", "At five!", "Sure.")
    assert match_quote(quote, lines) == found


@given(st.lists(st.text("abc", min_size=1), min_size=1), st.data())
def test_less_than_three_words_are_no_quote_of_a_longer_line(
    words: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    some = words[first : data.draw(st.integers(first + 1, len(words)))]
    found = match_quote(" ".join(some), [" ".join(words)])
    assert (found is not None) == (len(some) >= min(3, len(words)))


@given(st.text(), st.text(), st.text())
def test_what_is_found_stands_in_the_line(before: str, quote: str, after: str) -> None:
    line = f"{before} {quote} {after}"
    found = match_quote(quote, [line])
    assert found is None or found in " ".join(line.split())
    if quote.isalpha():
        assert (
            match_quote(f"{quote} {quote} {quote}", [f"{before} {quote} {quote} {quote}"])
            is not None
        )


@given(st.text())
def test_a_quote_is_words_and_no_pattern(quote: str) -> None:
    assert match_quote(f"{quote}.*", ["nothing of it"]) in (None, "nothing of it")
