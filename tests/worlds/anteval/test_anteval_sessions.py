"""What sessions are drawn from: opening situations, and what the NPC alone knows."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.worlds.anteval.session import NPC, Fact, PartyMember
from sociolab.worlds.anteval.sessions import KINDS, draw_knowledge, draw_situation

# ---------- opening situations: prose of a decent length that names the NPC and seldom repeats


SITUATIONS = 1000


def character(seat: str, name: str) -> PartyMember:
    return PartyMember(
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
        draw_situation(seed, f"information-{seed}-{number:04d}", CAST)
        for number in range(SITUATIONS)
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
    assert len(set(texts())) >= SITUATIONS - 5


def test_the_places_are_many() -> None:
    assert len({text.split(".")[0] for text in texts()}) >= 40


# ---------- the NPC's knowledge: drawn by seed, all kinds, invented names


SESSIONS = 300


def session(number: int) -> str:
    return f"information-7-{number:04d}"


@cache
def facts() -> tuple[tuple[Fact, ...], ...]:
    return tuple(draw_knowledge(7, session(number), 10) for number in range(SESSIONS))


def test_the_same_seed_gives_the_same_facts() -> None:
    assert draw_knowledge(7, session(3), 10) == facts()[3]
    assert draw_knowledge(8, session(3), 10) != facts()[3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.text(max_size=12), st.integers(1, 100))
def test_any_session_has_so_many_facts_with_ids_in_order(seed: int, name: str, count: int) -> None:
    drawn = draw_knowledge(seed, name, count)
    assert [fact.id for fact in drawn] == [f"F{number}" for number in range(1, count + 1)]
    assert len({fact.kind for fact in drawn}) == min(count, len(KINDS))
    assert len({fact.text for fact in drawn}) == count
    for fact in drawn:
        assert fact.text[0] == fact.text[0].upper()
        assert fact.text.endswith(".")
        assert not re.search(r"[{}]|  ", fact.text)


def test_facts_are_shared_by_no_two_sessions() -> None:
    texts = [fact.text for known in facts() for fact in known]
    assert len(texts) == len(set(texts))


def test_some_facts_say_that_something_is_not_so() -> None:
    every = [fact.text for known in facts() for fact in known]
    denied = [text for text in every if re.search(r"\b(not|never|no|cannot|nobody)\b", text)]
    assert 0.09 < len(denied) / len(every) < 0.3
