"""Opening situations: prose of a decent length that names the NPC and seldom repeats."""

from __future__ import annotations

from functools import cache

from sociolab.worlds.anteval.session import NPC, Character
from sociolab.worlds.anteval.sessions import draw_situation

SESSIONS = 1000


def character(seat: str, name: str) -> Character:
    return Character(
        id=seat,
        name=name,
        pronouns="she/her",
        race="dwarf",
        class_name="bard",
        background="Acolyte",
        alignment="neutral good",
        abilities={},
        personality=(),
        ideal="",
        bond="",
        flaw="",
        goal="",
        look="",
        description="",
    )


CAST = (character("player-1", "Brenna Holt"), character(NPC, "Marga Hollin"))


@cache
def texts(seed: int = 3) -> tuple[str, ...]:
    return tuple(
        draw_situation(seed, f"information-{seed}-{number:04d}", CAST) for number in range(SESSIONS)
    )


def test_the_same_seed_and_session_give_the_same_situation() -> None:
    assert draw_situation(5, "a-1", CAST) == draw_situation(5, "a-1", CAST)
    assert draw_situation(5, "a-1", CAST) != draw_situation(6, "a-1", CAST)


def test_a_situation_has_50_to_110_words_and_names_the_npc_alone() -> None:
    for text in texts():
        assert 50 <= len(text.split()) <= 110, text
        assert "Marga Hollin" in text
        assert "Brenna" not in text
        assert "{" not in text


def test_situations_rarely_repeat() -> None:
    assert len(set(texts())) >= SESSIONS - 5


def test_the_places_are_many() -> None:
    assert len({text.split(".")[0] for text in texts()}) >= 40
