"""Both AntEval worlds and their scripted players keep to the contracts; data, settings, casts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from anteval_cases import FACT_MARKS, INTENTION_MARK, PRIVATE, fact, few, session
from sociolab.agents import fields_of
from sociolab.core import Answered, ConfigError, Player, Question, Task, World, WorldError, WorldKit
from sociolab.engine import Scene, WorldSetup
from sociolab.prompting import schema_of
from sociolab.testing import PlayerContract, StockScene, WorldContract, play_scene, play_task
from sociolab.worlds import anteval

LOADERS: dict[str, Callable[[WorldSetup], WorldKit]] = {
    "information": anteval.load_information,
    "intention": anteval.load_intention,
}


def private(task: Task, seat: str) -> list[str]:
    one = anteval.session_from(task.content)
    others = [character.id for character in one.characters if character.id != seat]
    return [f"{mark}-{other}" for mark in PRIVATE for other in others]


class TestInformation(WorldContract):
    def world(self) -> World:
        sessions = few(session(), session(players=2).model_copy(update={"id": "information-0-8"}))
        return anteval.AntEval("information", sessions, controls=True, snapshots=3)

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        return private(task, seat) + ([] if seat == anteval.NPC else list(FACT_MARKS))


class TestIntention(WorldContract):
    def world(self) -> World:
        return anteval.AntEval("intention", few(session("intention")))

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        others = [other for other in task.seats if other != seat]
        return private(task, seat) + [f"{INTENTION_MARK}-{other}" for other in others]


class TestDrawnInformation(WorldContract):
    def world(self) -> World:
        setup = WorldSetup(settings={"sessions": "3", "turns": "12"}, seed=5)
        return anteval.load_information(setup).world


class TestDrawnIntention(WorldContract):
    def world(self) -> World:
        setup = WorldSetup(settings={"sessions": "3", "turns": "12", "per_player": "2"}, seed=5)
        return anteval.load_intention(setup).world


class TestScriptedIntention(PlayerContract):
    def player(self) -> Player:
        return anteval.ScriptedPartyPlayer()

    def scene(self) -> Scene:
        return anteval.AntScene(session("intention", turns=16))


def test_a_scripted_player_says_so_at_another_worlds_table() -> None:
    with pytest.raises(WorldError, match="plays TableView observations; found a NoneType"):
        play_scene(StockScene(), dict.fromkeys(("first", "second"), anteval.ScriptedPartyPlayer()))


# ---------------------------------------------------------------- casts


# ---------------------------------------------------------------- settings and drawn sessions


def drawn(form: str, **settings: str) -> WorldKit:
    return seeded(form, 0, settings)


def seeded(form: str, seed: int, settings: Mapping[str, str]) -> WorldKit:
    return LOADERS[form](WorldSetup(settings=settings, seed=seed))


def test_the_settings_shape_the_sessions() -> None:
    kit = drawn("information", players="2", turns="9", facts="7", sessions="4")
    tasks = kit.world.tasks()
    assert [task.id for task in tasks] == [f"information-0-000{index}" for index in range(4)]
    assert tasks[0].seats == ("player-1", "player-2", anteval.NPC)
    one = anteval.session_from(tasks[0].content)
    assert (one.turns, len(one.knowledge), len(one.decoys)) == (9, 7, 7)
    assert one.intentions == ()


def test_the_decoys_of_a_session_are_the_facts_of_the_next() -> None:
    sessions = [
        anteval.session_from(t.content) for t in drawn("information", sessions="3").world.tasks()
    ]
    for one, following in pairwise(sessions):
        assert one.decoys == following.knowledge


def test_the_seed_of_the_run_draws_the_sessions() -> None:
    first, again, other = (seeded("intention", seed, {"sessions": "2"}).world for seed in (1, 1, 2))
    assert first.tasks() == again.tasks()
    assert first.data == again.data
    assert first.data.hash != other.data.hash
    assert first.tasks()[0].content != other.tasks()[0].content


@pytest.mark.parametrize("name", ["turns", "facts", "controls", "snapshots", "players"])
def test_the_identity_of_the_data_covers_what_is_played(name: str) -> None:
    plain = drawn("information", sessions="2").world.data
    values = {"turns": "8", "facts": "3", "controls": "no", "snapshots": "5", "players": "4"}
    changed = {"sessions": "2", name: values[name]}
    assert seeded("information", 0, changed).world.data != plain


def test_snapshots_and_controls_are_asked_when_they_are_due() -> None:
    def turns(**settings: str) -> list[int]:
        kit = drawn("information", turns="6", sessions="1", **settings)
        task = kit.world.tasks()[0]
        episode = play_task(kit.world, task, dict.fromkeys(task.seats, kit.players["scripted"]))
        return [e.turn for e in episode.events if isinstance(e, Answered) and e.seat == "player-1"]

    assert turns() == [0, 6]
    assert turns(controls="no") == [6]
    assert turns(controls="no", snapshots="4") == [0, 4, 6]
    assert turns(snapshots="2") == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("form", "name", "value", "problem"),
    [
        ("information", "players", "0", "at least 1"),
        ("information", "snapshots", "-1", "at least 0"),
        ("information", "prior", "uniform", 'anteval-information has no setting "prior"'),
        ("information", "key_points", "11", r"at most as many as there are facts \(10\), found 11"),
        ("intention", "facts", "5", 'anteval-intention has no setting "facts"'),
        ("intention", "none", "1.5", "at most 1"),
    ],
)
def test_a_wrong_setting_is_named(form: str, name: str, value: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        seeded(form, 0, {name: value})


# ---------------------------------------------------------------- sessions from a folder


def folder(path: Path, *lines: str) -> Path:
    (path / "sessions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def edited(one: anteval.Session, **fields: object) -> str:
    return json.dumps(one.model_dump(mode="json") | fields)


GOOD = session().model_dump_json()
INTENT = session("intention")


def test_a_folder_of_sessions_is_played_and_hashed(tmp_path: Path) -> None:
    kit = anteval.load_information(
        WorldSetup(folder(tmp_path, GOOD, "", edited(session(), id="b")))
    )
    assert [task.id for task in kit.world.tasks()] == ["information-0-0007", "b"]
    data = kit.world.data
    assert data.name == tmp_path.name
    again = anteval.load_information(WorldSetup(folder(tmp_path, GOOD)))
    assert again.world.data.hash != data.hash


@pytest.mark.parametrize(
    ("form", "lines", "problem"),
    [
        ("information", (GOOD, "{"), "line 2: expected a JSON object"),
        ("information", (), "is empty: expected at least one session"),
        ("information", (GOOD, GOOD), 'line 2: expected a unique id, found "information-0-'),
        ("intention", (GOOD,), 'line 1: expected a session of the form "intention", found "info'),
        (
            "information",
            (edited(session(), characters=[c.model_dump() for c in session().players]),),
            'line 1: expected one "npc", in the last seat, found',
        ),
        (
            "information",
            (edited(session(), knowledge=[]),),
            "line 1: expected knowledge of the NPC, found none",
        ),
        (
            "intention",
            (edited(INTENT, intentions=[{"seat": "player-1", "skill": "piloting", "text": "x"}]),),
            'line 1: intentions.0: expected one of the 18 skills, found "piloting"',
        ),
        (
            "intention",
            (edited(INTENT, intentions=[{"seat": "player-9", "skill": "arcana", "text": "x"}]),),
            'line 1: the intention of "player-9": expected a player\'s seat',
        ),
        ("information", (edited(session(), turns=0),), "line 1: turns: expected at least"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_with_file_and_line(
    tmp_path: Path, form: str, lines: Sequence[str], problem: str
) -> None:
    path = folder(tmp_path, *lines)
    with pytest.raises(ConfigError) as raised:
        LOADERS[form](WorldSetup(path))
    assert str(raised.value).startswith(str(path / "sessions.jsonl"))
    assert problem in str(raised.value)


def test_a_folder_without_sessions_says_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"expected a folder with sessions\.jsonl, one session per line"
    ):
        anteval.load_information(WorldSetup(tmp_path))


def test_settings_for_drawing_do_not_go_with_a_folder(tmp_path: Path) -> None:
    path = folder(tmp_path, GOOD)
    with pytest.raises(ConfigError, match=r"are fixed, found .* \(facts, turns\)"):
        anteval.load_information(WorldSetup(path, settings={"turns": "4", "facts": "2"}))
    kit = anteval.load_information(WorldSetup(path, settings={"snapshots": "4", "key_points": "2"}))
    assert len(kit.world.tasks()) == 1


def test_k_is_the_same_for_a_whole_run_and_the_number_of_facts_unless_it_is_given(
    tmp_path: Path,
) -> None:
    def k(settings: anteval.InformationSettings, sessions: anteval.Sessions) -> int:
        return settings.plan(sessions).key_points

    for facts in (1, 5, 10):
        drawn = anteval.InformationSettings(facts=facts)
        assert k(drawn, drawn.draw(0)) == facts
    assert k(anteval.InformationSettings(key_points=7), anteval.InformationSettings().draw(0)) == 7
    many = tuple(fact(number) for number in range(1, 5))
    other = edited(session(), id="b", knowledge=[one.model_dump() for one in many])
    stored = anteval.read_sessions(folder(tmp_path, GOOD, other), "information")
    assert k(anteval.InformationSettings(), stored) == 2  # the facts of the smaller one
    with pytest.raises(ConfigError, match=r"as there are facts \(2\), found 3"):
        anteval.InformationSettings(key_points=3).plan(stored)


# ---------------------------------------------------------------- whose figures there are


def test_nobody_is_asked_for_ids_and_an_answer_without_them_is_stored_without() -> None:
    assert "ids" not in schema_of(anteval.Learned).text
    assert [field.name for field in fields_of(Question("learned", "?", anteval.Learned))] == [
        "facts"
    ]
    assert anteval.Learned(facts=["x"]).model_dump(mode="json", round_trip=True) == {"facts": ["x"]}
    noted = anteval.Learned(facts=["x"], ids=["F1"])
    assert anteval.Learned.model_validate(noted.model_dump(mode="json", round_trip=True)) == noted
