"""The tables hold what they promise, each line once, in words that fit any character."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.party.drawing import first_name, full_name, invented
from sociolab.worlds.anteval.party.tables import Background, Phrase, tables
from sociolab.worlds.anteval.session import ABILITIES, SKILLS

RACES = ("Dwarf", "Elf", "Halfling", "Human", "Dragonborn", "Gnome", "Half-Elf", "Half-Orc",
         "Tiefling")  # fmt: skip
CLASSES = ("Barbarian", "Bard", "Cleric", "Druid", "Fighter", "Monk", "Paladin", "Ranger",
           "Rogue", "Sorcerer", "Warlock", "Wizard")  # fmt: skip
TAGS = {"good", "evil", "lawful", "chaotic", "neutral", "any"}
NOT_OURS = {
    "Charlatan", "Criminal", "Entertainer", "Folk Hero", "Guild Artisan", "Hermit", "Noble",
    "Outlander", "Sage", "Sailor", "Soldier", "Urchin",
}  # fmt: skip

EVERYDAY = ("nature", "history", "medicine", "religion", "performance")
"""Skills whose names are also common words."""


def source(what: Phrase) -> str:
    """The line as it stands in its table, more or less."""
    return "".join(text if kind == "text" else f"<{text}>" for kind, text in what.pieces)


def traits(background: Background) -> list[Phrase]:
    groups = (
        background.personality,
        background.bonds,
        background.flaws,
        *background.ideals.values(),
    )
    return [wording for group in groups for trait in group for wording in trait]


def test_the_srd_races_classes_and_alignments_are_all_there() -> None:
    assert tuple(race.name for race in tables().races) == RACES
    assert tuple(kind.name for kind in tables().classes) == CLASSES
    assert len({alignment.name for alignment in tables().alignments}) == 9
    assert set(tables().abilities) == set(ABILITIES)
    assert set(tables().names.first) == set(tables().names.second) == set(RACES)


def test_there_are_24_backgrounds_of_our_own_and_the_acolyte() -> None:
    names = [background.name for background in tables().backgrounds]
    assert len(names) == len(set(names)) == 25
    assert "Acolyte" in names
    assert not NOT_OURS & set(names)


def test_every_background_has_six_of_each_trait_and_an_ideal_for_every_alignment() -> None:
    for background in tables().backgrounds:
        assert len(background.personality) >= 6
        assert len(background.bonds) >= 6
        assert len(background.flaws) >= 6
        assert set(background.ideals) == TAGS
        assert sum(map(len, background.ideals.values())) >= 6
        assert min(map(len, (background.did, background.carries, background.knows))) >= 3


def test_there_are_sixty_goals_or_more() -> None:
    assert len(set(tables().goals)) == len(tables().goals) >= 60


def test_no_line_stands_in_the_tables_twice() -> None:
    lines = [source(line) for background in tables().backgrounds for line in traits(background)]
    lines += [source(line) for line in tables().goals]
    for background in tables().backgrounds:
        lines += map(source, (*background.did, *background.carries, *background.knows))
    assert not [line for line, count in Counter(lines).items() if count > 1]


def test_the_first_wording_of_a_trait_begins_with_its_subject() -> None:
    for background in tables().backgrounds:
        groups = (background.personality, background.bonds, background.flaws)
        for group in (*groups, *background.ideals.values()):
            for trait in group:
                assert trait[0].subject_first, source(trait[0])


def test_every_line_that_may_open_a_description_has_a_place_for_the_name() -> None:
    table = tables()
    lines = [line for background in table.backgrounds for line in traits(background)]
    lines += [line for alignment in table.alignments for line in alignment.attitude]
    lines += [line for shown in table.abilities.values() for line in (*shown.strong, *shown.weak)]
    lines += [*table.frames.identity, *table.goal_frames]
    for line in lines:
        assert re.search("<(they|them|their|theirs|Their)>", source(line)), source(line)


def test_every_verb_has_one_subject_whether_a_name_or_a_pronoun_stands_first() -> None:
    # "Orsel mends what they can and preaches": the verb behind an inner <they> would be read as
    # its own, so that only the verb right after it may bend.
    nature = [line for alignment in tables().alignments for line in alignment.attitude]
    lines = [line for background in tables().backgrounds for line in traits(background)]
    for line in map(source, (*lines, *nature)):
        for clause in re.split("<they>", line)[2:]:
            verbs = re.findall(r"<(?:s|es|ies|are|were|have|do)>", clause)
            adverb = r"\s*(?:really |simply |always |never |seldom |still |only |mostly )?"
            assert not verbs or (
                len(verbs) == 1 and re.match(adverb + r"\S*" + verbs[0], clause)
            ), line


def test_nothing_speaks_of_a_character_as_he_or_she() -> None:
    # Other people may be: a late queen's son, an enemy, a widow, a mother at her loom.
    others = re.compile(r"\b(he|she|him|his|her|hers|himself|herself)\b")
    lines = [line for background in tables().backgrounds for line in traits(background)]
    spoken = [source(line) for line in lines if others.search(source(line))]
    for line in spoken:
        assert re.search(r"\b(queen|enemy|widow|girl|moon|king|boy)\b", line), line


def test_no_line_names_a_skill_as_the_game_does() -> None:
    # Intentions are private and are told from play: a trait must not give one a name.
    named = re.compile(rf"\b({'|'.join(s for s in SKILLS if s not in EVERYDAY)})\b")
    for background in tables().backgrounds:
        for line in traits(background):
            assert not named.search(source(line)), source(line)


@pytest.mark.parametrize("race", RACES)
def test_a_race_has_thousands_of_names_and_enough_that_begin_unlike(race: str) -> None:
    names = tables().names
    chance = stream(0, race)
    drawn = {full_name(names, race, chance, ()) for _ in range(6000)}
    assert len(drawn) > 5000
    firsts = {name.split()[0] for name in drawn}
    assert len(firsts) > 300
    assert all(re.fullmatch(r"[A-Z][a-z]{3,8}", first) for first in firsts)
    assert all(re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", name) for name in drawn)
    assert len({first[:2] for first in firsts}) >= 9


def test_a_name_never_begins_like_one_that_is_taken() -> None:
    syllables = tables().names.first["Elf"]
    chance = stream(0, "taken")
    taken = ["Aendris", "CAELIS", "Eliriel"]
    found = {first_name(syllables, chance, taken)[:2] for _ in range(300)}
    assert not {"Ae", "Ca", "El"} & found
    assert len(found) >= 9


def test_names_are_not_words_of_the_tables() -> None:
    words = set()
    for background in tables().backgrounds:
        for line in traits(background):
            words |= set(re.findall(r"[a-z]+", source(line)))
    chance = stream(0, "words")
    for race, syllables in tables().names.first.items():
        for _ in range(1000):
            assert invented(syllables, chance).casefold() not in words, race
