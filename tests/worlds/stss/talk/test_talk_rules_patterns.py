"""Patterns sorted by letter find what the patterns as written find."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.stss.talk.rules import (
    acts,
    attaching,
    errands,
    invite_words,
    note_words,
    request_words,
)
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases, sorted_by_letter
from sociolab.worlds.stss.talk.rules.sentences import sentences
from worlds.stss.talk.labelled_talks import TALKS, labelled_talks

_TEXTS = tuple(
    one.text
    for case in labelled_talks(TALKS / "dev.jsonl")[::4]
    for line in case.lines
    for one in sentences(line.text)
)
_LISTS = tuple(
    (f"{module.__name__.rpartition('.')[2]}.{name}", value)
    for module in (acts, attaching, errands, invite_words, note_words, request_words)
    for name, value in vars(module).items()
    if isinstance(value, Phrases)
)


@pytest.mark.parametrize("phrases", [one for _, one in _LISTS], ids=[name for name, _ in _LISTS])
def test_a_sorted_list_begins_its_matches_where_the_written_one_does(phrases: Phrases) -> None:
    written = re.compile(phrases.source)
    for text in _TEXTS:
        found, expected = phrases.search(text), written.search(text)
        assert (found and found.start()) == (expected and expected.start()), text


@given(st.text(alphabet="abcd -", max_size=20))
def test_members_of_a_group_are_sorted_with_what_follows_them(text: str) -> None:
    written = r"\b(?:ab?c|[ab]d|c(?:a|b))\b(?! d)|^d+|\ba? b"
    found, expected = re.search(sorted_by_letter(written), text), re.search(written, text)
    assert (found and found.start()) == (expected and expected.start())


def test_a_bracket_left_open_is_an_error() -> None:
    with pytest.raises(ValueError, match="left open"):
        sorted_by_letter(r"\b(?:a|b")


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    pattern = Pattern(r"five|six")
    assert "compiled" not in vars(pattern)
    assert pattern.search("at six") is not None
    assert "compiled" in vars(pattern)
