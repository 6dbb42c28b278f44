"""Whole words and phrases, ignoring case."""

from __future__ import annotations

import pytest

from sociolab.worlds import stss

PARTY = stss.Keywords(["harvest  party", "picnic", "Q&A"])


@pytest.mark.parametrize(
    "text",
    [
        "enjoy the picnic",
        "PICNIC",
        "dance (harvest party)",
        "go to the Harvest\nParty",
        "join the Q&A session",
        "Shall I invite Tom to the picnic?",
    ],
)
def test_whole_words_and_phrases_are_found_whatever_the_case(text: str) -> None:
    assert PARTY.matches(text)


@pytest.mark.parametrize("text", ["", "party", "unpicnic", "picnicking", "harvest the party"])
def test_what_only_looks_like_it_is_not_found(text: str) -> None:
    assert not PARTY.matches(text)


def test_the_filter_reads_no_meaning() -> None:
    """As the paper has it; what is meant is for a model that reads the actions."""
    assert PARTY.matches("skipping the picnic")


def test_without_keywords_nothing_matches() -> None:
    assert not stss.Keywords([]).matches("anything")
    assert not stss.Keywords([" "]).matches("anything")


@pytest.mark.parametrize(
    ("keyword", "text"),
    [
        ("slide show", "see the slideshow"),
        ("slide show", "see the slide\u2010show"),
        ("slideshow", "see the slide show"),
        ("slide-show", "see the slide\u2011show"),
        ("slide-show", "see the slide shows"),
        ("paper bridge", "build paper bridges"),
        ("party", "go to parties"),
        ("quiz contest", "Quiz Contests"),
        ("Ada's match", "join Ada\u2019s matches"),
    ],
)
def test_hyphens_apostrophes_and_plurals_may_be_written_otherwise(keyword: str, text: str) -> None:
    assert stss.Keywords([keyword]).matches(text)


def test_other_words_with_the_same_letters_are_not_it() -> None:
    assert not stss.Keywords(["party", "seed swap"]).matches("partying, partly; seeds swapped")
    assert not stss.Keywords(["kite"]).matches("ki te")
    assert not stss.Keywords(["carpet"]).matches("the car pet")
