"""The world of decisions: what each seat is told and asked, the controls, and tasks from a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from decision_cases import ANN, BEN, NPC, OPTIONS, case
from fake_models import FakeModel
from sociolab.agents import PromptedPlayer, fields_of
from sociolab.core import (
    ActionSpace,
    Answered,
    ConfigError,
    Episode,
    Moved,
    Player,
    Question,
    Request,
    Task,
    Unusable,
    World,
    WorldError,
)
from sociolab.engine import WorldSetup
from sociolab.testing import (
    PlayerContract,
    SilentPlayer,
    StockScene,
    WatchedPlayer,
    WorldContract,
    play_scene,
    play_task,
)
from sociolab.worlds import anteval
from sociolab.worlds.anteval.decision.cases import Cases

RULES = anteval.ScriptedDecider()


def world(*cases: anteval.DecisionCase, **settings: Any) -> anteval.AntDecision:
    return anteval.AntDecision(Cases(cases or (case(),)), anteval.DecisionSettings(**settings))


def texts_of(ids: Sequence[str]) -> list[str]:
    return [clue.text for clue in case().clues if clue.id in ids]


class TestDecision(WorldContract):
    def world(self) -> World:
        return world(rounds=2)


class TestWithoutControls(WorldContract):
    def world(self) -> World:
        return world(rounds=2, controls=False)

    def hidden(self, task: Task, seat: str) -> Sequence[str]:
        known = case().knows[seat]
        own = f"About {case().names[seat]}."
        abouts = {person.about for person in case().people} - {own}
        return [*texts_of([clue.id for clue in case().clues if clue.id not in known]), *abouts]


class TestDrawn(WorldContract):
    def world(self) -> World:
        return anteval.load_decision(WorldSetup(settings={"cases": "3", "rounds": "1"})).world


class TestScripted(PlayerContract):
    def player(self) -> Player:
        return anteval.ScriptedDecider()

    def world(self) -> World:
        return world(rounds=2)


def test_a_scripted_player_says_so_at_another_worlds_table() -> None:
    with pytest.raises(WorldError, match="plays CluesView observations; found a NoneType"):
        play_scene(StockScene(), dict.fromkeys(("first", "second"), RULES))


def requests_of(one: anteval.AntDecision) -> list[Request]:
    requests: list[Request] = []
    player = WatchedPlayer(RULES, lambda request, exchange: requests.append(request))
    task = one.tasks()[0]
    play_task(one, task, dict.fromkeys(task.seats, player))
    return requests


def test_players_decide_before_and_after_the_talk_and_one_with_all_clues() -> None:
    asked = [(r.name, r.seat, r.turn) for r in requests_of(world(rounds=2)) if r.name != "act"]
    assert asked == [
        ("decide", ANN, 0),
        ("decide", BEN, 0),
        ("decide", ANN, 6),
        ("decide", BEN, 6),
        ("full_information", ANN, 0),
    ]
    plain = requests_of(world(rounds=2, controls=False))
    assert [(r.name, r.turn) for r in plain if r.name != "act"] == [("decide", 6)] * 2


def test_the_control_is_told_all_clues_and_nothing_of_the_talk() -> None:
    *_, last = requests_of(world(rounds=2))
    assert last.observation.history == ()
    assert all(text in last.observation.head for text in texts_of(("s1", "p1", "p2", "f", "r")))
    assert "at sea" not in last.observation.head  # nobody knows that
    first, *_ = requests_of(world(rounds=2))
    assert isinstance(first.expected, Question)
    assert isinstance(last.expected, Question)
    assert "There has been no talk yet" in first.expected.text
    assert "# What you know" in first.observation.head
    assert "The talk is over." in last.expected.text
    assert "# What has been said" in last.observation.head  # so what contradicts is a claim


def test_the_npc_is_told_that_it_does_not_decide() -> None:
    heads = {r.seat: r.observation.head for r in requests_of(world(rounds=1)) if r.name == "act"}
    assert "You play the NPC." in heads[NPC]
    assert "only the party is asked at the end" in heads[NPC]
    assert "You play one of the party." in heads[ANN]
    assert "# Nell Day, the NPC" in heads[ANN]
    assert "# Ben Day, of the party" in heads[ANN]
    assert all("Who took the pearls?" in head for head in heads.values())


def test_people_are_called_by_first_or_full_name_in_any_case_but_not_oneself() -> None:
    one = world()
    witness = one.scene(case()).witness(ANN)
    assert witness.seat_called("BEN") == BEN
    assert witness.seat_called(" nell  day ") == NPC
    assert witness.seat_called("Ann Day") is None
    assert witness.seat_called("Nobody") is None


def test_an_answer_is_one_of_the_options_however_it_is_spelled() -> None:
    first = requests_of(world(rounds=1))[0].expected
    assert isinstance(first, Question)
    assert first.reply.model_validate({"answer": ' "ada." '}).model_dump() == {"answer": "Ada"}
    with pytest.raises(ValueError, match="Input should be 'Ada', 'Bram' or 'Cora'"):
        first.reply.model_validate({"answer": "Zoe"})
    (field,) = fields_of(first)
    assert (field.kind, field.choices) == ("radio", OPTIONS)


def test_an_option_that_there_is_not_is_asked_for_again_and_then_fails() -> None:
    model = FakeModel(*['{"answer": "Zoe"}'] * 9)
    players: dict[str, Player] = {ANN: PromptedPlayer(model), BEN: RULES, NPC: RULES}
    one = world(rounds=1)
    silent = {**players, ANN: _OnlyAnswers(players[ANN])}
    played = play_task(one, one.tasks()[0], silent)
    failed = [e for e in played.events if isinstance(e, Unusable) and e.final and e.seat == ANN]
    assert [(e.name, e.turn) for e in failed] == [
        ("decide", 0),
        ("act", 0),
        ("decide", 3),
        ("full_information", 0),
    ]


class _OnlyAnswers:
    """Passes questions on, and is silent in its turns."""

    def __init__(self, inner: Player) -> None:
        self._inner = inner

    async def reply(self, request: Request, memory: Any) -> Any:
        player = self._inner if isinstance(request.expected, Question) else SilentPlayer()
        return await player.reply(request, memory)


# ---------------------------------------------------------------- scripted players


def final(one: Episode, question: str = "decide", turn: int | None = None) -> dict[str, str]:
    assert one.ended is not None
    at = one.ended.turn + 1 if turn is None else turn
    return {
        e.seat: str(e.value["answer"])
        for e in one.events
        if isinstance(e, Answered) and isinstance(e.value, dict)
        if (e.question, e.turn) == (question, at)
    }


def play(player: Player, **settings: Any) -> Episode:
    one = world(**settings)
    task = one.tasks()[0]
    return play_task(one, task, dict.fromkeys(task.seats, player))


def test_players_who_pool_their_clues_are_right_as_the_control_is() -> None:
    one = play(RULES)
    assert final(one) == {ANN: "Ada", BEN: "Ada"}
    assert final(one, "full_information", 0) == {ANN: "Ada"}
    assert final(one, turn=0)[BEN] == "Bram"
    assert final(one, turn=0)[ANN] in ("Ada", "Cora")


def test_players_who_keep_their_clues_decide_as_without_a_talk() -> None:
    one = play(anteval.ScriptedDecider(talks=False))
    assert final(one)[BEN] == final(one, turn=0)[BEN] == "Bram"
    texts = [action.text for move in one.moves for action in move.actions]
    assert not any(clue.text in texts for clue in case().clues)


def test_nobody_repeats_what_was_said() -> None:
    moves = [event for event in play(RULES).events if isinstance(event, Moved)]
    texts = [action.text for move in moves for action in move.actions if action.text]
    assert sorted(texts) == sorted(texts_of(("s1", "s2", "p1", "p2", "f", "r")))


def test_a_transcript_holds_all_answers_and_what_nobody_was_told() -> None:
    one = world(rounds=1)
    task = one.tasks()[0]
    transcript = one.transcript(play_task(one, task, dict.fromkeys(task.seats, RULES)))
    assert dict(transcript.scene)["The case"].split("\n") == [
        "Private:",
        "The answer is Ada.",
        "Known to all: s1 and s2.",
        "Needed for the answer: p1, p2 and r.",
        "False: f.",
        "Known to nobody: Cora was at sea that night.",
    ]
    notes = [note.text for note in transcript.notes]
    assert "before the talk Ben answered: Bram" in notes
    assert "with all clues, apart from the talk, Ann answered: Ada" in notes


# ---------------------------------------------------------------- casts


def test_the_partner_plays_the_npc_and_needs_one() -> None:
    casts = anteval.load_decision(WorldSetup(settings={"cases": "1"})).casts
    assert casts is not None
    assert casts(["a"], "p", (ANN, BEN, NPC)) == (("a", "a", "p"),)
    assert casts(["a", "b"], None, (ANN, BEN)) == (("a", "a"), ("b", "b"))
    with pytest.raises(ConfigError, match="--partner: expected cases with an NPC"):
        casts(["a"], "p", (ANN, BEN))


# ---------------------------------------------------------------- tasks from a file

PICNIC: Mapping[str, object] = {
    "id": 7,
    "name": "picnic",
    "description": "Where do you go?",
    "shared_information": ["The park has a lake.", "The beach is sunny."],
    "hidden_information": ["The park is closed.", ["The hill has tables.", "It is near."], []],
    "possible_answers": ["Park", "Beach", "Hill"],
    "correct_answer": "Hill",
    "rationale": "fields that are not needed are ignored",
}


def tasks(folder: Path, *rows: object) -> Path:
    (folder / "tasks.json").write_text(json.dumps(rows), "utf-8")
    return folder


def test_a_task_in_hiddenbenchs_form_is_a_case_without_npc(tmp_path: Path) -> None:
    (one,) = anteval.read_tasks(tasks(tmp_path, PICNIC) / "tasks.json")
    assert (one.id, one.theme, one.answer, one.npc) == ("picnic", "picnic", "Hill", None)
    assert list(one.names.values()) == ["Person 1", "Person 2", "Person 3"]
    known = {seat: [clue.text for clue in one.clues_of(seat)] for seat in one.knows}
    shared = ["The park has a lake.", "The beach is sunny."]
    assert known == {
        "player-1": [*shared, "The park is closed."],
        "player-2": [*shared, "The hill has tables.", "It is near."],
        "player-3": shared,
    }
    assert not one.is_typed
    assert anteval.chance_alone(one) == pytest.approx(1 / 3)


def test_a_task_from_a_file_is_no_game_of_dungeons_and_dragons(tmp_path: Path) -> None:
    kit = anteval.load_decision(WorldSetup(tasks(tmp_path, PICNIC), settings={"rounds": "1"}))
    assert isinstance(kit.world, anteval.AntDecision)
    assert kit.world.data.name == tmp_path.name
    for request in requests_of(kit.world):
        assert "Dungeons" not in request.observation.head
        assert "NPC" not in request.observation.head


def test_at_a_table_from_a_file_everybody_hears_all_that_is_said(tmp_path: Path) -> None:
    def takes_recipients(folder: Path | None) -> set[bool]:
        kit = anteval.load_decision(WorldSetup(folder, settings={"rounds": "1"}))
        assert isinstance(kit.world, anteval.AntDecision)
        spaces = [request.expected for request in requests_of(kit.world)]
        turns = [one for one in spaces if isinstance(one, ActionSpace)]
        return {one.kinds[0].takes_recipients for one in turns}

    assert takes_recipients(tasks(tmp_path, PICNIC)) == {False}
    assert takes_recipients(None) == {True}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "expected a JSON list of tasks, found []"),
        ([{"name": "x"}], "task 1: description is missing"),
        ([PICNIC, PICNIC], 'task 2: expected a name of its own, found "picnic" twice'),
        (
            [PICNIC, {**PICNIC, "correct_answer": "Moon"}],
            'task 2: expected the answer to be one of Park, Beach, Hill, found "Moon"',
        ),
        ([{**PICNIC, "hidden_information": ["alone"]}], "task 1: hidden_information: expected"),
        ([{**PICNIC, "shared_information": [""]}], "task 1: shared_information.0: expected"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_the_number_of_the_task(
    tmp_path: Path, rows: list[object], problem: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        anteval.load_decision(WorldSetup(tasks(tmp_path, *rows)))
    assert str(raised.value).startswith(str(tmp_path / "tasks.json"))
    assert problem in str(raised.value)


def test_settings_for_drawing_do_not_go_with_a_file(tmp_path: Path) -> None:
    folder = tasks(tmp_path, PICNIC)
    with pytest.raises(ConfigError, match=r"are fixed, found settings .* \(options, players\)"):
        anteval.load_decision(WorldSetup(folder, settings={"players": "4", "options": "3"}))


@pytest.mark.parametrize("changed", [{"rounds": 2}, {"controls": False}])
def test_the_identity_of_the_data_covers_how_it_is_played(changed: dict[str, Any]) -> None:
    assert world(**changed).data != world().data


def test_players_who_believe_a_falsehood_have_a_role_of_their_own() -> None:
    assert anteval.case_task(case()).roles == {ANN: "informed", BEN: "misinformed"}
