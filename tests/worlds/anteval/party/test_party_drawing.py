"""A party is drawn by seed, valid for any seed, and true to the tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.party.drawing import draw_party, draw_traits, suiting
from sociolab.worlds.anteval.party.tables import tables
from sociolab.worlds.anteval.session import ABILITIES, Character, Session

SEEDS = st.integers(0, 2**63)
PLAYERS = st.integers(1, 8)


@given(SEEDS, st.integers(0, 10_000) | st.text(max_size=8), PLAYERS)
def test_any_seed_gives_a_table_that_a_session_takes(
    seed: int, session: int | str, players: int
) -> None:
    party = draw_party(seed, session, players)
    seats = [f"player-{number}" for number in range(1, players + 1)]
    assert [character.id for character in party] == [*seats, "npc"]
    Session(id="s", form="information", turns=1, situation="A room.", characters=party)
    for character in party:
        assert Character.model_validate_json(character.model_dump_json()) == character
        assert tuple(character.abilities) == ABILITIES
        assert 90 <= len(character.description.split()) <= 160
        assert len(character.personality) == 2


@given(SEEDS, st.integers(0, 99), PLAYERS)
def test_the_same_seed_gives_the_same_party(seed: int, session: int, players: int) -> None:
    assert draw_party(seed, session, players) == draw_party(seed, session, players)


@given(SEEDS, st.integers(1, 7))
def test_further_players_change_nobody_who_was_there(seed: int, players: int) -> None:
    few, many = draw_party(seed, "s", players), draw_party(seed, "s", players + 1)
    assert many[:players] == few[:-1]
    assert many[-1] == few[-1]


@given(SEEDS)
def test_sessions_and_seeds_have_people_of_their_own(seed: int) -> None:
    names = {member.name for session in range(3) for member in draw_party(seed, session, 3)}
    names |= {member.name for member in draw_party(seed + 1, 0, 3)}
    assert len(names) == 16


@given(SEEDS)
def test_no_two_at_a_table_have_names_that_begin_alike_or_the_same_trade(seed: int) -> None:
    party = draw_party(seed, "s", 8)
    assert len({member.name[:2].casefold() for member in party}) == 9
    assert len({member.class_name for member in party}) == 9
    assert len({member.background for member in party}) == 9


@given(SEEDS)
def test_the_ideal_suits_the_alignment(seed: int) -> None:
    for drawn in draw_traits(seed, "s", 4):
        assert drawn.ideal in suiting(drawn.background, drawn.alignment.name)
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


def test_the_npc_is_more_often_one_who_gets_to_know_things() -> None:
    learned = sum(draw_traits(seed, "s", 1)[-1].background.learned for seed in range(300))
    players = sum(draw_traits(seed, "s", 1)[0].background.learned for seed in range(300))
    # 9 of 25 backgrounds, four times as likely: 36 of 52 are expected, 208 of 300.
    assert 180 <= learned <= 235
    assert players < 150


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
        draw_party(0, 0, players)
