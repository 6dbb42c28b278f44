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
        "picnics",
        "unpicnic",
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
