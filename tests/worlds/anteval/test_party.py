"""Characters: the tables, their phrases, who is drawn, and how they are described."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from sociolab.core import ConfigError, WorldError, stream
from sociolab.worlds import anteval
from sociolab.worlds.anteval.party.drawing import (
    description,
    draw_traits,
    first_name,
    full_name,
    hit_points,
    invent_name,
    look,
    modifier,
    suitable_ideals,
)
from sociolab.worlds.anteval.party.tables import (
    PRONOUNS,
    Background,
    DrawnCharacter,
    Phrase,
    Voice,
    phrase,
    render_phrase,
    sentence,
    tables,
)
from sociolab.worlds.anteval.scene import describe_self
from sociolab.worlds.anteval.session import ABILITIES
from worlds.anteval.likeness import four_grams, masked, shares

# ---------- the tables hold what they promise, each line once, in words that fit any character


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
    named = re.compile(rf"\b({'|'.join(s for s in anteval.SKILLS if s not in EVERYDAY)})\b")
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
            assert invent_name(syllables, chance).casefold() not in words, race


# ---------- phrases agree with pronouns, names and one another


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
    assert render_phrase(phrase(text), voice) == expected


def test_a_name_takes_the_place_of_the_first_pronoun_and_is_one_person() -> None:
    text = phrase("<They> pass<es> by and hum<s>, and <they> <have> time for <town>")
    assert (
        render_phrase(text, THEY, named=True)
        == "Orsel passes by and hums, and they have time for Tarnwall"
    )


def test_a_name_stands_for_object_and_owner_too() -> None:
    assert (
        render_phrase(phrase("Boots tell <them> much"), HE, named=True) == "boots tell Orsel much"
    )
    assert render_phrase(phrase("<Their> boots tell"), HE, named=True) == "Orsel's boots tell"


def test_who_is_one_person_whatever_the_pronouns() -> None:
    text = phrase("{built} <who> keep<s> still; <they> wait<s>")
    assert render_phrase(text, THEY, {"built": "an elf"}) == "an elf who keeps still; they wait"


def test_a_phrase_in_a_phrase_agrees_with_the_subject_around_it() -> None:
    inner = phrase("keep<s> still")
    assert render_phrase(phrase("<they> {does}"), THEY, {"does": inner}) == "they keep still"
    assert render_phrase(phrase("<they> {does}"), SHE, {"does": inner}) == "she keeps still"


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


# ---------- a party is drawn by seed, valid for any seed, and true to the tables


SEEDS = st.integers(0, 2**63)
PLAYERS = st.integers(1, 8)


@given(SEEDS, st.integers(0, 10_000) | st.text(max_size=8), PLAYERS)
def test_any_seed_gives_a_table_that_a_session_takes(
    seed: int, session: int | str, players: int
) -> None:
    party = anteval.draw_party(seed, session, players)
    seats = [f"player-{number}" for number in range(1, players + 1)]
    assert [character.id for character in party] == [*seats, "npc"]
    anteval.Session(id="s", form="information", turns=1, situation="A room.", characters=party)
    for character in party:
        assert anteval.PartyMember.model_validate_json(character.model_dump_json()) == character
        assert tuple(character.abilities) == ABILITIES
        assert 90 <= len(character.description.split()) <= 160
        assert len(character.personality) == 2


@given(SEEDS, st.integers(0, 99), PLAYERS)
def test_the_same_seed_gives_the_same_party(seed: int, session: int, players: int) -> None:
    assert anteval.draw_party(seed, session, players) == anteval.draw_party(seed, session, players)


@given(SEEDS, st.integers(1, 7))
def test_further_players_change_nobody_who_was_there(seed: int, players: int) -> None:
    few, many = anteval.draw_party(seed, "s", players), anteval.draw_party(seed, "s", players + 1)
    assert many[:players] == few[:-1]
    assert many[-1] == few[-1]


@given(SEEDS)
def test_sessions_and_seeds_have_people_of_their_own(seed: int) -> None:
    names = {member.name for session in range(3) for member in anteval.draw_party(seed, session, 3)}
    names |= {member.name for member in anteval.draw_party(seed + 1, 0, 3)}
    assert len(names) == 16


@given(SEEDS)
def test_no_two_at_a_table_have_names_that_begin_alike_or_the_same_trade(seed: int) -> None:
    party = anteval.draw_party(seed, "s", 8)
    assert len({member.name[:2].casefold() for member in party}) == 9
    assert len({member.class_name for member in party}) == 9
    assert len({member.background for member in party}) == 9


@given(SEEDS)
def test_the_ideal_suits_the_alignment(seed: int) -> None:
    for drawn in draw_traits(seed, "s", 4):
        assert drawn.ideal in suitable_ideals(drawn.background, drawn.alignment.name)
        words = [word for word, ideals in drawn.background.ideals.items() if drawn.ideal in ideals]
        assert set(words) <= {*drawn.alignment.name.split(), "any"}


@given(SEEDS)
def test_abilities_are_rolls_with_the_best_two_where_the_class_wants_them(seed: int) -> None:
    for drawn in draw_traits(seed, "s", 4):
        scores = sorted(drawn.abilities.values(), reverse=True)
        first, second = drawn.kind.best
        assert [drawn.abilities[first], drawn.abilities[second]] == scores[:2]
        assert 13 <= scores[0] <= 18
        assert 3 <= scores[-1] <= 11


def test_the_npc_has_one_of_the_backgrounds_that_are_asked_for() -> None:
    wanted = ("Toll Clerk", "Ferry Keeper")
    drawn = {draw_traits(seed, "s", 3, npc=wanted)[-1].background.name for seed in range(40)}
    assert drawn == set(wanted)


# ---------- level, hit points and spells, as the SRD has them


def test_hit_points_worked_by_hand() -> None:
    # A wizard (d6) of level 1 with constitution 14: 6 + 2. A fighter (d10) of level 3 with 15:
    # 10 + 2, then 6 + 2 twice. A sorcerer (d6) of level 4 with 5 (-3): 3, then 4 - 3 three times.
    # At constitution 3 (-4) a level is still worth a point: 2, then 1 each.
    assert [modifier(score) for score in (3, 9, 10, 11, 12, 18)] == [-4, -1, 0, 0, 1, 4]
    assert hit_points(6, 1, 14) == 8
    assert hit_points(10, 3, 15) == 28
    assert hit_points(6, 4, 5) == 6
    assert hit_points(6, 3, 3) == 4


def test_a_party_is_of_one_level_and_all_levels_are_drawn() -> None:
    levels = [{one.level for one in draw_traits(seed, "s", 4)} for seed in range(80)]
    assert all(len(of_party) == 1 for of_party in levels)
    assert set.union(*levels) == {1, 2, 3, 4, 5}


@given(SEEDS)
def test_casters_have_as_many_spells_as_the_rules_give_and_others_none(seed: int) -> None:
    for drawn in draw_traits(seed, "s", 8):
        casts, level = drawn.kind.casts, drawn.level
        if casts is None:
            assert drawn.spells == ()
            continue
        cantrips = [spell for spell in drawn.spells if spell in casts.cantrips]
        spells = [spell for spell in drawn.spells if spell not in casts.cantrips]
        expected = {
            "Bard": (2 + (level > 3), 3 + level),
            "Sorcerer": (4 + (level > 3), 1 + level),
            "Ranger": (0, (0, 2, 3, 3, 4)[level - 1]),
        }
        if drawn.kind.name in expected:
            assert (len(cantrips), len(spells)) == expected[drawn.kind.name]
        if drawn.kind.name == "Wizard":
            prepared = level + modifier(drawn.abilities["intelligence"])
            assert (len(cantrips), len(spells)) == (3 + (level > 3), max(1, prepared))
        half = drawn.kind.name in ("Paladin", "Ranger")
        highest = (0, 1, 1, 1, 2)[level - 1] if half else (level + 1) // 2
        within_reach = {spell for spells in casts.spells[:highest] for spell in spells}
        assert set(spells) <= within_reach


def test_the_hit_dice_and_casters_are_those_of_the_srd() -> None:
    dice = {kind.name: kind.hit_die for kind in tables().classes}
    assert dice["Barbarian"] == 12
    assert dice["Wizard"] == dice["Sorcerer"] == 6
    assert sorted(dice.values()) == [6, 6, *[8] * 6, 10, 10, 10, 12]
    without = {kind.name for kind in tables().classes if kind.casts is None}
    assert without == {"Barbarian", "Fighter", "Monk", "Rogue"}


def test_a_sheet_says_level_hit_points_and_spells() -> None:
    told = [member for seed in range(9) for member in anteval.draw_party(seed, "s", 3)]
    for member in told:
        sheet = describe_self(member)
        assert f"Level {member.level}, {member.hit_points} hit points ({member.hit_dice})." in sheet
        assert ("Spells: " in sheet) == bool(member.spells)
    assert any(member.spells for member in told)


def test_all_entries_of_the_tables_turn_up() -> None:
    party = [drawn for seed in range(400) for drawn in draw_traits(seed, "s", 8)]
    assert {drawn.race.name for drawn in party} == {race.name for race in tables().races}
    assert {drawn.kind.name for drawn in party} == {kind.name for kind in tables().classes}
    assert {drawn.background.name for drawn in party} == {b.name for b in tables().backgrounds}
    assert {drawn.alignment.name for drawn in party} == {a.name for a in tables().alignments}
    assert {drawn.goal for drawn in party} == set(tables().goals)


@pytest.mark.parametrize("players", [0, -1, 9])
def test_a_table_of_the_wrong_size_is_refused(players: int) -> None:
    with pytest.raises(ConfigError, match=f"expected 1 to 8 players, found {players}"):
        anteval.draw_party(0, 0, players)


# ---------- descriptions agree with the traits, differ from one another, and are English


Told = tuple[DrawnCharacter, anteval.PartyMember]


@cache
def thousand(seed: int = 0) -> tuple[Told, ...]:
    """250 sessions of three players and the NPC: as drawn, and as told."""
    return tuple(
        pair
        for session in range(250)
        for pair in zip(
            draw_traits(seed, session, 3), anteval.draw_party(seed, session, 3), strict=True
        )
    )


def ways(what: Phrase, drawn: DrawnCharacter) -> set[str]:
    """All that this phrase may be told as, with pronoun or name, in small letters."""
    voices = [drawn.voice(contact=c, full=f) for c in (False, True) for f in (False, True)]
    return {
        render_phrase(what, voice, {"goal": drawn.goal}, named=named).casefold().rstrip(".")
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
        for member in anteval.draw_party(1, session, 3)
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
            for part in re.split(r"(?<=[.?!]) ", text):
                assert part[0].isupper(), text


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
    party = [*anteval.draw_party(7, "snapshot", 4), *anteval.draw_party(8, "snapshot", 2)]
    assert {member.pronouns for member in party} == {p.label for p in PRONOUNS}
    told_of = [
        f"{c.name} ({c.pronouns}), {c.race} {c.class_name}, {c.background}, {c.alignment}\n"
        f"  sees: {c.look}\n  is: {c.description}\n"
        f"  {' '.join(c.personality)} {c.ideal} {c.bond} {c.flaw} {c.goal}"
        for c in party
    ]
    assert "\n\n".join(told_of) == snapshot
