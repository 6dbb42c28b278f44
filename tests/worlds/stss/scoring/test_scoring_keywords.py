"""Whole words and phrases, ignoring case, and never mere talk about it."""

from __future__ import annotations

import pytest

from sociolab.worlds.stss.scoring.keywords import Keywords, spoken_place

PARTY = Keywords(["harvest  party", "picnic", "Q&A"])


@pytest.mark.parametrize(
    "text",
    [
        "enjoy the picnic",
        "PICNIC",
        "dance (harvest party)",
        "go to the Harvest\nParty",
        "join the Q&A session",
        "have a picnic with Rosa and talk about the weather",
        "chat with friends about work at the picnic",
        "set out the flyers at the picnic",
    ],
)
def test_the_action_is_seen(text: str) -> None:
    assert PARTY.done(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "party",
        "unpicnic",
        "picnicking",
        "harvest the party",
        "tell Rosa about the picnic",
        "talk with the neighbours about her own picnic",
        "invite Tom Ash to the picnic",
        "ask Tom to join the picnic",
        "remind everybody of the harvest party",
        "announce the picnic",
        "discuss tomorrow's picnic",
        "spread the word about the picnic",
        "hand out invitations to the picnic",
    ],
)
def test_what_only_looks_like_it_or_is_talk_about_it_is_not(text: str) -> None:
    assert not PARTY.done(text)


def test_words_are_about_it_however_they_are_said() -> None:
    assert PARTY.said("Shall I invite Tom to the picnic?")


def test_without_keywords_nothing_matches() -> None:
    assert not Keywords([]).said("anything")
    assert not Keywords([" "]).done("anything")


def test_a_place_is_called_by_its_sector() -> None:
    assert spoken_place("Cafe: terrace") == "Cafe"
    assert spoken_place("Cafe") == "Cafe"


EVENTS = Keywords(["online game", "party", "picnic"])


@pytest.mark.parametrize(
    "text",
    [
        "skipping the online game",
        "getting ready for the online game",
        "not going to the party",
        "waiting for the party",
        "waiting for the party to begin",
        "reading about the party",
        "dreaming of the picnic",
        "leaving the party",
        "cleaning up after the party",
        "preparing the picnic",
        "prepare food for the picnic",
        "get dressed for the picnic",
        "planning to attend the party",
        "didn\u2019t go to the party",
        "not in the mood for the party",
        "decided not to attend the party",
        "home from the party",
        "missing the party",
        "looking forward to the party",
        "resting before the party",
        "avoid the picnic",
        "wait for Rosa's picnic",
        "declining to join the picnic",
        "bake a cake for the party",
        "setting up for the party",
        "set up tables for the party",
        "tidy up after Ada's picnic",
        "thinking about skipping the party",
        "instead of going to the party",
        "tell Rosa about the picnic",
        "recovering from the party",
        "returning from the picnic",
        "planning the party",
        "organising a picnic",
        "forgetting the party",
        "waiting to join the party",
        "imagining the picnic",
        "stay away from the party",
        "getting ready to join the online game",
        "unable to attend the party",
        "discussing the party",
        "cleaning up the party",
    ],
)
def test_avoiding_preparing_dreaming_of_it_and_what_comes_after_is_no_taking_part(
    text: str,
) -> None:
    assert not EVENTS.done(text)


@pytest.mark.parametrize(
    "text",
    [
        "announcing winners at party",
        "leave work early to join the picnic",
        "skip lunch and enjoy the picnic",
        "skip lunch for the picnic",
        "not working but enjoying the party",
        "go to the party",
        "looking after the children at the party",
        "join the party after work",
        "play the on-line game",
        "after lunch enjoy the picnic",
        "waiting for cake at the party",
        "clean up spills at the party",
        "prepare sandwiches at the picnic",
        "talk about work during the picnic",
        "join the picnic (prepare tea)",
        "picnics in the park",
        "host the party",
        "help with the party",
        "get ready (join the party)",
        "finishing work and then the picnic",
        "not only watching but joining the party",
        "sit down before dinner at the picnic",
        "setting up chairs at the party",
    ],
)
def test_words_that_govern_something_else_do_not_matter(text: str) -> None:
    assert EVENTS.done(text)


def test_a_keyword_may_itself_be_about_preparing() -> None:
    assert Keywords(["preparing the picnic"]).done("preparing the picnic")


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
    assert Keywords([keyword]).done(text)


def test_other_words_with_the_same_letters_are_not_it() -> None:
    assert not Keywords(["party", "seed swap"]).said("partying, partly; seeds swapped")
    assert not Keywords(["kite"]).said("ki te")
    assert not Keywords(["carpet"]).said("the car pet")
