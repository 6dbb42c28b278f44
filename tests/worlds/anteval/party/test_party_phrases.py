"""Phrases agree with pronouns, names and one another."""

from __future__ import annotations

import pytest

from sociolab.core.errors import WorldError
from sociolab.worlds.anteval.party.tables import PRONOUNS, Voice, phrase, sentence, told

SHE, HE, THEY = (Voice(pronouns, "Orsel", "Petrko", "Tarnwall") for pronouns in PRONOUNS)


@pytest.mark.parametrize(
    ("voice", "expected"),
    [
        (SHE, "she carries her own and does so herself; it is hers, and she was glad of Petrko"),
        (HE, "he carries his own and does so himself; it is his, and he was glad of Petrko"),
        (
            THEY,
            "they carry their own and do so themself; it is theirs, and they were glad of Petrko",
        ),
    ],
)
def test_verbs_agree_with_pronouns(voice: Voice, expected: str) -> None:
    text = (
        "<They> carr<ies> <their> own and <do> so <themself>; it is <theirs>, and <they> <were> "
        "glad of <friend>"
    )
    assert told(phrase(text), voice) == expected


def test_a_name_takes_the_place_of_the_first_pronoun_and_is_one_person() -> None:
    text = phrase("<They> pass<es> by and hum<s>, and <they> <have> time for <town>")
    assert (
        told(text, THEY, named=True) == "Orsel passes by and hums, and they have time for Tarnwall"
    )


def test_a_name_stands_for_object_and_owner_too() -> None:
    assert told(phrase("Boots tell <them> much"), HE, named=True) == "boots tell Orsel much"
    assert told(phrase("<Their> boots tell"), HE, named=True) == "Orsel's boots tell"


def test_who_is_one_person_whatever_the_pronouns() -> None:
    text = phrase("{built} <who> keep<s> still; <they> wait<s>")
    assert told(text, THEY, {"built": "an elf"}) == "an elf who keeps still; they wait"


def test_a_phrase_in_a_phrase_agrees_with_the_subject_around_it() -> None:
    inner = phrase("keep<s> still")
    assert told(phrase("<they> {does}"), THEY, {"does": inner}) == "they keep still"
    assert told(phrase("<they> {does}"), SHE, {"does": inner}) == "she keeps still"


def test_a_sentence_has_one_capital_and_one_full_stop() -> None:
    assert sentence("so it is") == "So it is."
    assert sentence("is it?") == "Is it?"


def test_only_a_phrase_that_begins_with_its_subject_may_follow_that() -> None:
    assert phrase("<They> run<s>").subject_first
    assert not phrase("<Their> legs run").subject_first
    assert not phrase("Legs run for <them>").subject_first


def test_an_unknown_tag_is_refused_by_name() -> None:
    with pytest.raises(WorldError, match='found "<thy>"'):
        phrase("<they> lose<s> <thy> way")
