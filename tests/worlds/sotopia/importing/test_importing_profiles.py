"""Profiles, traits and relationships."""

from __future__ import annotations

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.public_data import (
    RawAgent,
    RawRelationship,
    character,
    gender,
    relationship_type,
    relationships,
    traits,
)
from sociolab.worlds.sotopia.importing.reading import PlacedRow, Quirk, Quirks
from sociolab.worlds.sotopia.scenarios import BigFive, Character, RelationshipType

FIVE = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
TEXT = (
    "Openness to Experience - High; Conscientiousness - Low; Extraversion - Medium; "
    "Agreeableness - low; Neuroticism - Average"
)


def person(key: str) -> Character:
    return Character(
        id=key, first_name=key, gender="woman", pronouns="she/her", age=40, occupation="baker"
    )


def test_traits_are_levels() -> None:
    levels = ("high", "low", "average", "low", "average")
    assert traits(TEXT) == BigFive.model_validate(dict(zip(FIVE, levels, strict=True)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Openness - High",  # the other four are missing
        TEXT.replace("Medium", "Enormous"),
        TEXT.replace("Extraversion", "Charm"),
        TEXT.replace("Extraversion - Medium", "rather extraverted"),
    ],
)
def test_traits_that_are_not_all_there_are_none(text: str) -> None:
    assert traits(text) is None


def test_a_profile_is_stripped_and_keeps_its_id() -> None:
    quirks = Quirks()
    raw = RawAgent(
        agent_id="01ABC",
        first_name="Ida",
        age=30,
        occupation="Cook",
        gender="Woman",
        gender_pronoun="She/her",
        public_info="Ida sings. ",
        big_five="?",
        moral_values=("Care", " Fairness", " "),
    )
    found = character(PlacedRow("here", raw), quirks)
    assert (found.id, found.gender, found.pronouns) == ("01ABC", "woman", "she/her")
    assert (found.public_info, found.moral_values) == ("Ida sings.", ("Care", "Fairness"))
    assert found.big_five is None
    assert quirks == {Quirk.SPACED_ITEM: 2, Quirk.UNREAD_TRAITS: 1}


def test_genders_have_our_words() -> None:
    assert [gender(word) for word in ("Man", "male", "Female", "Nonbinary", "non-binary")] == [
        "man",
        "man",
        "woman",
        "nonbinary",
        "nonbinary",
    ]


def test_each_digit_is_a_relationship() -> None:
    found = [relationship_type(str(digit), "here") for digit in range(6)]
    assert found == ["stranger", "known-by-name", "acquaintance", "friend", "romantic", "family"]
    assert relationship_type(3, "here") is RelationshipType.FRIEND


def test_another_digit_is_refused_with_the_place() -> None:
    with pytest.raises(ConfigError, match=r"^here: the relationship .6. is not known; expected"):
        relationship_type("6", "here")


def rows(*digits: str) -> list[PlacedRow[RawRelationship]]:
    return [
        PlacedRow(
            f"line {number}",
            RawRelationship(agent1_id="a", agent2_id="b", relationship=digit)
            if number % 2
            else RawRelationship(agent1_id="b", agent2_id="a", relationship=digit),
        )
        for number, digit in enumerate(digits)
    ]


PAIR = frozenset({"a", "b"})
PEOPLE = {key: person(key) for key in "ab"}
FRIEND, ROMANTIC = RelationshipType.FRIEND, RelationshipType.ROMANTIC


def test_of_conflicting_rows_the_one_that_most_tasks_agree_with_is_kept() -> None:
    quirks = Quirks()
    found = relationships(rows("4", "3"), PEOPLE, {PAIR: (FRIEND, ROMANTIC, FRIEND)}, quirks)
    assert found[PAIR].type is FRIEND
    assert quirks == {Quirk.CONFLICTING_PAIR: 1, Quirk.TASK_OF_CONFLICT: 3}


def test_of_rows_that_tie_the_first_is_kept() -> None:
    assert relationships(rows("4", "3"), PEOPLE, {}, Quirks())[PAIR].type is ROMANTIC


def test_the_same_row_twice_is_no_conflict() -> None:
    quirks = Quirks()
    assert relationships(rows("3", "3"), PEOPLE, {}, quirks)[PAIR].type is FRIEND
    assert not quirks


def test_a_relationship_of_one_with_itself_or_a_stranger_to_the_file_is_refused() -> None:
    itself = PlacedRow("here", RawRelationship(agent1_id="a", agent2_id="a", relationship="3"))
    with pytest.raises(ConfigError, match=r"^here: a is in a relationship with itself"):
        relationships([itself], PEOPLE, {}, Quirks())
    unknown = PlacedRow("here", RawRelationship(agent1_id="a", agent2_id="z", relationship="3"))
    with pytest.raises(ConfigError, match=r"^here: there is no character with the id 'z'"):
        relationships([unknown], PEOPLE, {}, Quirks())
