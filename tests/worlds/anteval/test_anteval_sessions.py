"""What sessions are drawn from: opening situations, and what the NPC alone knows."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from sociolab.core import ConfigError
from sociolab.engine import WorldSetup
from sociolab.worlds import anteval
from sociolab.worlds.anteval.scenes import (
    KINDS,
    MOST_FACTS,
    draw_knowledge,
    draw_scene,
    draw_situation,
    scenes,
)
from sociolab.worlds.anteval.session import passer_by
from sociolab.worlds.anteval.sessions import load_sessions

# ---------- opening situations: prose of a decent length that names the NPC and seldom repeats


SITUATIONS = 1000


def situation(seed: int, number: int) -> str:
    name, scene = f"information-{seed}-{number:04d}", draw_scene(seed, number)
    background = sorted(scene.knows)[number % len(scene.knows)]
    npc = passer_by(anteval.NPC, "Marga Hollin", background=background)
    return draw_situation(seed, name, scene, (passer_by("player-1", "Brenna Holt"), npc))


@cache
def texts(seed: int = 3) -> tuple[str, ...]:
    return tuple(situation(seed, number) for number in range(SITUATIONS))


def test_the_same_seed_and_session_give_the_same_situation() -> None:
    assert situation(5, 1) == situation(5, 1)
    assert situation(5, 1) != situation(6, 1)


def test_a_situation_has_60_to_120_words_names_the_npc_alone_and_ends_with_the_question() -> None:
    for number, text in enumerate(texts()):
        assert 60 <= len(text.split()) <= 120, text
        assert "Marga Hollin" in text
        assert "Brenna" not in text
        assert "{" not in text
        assert text.endswith(f" {draw_scene(3, number).question}")


def test_situations_rarely_repeat() -> None:
    assert len(set(texts())) >= SITUATIONS - 5


def test_the_places_are_many() -> None:
    assert len({text.split(".")[0] for text in texts()}) == 44


@given(st.integers(0, 9999))
def test_a_run_of_27_sessions_has_27_scenes(seed: int) -> None:
    assert len({draw_scene(seed, number).question for number in range(27)}) == len(scenes()) == 27


def test_the_npcs_life_explains_how_it_knows() -> None:
    """Its background is one for which the scene says how such a person came to know."""
    for number, session in enumerate(anteval.InformationSettings(sessions=60).draw(5).all()):
        knows = draw_scene(5, number).knows[session.npc.background]
        npc = session.npc
        assert knows.format(npc=npc.name, first=npc.first_name) in session.situation


# ---------- the NPC's knowledge: drawn by seed, all kinds, invented names


SESSIONS = 300


def asked(
    number: int, seed: int = 7, count: int = 10, *, reserve: bool = False
) -> tuple[anteval.Mystery, tuple[anteval.Fact, ...]]:
    name = f"information-{seed}-{number:04d}"
    return draw_knowledge(seed, name, draw_scene(seed, number), count, reserve=reserve)


def known(number: int, seed: int = 7, count: int = 10) -> tuple[anteval.Fact, ...]:
    return asked(number, seed, count)[1]


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


def test_ten_facts_leave_one_suspect_and_without_one_that_clears_they_leave_two() -> None:
    """Whoever holds every set of suspects against the facts finds exactly one that they allow."""
    for number in range(SESSIONS):
        mystery, drawn = asked(number)
        assert mystery.left(drawn) == (mystery.culprit,)
        clearing = [fact for fact in drawn if fact.clears]
        assert len(clearing) == 4
        for fact in clearing:
            rest = [other for other in drawn if other is not fact]
            assert set(mystery.left(rest)) == {mystery.culprit, fact.clears}
            assert fact.clears in fact.text or fact.clears in fact.text.replace("The", "the", 1)
            assert mystery.culprit not in fact.text
        (circle,) = [fact for fact in drawn[:5] if fact.kind == "person"]
        assert all(suspect in circle.text for suspect in mystery.suspects)
        others = [fact for fact in drawn if fact is not circle]
        assert not any(mystery.culprit in fact.text for fact in others)


def test_any_suspect_of_a_scene_may_have_done_it_and_any_pair_clear_another() -> None:
    runs = [asked(0, seed) for seed in range(400)]
    done = [(mystery.question, mystery.suspects.index(mystery.culprit)) for mystery, _ in runs]
    assert {place for _, place in done} == set(range(5))
    cleared = {
        (mystery.question, fact.kind, mystery.suspects.index(fact.clears))
        for mystery, drawn in runs
        for fact in drawn
        if fact.clears
    }
    assert len(cleared) > 0.9 * 27 * 4 * 5


def test_what_the_deed_took_and_what_clears_by_it_name_the_same_thing() -> None:
    for number in range(27):
        drawn = known(number)
        for kind in set(KINDS) - {"person"}:
            lead, clears = (fact for fact in drawn if fact.kind == kind)
            (name,) = lead.names
            assert name in lead.text
            assert name in clears.text
            assert clears.names[0] == name


def test_particulars_are_about_the_things_and_the_people_of_the_scene() -> None:
    for number in range(27):
        mystery, drawn = asked(number, count=MOST_FACTS)
        names = {name for fact in drawn[:10] for name in fact.names}
        for fact in drawn[10:]:
            assert not fact.clears
            assert set(fact.names) < names
            assert fact.names[0] in fact.text
        assert mystery.left(drawn) == (mystery.culprit,)


def test_facts_are_shared_by_no_two_sessions_but_a_motive_by_those_of_one_scene() -> None:
    texts = Counter(fact.text for known in facts() for fact in known)
    motives = {scene.motive for scene in scenes()}
    assert {text for text, count in texts.items() if count > 1} == motives
    for known, following in pairwise(facts()):
        assert not {fact.text for fact in known} & {fact.text for fact in following}


# ---------- the reserve: when the NPC tells each fact


def test_with_a_reserve_the_facts_are_the_same_and_two_three_two_two_and_one_of_ten_are_kept() -> (
    None
):
    for number in range(60):
        (mystery, open_), (_, drawn) = asked(number), asked(number, reserve=True)
        assert [fact.text for fact in open_] == [fact.text for fact in drawn]
        assert {fact.reserve for fact in open_} == {"any question"}
        counts = Counter(fact.reserve for fact in drawn)
        assert counts == {
            "any question": 2,
            "its kind": 3,
            "its name": 2,
            "trust": 2,
            "falsely": 1,
        }
        circle, motive = (fact for fact in drawn if fact.kind == "person")
        assert (circle.reserve, motive.reserve) == ("any question", "trust")
        # Who believes the lie takes the culprit for cleared.
        (lie,) = [fact for fact in drawn if fact.falsehood]
        assert lie.falsehood != lie.text
        assert mystery.culprit in lie.falsehood[0].lower() + lie.falsehood[1:]
        # Every name by which to ask stands in a fact that can be had without one.
        free = {
            name for fact in drawn if fact.reserve[-4:] in ("tion", "kind") for name in fact.names
        }
        assert all(set(fact.names) <= free for fact in drawn)


@given(st.integers(0, 9999), st.integers(1, MOST_FACTS))
def test_any_number_of_facts_can_be_kept_back(seed: int, count: int) -> None:
    _, drawn = asked(0, seed, count, reserve=True)
    assert len(drawn) == count
    if count >= 20:
        shares = Counter(fact.reserve for fact in drawn[: count // 10 * 10])
        assert shares["any question"] == count // 10 * 2
        assert shares["falsely"] == count // 10


# ---------- presets


def drawn_by(**given: object) -> anteval.Session:
    return anteval.InformationSettings.model_validate({"sessions": 1, **given}).draw(7).all()[0]


def test_standard_has_the_papers_sizes_and_an_npc_that_holds_nothing_back() -> None:
    session = drawn_by()
    assert (len(session.players), session.turns, len(session.knowledge)) == (3, 30, 10)
    assert (session.trust, session.leaving) == (None, False)


def test_reserve_has_the_same_sizes_and_an_npc_whose_trust_is_to_be_won() -> None:
    session, open_ = drawn_by(preset="reserve"), drawn_by()
    assert session.trust == draw_scene(7, 0).trust
    assert (session.turns, session.situation) == (open_.turns, open_.situation)
    assert session.characters == open_.characters


def test_hard_has_more_to_learn_a_reserve_and_players_who_may_leave() -> None:
    session = drawn_by(preset="hard")
    assert (len(session.players), session.turns, len(session.knowledge)) == (3, 30, 30)
    assert session.trust
    assert session.leaving


def test_what_is_given_overrides_a_preset() -> None:
    session = drawn_by(preset="hard", facts=12, leaving=False)
    assert (len(session.knowledge), session.leaving) == (12, False)


def test_a_preset_draws_nothing_where_sessions_are_given(tmp_path: Path) -> None:
    (tmp_path / "sessions.jsonl").write_text(f"{drawn_by().model_dump_json()}\n")
    setup = WorldSetup(folder=tmp_path, seed=0)
    hard = anteval.InformationSettings(preset="hard")
    with pytest.raises(ConfigError, match=r"found settings for drawing others \(preset\)"):
        load_sessions("information", setup, hard)
