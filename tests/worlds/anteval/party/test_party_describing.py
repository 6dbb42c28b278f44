"""Descriptions agree with the traits, differ from one another, and are English."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from syrupy.assertion import SnapshotAssertion

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.party.drawing import description, draw_party, draw_traits, look
from sociolab.worlds.anteval.party.tables import PRONOUNS, DrawnCharacter, Phrase, tables, told
from sociolab.worlds.anteval.session import Character
from worlds.anteval.party.likeness import four_grams, masked, shares

Told = tuple[DrawnCharacter, Character]


@cache
def thousand(seed: int = 0) -> tuple[Told, ...]:
    """250 sessions of three players and the NPC: as drawn, and as told."""
    return tuple(
        pair
        for session in range(250)
        for pair in zip(draw_traits(seed, session, 3), draw_party(seed, session, 3), strict=True)
    )


def ways(what: Phrase, drawn: DrawnCharacter) -> set[str]:
    """All that this phrase may be told as, with pronoun or name, in small letters."""
    voices = [drawn.voice(contact=c, full=f) for c in (False, True) for f in (False, True)]
    return {
        told(what, voice, {"goal": drawn.goal}, named=named).casefold().rstrip(".")
        for voice in voices
        for named in (False, True)
    }


@cache
def always(what: Phrase) -> tuple[str, ...]:
    """What is in this phrase however it is told, in small letters."""
    return tuple(text.casefold().rstrip(".") for kind, text in what.pieces if kind == "text")


def found(what: Phrase, drawn: DrawnCharacter, text: str) -> bool:
    folded = text.casefold()
    if not all(part in folded for part in always(what)):
        return False
    return any(way in folded for way in ways(what, drawn))


@pytest.mark.parametrize("seed", [0, 20240113])
def test_no_two_of_a_thousand_share_more_than_half_of_their_4_grams(seed: int) -> None:
    texts = [four_grams(masked(c.description, c.first_name)) for _, c in thousand(seed)]
    assert len(texts) == 1000
    assert shares(texts).max() <= 0.5


def test_shares_are_counted_as_by_hand() -> None:
    # Of "a b c d e" the 4-grams are abcd and bcde; the second text has abcd of the two.
    texts = [four_grams(text.split()) for text in ("a b c d e", "a b c d x y", "p q r s")]
    assert shares(texts).tolist() == [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]]


def test_names_are_masked_wherever_they_stand() -> None:
    text = "Orsel Quay owes Ivoric. Orsel's boots left Tarnwall; like any dwarf, Orsel runs."
    assert " ".join(masked(text, "Orsel")) == ("# # owes # # boots left # like any dwarf # runs")


def test_ten_thousand_descriptions_are_ten_thousand() -> None:
    texts = {
        re.sub(r"\b[A-Z]\w*", "#", member.description)
        for session in range(2500)
        for member in draw_party(1, session, 3)
    }
    assert len(texts) == 10_000


def test_race_class_and_background_are_named_in_the_description() -> None:
    for _, character in thousand():
        text = character.description.casefold()
        for word in (character.race, character.class_name, character.background):
            assert re.search(rf"\b{word.casefold()}\b", text), (word, text)


def test_no_other_class_or_background_is_claimed() -> None:
    for drawn, character in thousand():
        text = character.description.casefold()
        others = [b.name.casefold() for b in tables().backgrounds if b is not drawn.background]
        assert not [name for name in others if re.search(rf"\ban? {name}\b", text)]
        others = [kind.name.casefold() for kind in tables().classes if kind is not drawn.kind]
        assert not [name for name in others if re.search(rf"\b{name}\b", text)]
        others = [race.name.casefold() for race in tables().races if race is not drawn.race]
        assert not [name for name in others if re.search(rf"(?<!-)\b{name}\b(?! impat)", text)]


def test_what_a_phrase_always_holds_is_in_every_way_to_tell_it() -> None:
    for drawn, _ in thousand()[:20]:
        background = drawn.background
        for trait in (*background.personality, *background.bonds, *background.flaws):
            for wording in trait:
                for way in ways(wording, drawn):
                    assert all(part in way for part in always(wording)), (wording, way)


def test_every_trait_is_told_and_no_other_of_its_kind() -> None:
    for drawn, character in thousand():
        text, background = character.description, drawn.background
        for trait in (*drawn.personality, drawn.ideal, drawn.bond, drawn.flaw):
            assert sum(found(wording, drawn, text) for wording in trait) == 1, (trait, text)
        assert found(drawn.goal, drawn, text)
        assert any(found(attitude, drawn, text) for attitude in drawn.alignment.attitude)
        others = [
            *(t for t in background.personality if t not in drawn.personality),
            *(t for ideals in background.ideals.values() for t in ideals if t is not drawn.ideal),
            *(t for t in background.bonds if t is not drawn.bond),
            *(t for t in background.flaws if t is not drawn.flaw),
            *(a.attitude for a in tables().alignments if a is not drawn.alignment),
        ]
        assert not [t for t in others if any(found(wording, drawn, text) for wording in t)]


def test_no_trait_of_another_background_is_told() -> None:
    for drawn, character in thousand()[:100]:
        others = [
            wording
            for background in tables().backgrounds
            if background is not drawn.background
            for trait in (*background.personality, *background.bonds, *background.flaws)
            for wording in trait
        ]
        assert not [wording for wording in others if found(wording, drawn, character.description)]


def test_the_record_holds_the_same_traits_as_whole_sentences() -> None:
    for drawn, character in thousand()[:200]:
        held = (*character.personality, character.ideal, character.bond, character.flaw)
        traits = (*drawn.personality, drawn.ideal, drawn.bond, drawn.flaw)
        for text, trait in zip(held, traits, strict=True):
            assert text.casefold().rstrip(".") in ways(trait[0], drawn)
            assert text[0].isupper()
            assert text.endswith(".")
        wants = "want" if drawn.pronouns.plural else "wants"
        assert character.goal.split()[:3] == [drawn.pronouns.forms["they"].title(), wants, "to"]


def test_the_ability_said_to_be_strongest_is_the_largest_and_the_weakest_the_least() -> None:
    for drawn, character in thousand():
        strong = [a for a, s in drawn.abilities.items() if s == max(drawn.abilities.values())]
        weak = [a for a, s in drawn.abilities.items() if s == min(drawn.abilities.values())]
        for ability, table in tables().abilities.items():
            said = any(found(line, drawn, character.description) for line in table.strong)
            assert not said or ability in strong
            said = any(found(line, drawn, character.description) for line in table.weak)
            assert not said or ability in weak
        lines = [line for a in strong for line in tables().abilities[a].strong]
        assert sum(found(line, drawn, character.description) for line in lines) == 1
        lines = [line for a in weak for line in tables().abilities[a].weak]
        assert sum(found(line, drawn, character.description) for line in lines) == 1


def test_the_look_shows_race_and_dress_and_nothing_private() -> None:
    for drawn, character in thousand():
        text = character.look
        assert drawn.race.name.casefold() in text.casefold()
        assert any(dress in text.casefold() for dress in drawn.kind.dress)
        assert re.fullmatch(r"[A-Z][^.?!]+\.", text)
        assert drawn.first_name not in text
        assert drawn.background.name.casefold() not in text.casefold()
        for trait in (*drawn.personality, drawn.ideal, drawn.bond, drawn.flaw):
            assert not any(found(wording, drawn, text) for wording in trait)


def test_the_characters_own_pronouns_are_used_of_it() -> None:
    for drawn, character in thousand():
        words = set(re.findall(r"\w+", character.description.casefold()))
        assert words & set(drawn.pronouns.forms.values())


SECOND_WORDS = r"\b([A-Za-z']+) \1\b"
ODD = (
    r"\ba [aeio]\w",
    r"\ban [^aeiouh\W]",
    r"  ",
    r" [,.;:]",
    r"[,;:]{2}",
    r"\.\.",
    r"[<>{}]",
    r"\bthey (?:is|was|has|does|keeps|wants|goes|takes|knows|thinks|holds|says|means)\b",
    r"\b(?:she|he) (?:are|were|have|do|keep|want|go|take|know|think|hold|say|mean)\b",
)
"""What good English has not."""


def test_texts_are_english_in_the_small_things() -> None:
    for _, character in thousand():
        for text in (
            character.description, character.look, character.ideal, character.bond,
            character.flaw, character.goal, *character.personality,
        ):  # fmt: skip
            doubled = re.search(SECOND_WORDS, text)
            assert doubled is None, text
            for odd in ODD:
                assert not re.search(odd, text, re.IGNORECASE), (odd, text)
            for sentence in re.split(r"(?<=[.?!]) ", text):
                assert sentence[0].isupper(), text


def test_the_first_sentence_says_whom_it_is_about() -> None:
    for drawn, character in thousand():
        assert drawn.first_name in re.split(r"[.?!] ", character.description)[0]


def test_openings_and_orders_differ() -> None:
    openings = Counter(" ".join(masked(c.description, c.first_name)[:4]) for _, c in thousand())
    assert len(openings) > 150
    assert openings.most_common(1)[0][1] < 80


def test_every_wording_of_every_background_fits_a_description() -> None:
    seen: set[str] = set()
    for seed in range(150):
        for drawn in draw_traits(seed, "lengths", 8):
            seen.add(drawn.background.name)
            text = description(drawn, stream(seed, "again"))
            assert 90 <= len(text.split()) <= 160
    assert len(seen) == len(tables().backgrounds)


def test_telling_again_with_another_stream_tells_otherwise() -> None:
    drawn = draw_traits(0, 0, 1)[0]
    texts = {description(drawn, stream(0, "telling", number)) for number in range(20)}
    looks = {look(drawn, stream(0, "telling", number)) for number in range(20)}
    assert len(texts) == 20
    assert len(looks) > 15


def test_characters_read_as_these_do(snapshot: SnapshotAssertion) -> None:
    party = [*draw_party(7, "snapshot", 4), *draw_party(8, "snapshot", 2)]
    assert {member.pronouns for member in party} == {p.label for p in PRONOUNS}
    told_of = [
        f"{c.name} ({c.pronouns}), {c.race} {c.class_name}, {c.background}, {c.alignment}\n"
        f"  sees: {c.look}\n  is: {c.description}\n"
        f"  {' '.join(c.personality)} {c.ideal} {c.bond} {c.flaw} {c.goal}"
        for c in party
    ]
    assert "\n\n".join(told_of) == snapshot
