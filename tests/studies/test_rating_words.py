"""Reasons and words by people: what is taken, and what is sent back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sociolab.plugin.api import RatedLine, RatedScene
from sociolab.studies.rating_rules import impression_word, one_line, quote_problem, reason_problem


@pytest.mark.parametrize(
    "reason", ["he gave way", "Sie gab nach", "он уступил ей", "a bit too rude, though", "x y z"]
)
def test_a_reason_in_words_of_ones_own_is_taken(reason: str) -> None:
    assert reason_problem(reason, 3) == ""


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "   ",
        "...",
        "good",
        "aaaaaaaaaa",
        "a a a a",
        "good good good",
        "- - - - -",
        "1111 1111 1",
    ],
)
def test_a_reason_that_says_nothing_is_not(reason: str) -> None:
    assert reason_problem(reason, 3) != ""


def test_a_quote_may_be_of_anybody_who_acts_in_the_turn() -> None:
    turns = (RatedLine(1, "a", "Ann", "I keep the lamp."), RatedLine(1, "b", "Bob", "Take it all."))
    scene = RatedScene("", (), (), turns)
    assert quote_problem(scene, '1: "Take it all" says Bob', needed=True) == ""
    assert "of turn 1" in quote_problem(scene, '1: "Give it all" says Bob', needed=True)


def test_one_word_may_be_asked_for_and_is_enough() -> None:
    assert reason_problem("rude", 1) == ""
    assert "at least 4 words (so far 2)" in reason_problem("too rude", 4)


@given(st.text())
def test_any_text_becomes_one_line_that_can_be_stored(text: str) -> None:
    line = one_line(text)
    assert line == line.strip()
    assert all(c.isprintable() or c == "\N{SOFT HYPHEN}" or ord(c) > 0xA0 for c in line)
    assert one_line(line) == line
    line.encode()


@pytest.mark.parametrize(
    ("given_word", "kept"),
    [
        ("Dull", "dull"),
        (" half-hearted ", "half-hearted"),
        ("l'ennui", "l'ennui"),
        ("Straße", "strasse"),
        ("सुंदर", "सुंदर"),
        ("乏味", "乏味"),
        ("e\N{COMBINING ACUTE ACCENT}te", "\N{LATIN SMALL LETTER E WITH ACUTE}te"),
    ],
)
def test_one_word_of_any_language_is_taken(given_word: str, kept: str) -> None:
    assert impression_word(given_word) == (kept, "")


@pytest.mark.parametrize(
    "word",
    [
        "", "two words", "w0rd", "<b>bold</b>", "=1+1", "-", "'", "a--b", "-a", "a-", "x" * 31,
        "🙂", "a\u202eb", "a\u200bb", "a\x00b", "\u0301a", "a" + "\u0301" * 9, "\ud800",
    ],
)  # fmt: skip
def test_whatever_is_no_word_is_sent_back_with_a_sentence(word: str) -> None:
    kept, problem = impression_word(word)
    assert kept == ""
    assert problem.endswith(".")


@given(st.text(max_size=40))
def test_a_word_that_is_taken_is_short_and_harmless(text: str) -> None:
    kept, problem = impression_word(text)
    assert bool(kept) != bool(problem)
    if kept:
        assert not set(kept) & set('<>&"=+@|\n\t ')
        assert len(text.strip()) <= 4 * 30
        assert impression_word(kept)[1] == "" or len(kept) > 30
