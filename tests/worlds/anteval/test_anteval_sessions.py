"""What sessions are drawn from: opening situations, and what the NPC alone knows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from sociolab.core import ConfigError
from sociolab.engine import WorldSetup
from sociolab.worlds import anteval
from sociolab.worlds.anteval.sessions import (
    KINDS,
    MOST_FACTS,
    draw_knowledge,
    draw_scene,
    draw_situation,
    load_sessions,
)

# ---------- opening situations: prose of a decent length that names the NPC and seldom repeats


SITUATIONS = 1000


def character(seat: str, name: str) -> anteval.PartyMember:
    return anteval.PartyMember(
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


CAST = (character("player-1", "Brenna Holt"), character(anteval.NPC, "Marga Hollin"))


def situation(seed: int, number: int) -> str:
    name = f"information-{seed}-{number:04d}"
    return draw_situation(seed, name, draw_scene(seed, number), CAST)


@cache
def texts(seed: int = 3) -> tuple[str, ...]:
    return tuple(situation(seed, number) for number in range(SITUATIONS))


def test_the_same_seed_and_session_give_the_same_situation() -> None:
    assert situation(5, 1) == situation(5, 1)
    assert situation(5, 1) != situation(6, 1)


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


@given(st.integers(0, 9999))
def test_a_run_of_20_sessions_has_20_scenes(seed: int) -> None:
    assert len({draw_scene(seed, number).stakes for number in range(20)}) == 20


# ---------- the NPC's knowledge: drawn by seed, all kinds, invented names


SESSIONS = 300


def known(number: int, seed: int = 7, count: int = 10) -> tuple[anteval.Fact, ...]:
    name = f"information-{seed}-{number:04d}"
    return draw_knowledge(seed, name, draw_scene(seed, number), count)


@cache
def facts() -> tuple[tuple[anteval.Fact, ...], ...]:
    return tuple(known(number) for number in range(SESSIONS))


def test_the_same_seed_gives_the_same_facts() -> None:
    assert known(3) == facts()[3]
    assert known(3, seed=8) != facts()[3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.integers(0, 99), st.integers(1, MOST_FACTS))
def test_any_session_has_so_many_facts_with_ids_in_order(
    seed: int, number: int, count: int
) -> None:
    drawn = known(number, seed, count)
    assert [fact.id for fact in drawn] == [f"F{number}" for number in range(1, count + 1)]
    assert len({fact.kind for fact in drawn}) == min(count, len(KINDS))
    assert len({fact.text for fact in drawn}) == count
    for fact in drawn:
        assert fact.text[0] == fact.text[0].upper()
        assert fact.text.endswith(".")
        assert not re.search(r"[{}]|  ", fact.text)


def test_facts_are_about_what_is_at_stake_and_one_leads_to_the_next() -> None:
    """Every thing is named in the fact that ties it to the scene, and in all others of its kind."""
    for number in range(27):
        scene, drawn = draw_scene(7, number), known(number, count=24)
        for tie in drawn[:5]:
            called, text = scene.things[tie.kind]
            before, after = re.split(r"\{[sS]\}", text)
            name = tie.text.removeprefix(before).removesuffix(after)
            assert re.fullmatch(re.sub(r"\{\w+\}", r"\\w+", called), name, re.IGNORECASE)
            others = [fact.text for fact in drawn[5:] if fact.kind == tie.kind]
            assert len(others) >= 3
            assert all(name.casefold() in other.casefold() for other in others)


def test_facts_are_shared_by_no_two_sessions() -> None:
    texts = [fact.text for known in facts() for fact in known]
    assert len(texts) == len(set(texts))


def test_some_facts_say_that_something_is_not_so() -> None:
    particulars = [fact.text for known in facts() for fact in known[5:]]
    denied = [text for text in particulars if re.search(r"\b(not|never|no|cannot)\b", text)]
    assert 0.09 < len(denied) / len(particulars) < 0.3


# ---------- presets


def drawn_by(**given: object) -> anteval.Session:
    return anteval.InformationSettings.model_validate({"sessions": 1, **given}).draw(7).all()[0]


def test_standard_has_the_papers_sizes_and_an_npc_that_holds_nothing_back() -> None:
    session = drawn_by()
    assert (len(session.players), session.turns, len(session.knowledge)) == (3, 30, 10)
    assert (session.wants, session.kept, session.leaving) == ("", (), False)


def test_hard_has_more_to_learn_and_an_npc_that_keeps_a_third_back() -> None:
    session = drawn_by(preset="hard")
    assert (len(session.players), session.turns, len(session.knowledge)) == (3, 30, 30)
    assert session.kept == tuple(f"F{number}" for number in range(21, 31))
    assert session.wants == draw_scene(7, 0).wants
    assert session.leaving


def test_what_is_given_overrides_a_preset() -> None:
    session = drawn_by(preset="hard", facts=12, leaving=False)
    assert (len(session.knowledge), session.kept, session.leaving) == (
        12,
        ("F9", "F10", "F11", "F12"),
        False,
    )


def test_a_preset_draws_nothing_where_sessions_are_given(tmp_path: Path) -> None:
    (tmp_path / "sessions.jsonl").write_text(f"{drawn_by().model_dump_json()}\n")
    setup = WorldSetup(folder=tmp_path, seed=0)
    hard = anteval.InformationSettings(preset="hard")
    with pytest.raises(ConfigError, match=r"found settings for drawing others \(preset\)"):
        load_sessions("information", setup, hard)
