"""Scripted play: on record throughout, and polite beside those whom it does not understand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from anteval_cases import KNOWN, says, session, tells
from casts import seated
from sociolab.core import Answered, Episode, Moved, Reply, Request, Score, Trial
from sociolab.engine import WorldSetup
from sociolab.testing import drive_recorded, play_task
from sociolab.worlds import anteval
from sociolab.worlds.anteval.scripted import _lines

FORMS = ("information", "intention")


@cache
def episodes(form: str, count: int = 40) -> tuple[Episode, ...]:
    load = anteval.load_information if form == "information" else anteval.load_intention
    kit = load(WorldSetup(settings={"sessions": str(count)}, seed=11))
    found = []
    for task in kit.world.tasks():
        cast = tuple(seated(seat, "scripted") for seat in task.seats)
        trial = Trial(f"trial {task.id}", kit.world.name, task, cast, 0, 11)
        players = dict.fromkeys(task.seats, kit.players["scripted"])
        found.append(Episode(trial, drive_recorded(kit.world.play(task, trial.id, 11), players)))
    return tuple(found)


@cache
def scores() -> Mapping[str, Sequence[float]]:
    judge = anteval.load_information(WorldSetup()).judges["record"]
    found: dict[str, list[float]] = {}
    for episode in episodes("information"):
        for verdict in asyncio.run(judge.judge(episode)):
            if isinstance(verdict, Score):
                found.setdefault(verdict.measure.name, []).append(verdict.value)
    return found


def mean(name: str) -> float:
    return sum(scores()[name]) / len(scores()[name])


@pytest.mark.parametrize("form", FORMS)
def test_every_action_carries_acts_and_turns_are_of_every_kind(form: str) -> None:
    assert all(map(anteval.is_recorded, episodes(form)))
    kinds = Counter(
        tuple(action.kind for action in move.actions)
        for episode in episodes(form)
        for move in episode.moves
    )
    assert set(kinds) == {("act",), ("act", "speak"), ("pass",), ("speak",)}
    texts = [a.text for episode in episodes(form) for move in episode.moves for a in move.actions]
    assert not any("{" in text for text in texts)


def test_the_exchange_is_neither_perfect_nor_void_and_lies_between_its_controls() -> None:
    assert mean("no_talk") == mean("other_session") == 0
    assert mean("oracle_facts") == 1
    assert 0.2 < mean("recall") < mean("oracle_transcript") < 0.9
    assert mean("iep") == pytest.approx(mean("recall"), abs=0.1)
    assert 0.01 < mean("hallucination") < 0.2
    assert len(set(scores()["iep"])) >= 4


def test_facts_come_from_the_npc_first_and_some_for_one_pair_of_ears_are_passed_on() -> None:
    passed_on = 0
    for episode in episodes("information"):
        heard: dict[str, set[object]] = {seat: set() for seat in episode.trial.task.seats}
        for move in episode.moves:
            for action in move.actions:
                for act in action.acts:
                    if act.kind == anteval.TELL:
                        assert isinstance(act.what, dict)
                        assert str(act.what["text"]) in action.text
                        assert move.seat == anteval.NPC or act.what["id"] in heard[move.seat]
                        passed_on += move.seat != anteval.NPC
                        for seat in action.to or heard:
                            heard[seat].add(act.what["id"])
    assert passed_on > 3


def test_what_was_learned_stays_learned_from_snapshot_to_snapshot() -> None:
    kit = anteval.load_information(WorldSetup(settings={"sessions": "6", "snapshots": "5"}, seed=2))
    for task in kit.world.tasks():
        played = play_task(kit.world, task, dict.fromkeys(task.seats, kit.players["scripted"]))
        known: dict[str, set[str]] = {}
        for event in played.events:
            if isinstance(event, Answered):
                facts = set(anteval.Learned.model_validate(event.value).facts)
                assert known.get(event.seat, set()) <= facts
                known[event.seat] = facts
        assert any(known.values())


def answer(seed: int, *moves: Moved) -> anteval.Learned:
    one = session(turns=8, knowledge=KNOWN)
    witness = anteval.AntScene(one).witness("player-1")
    for move in moves:
        witness.see(move)
    asked = anteval.build_polls(one, anteval.paper_prompts(), controls=False, every=0)[0].question
    request = Request("trial", seed, "player-1", 8, 1, asked, witness.observe(8))
    reply = asyncio.run(anteval.ScriptedPartyPlayer().reply(request, None))
    assert isinstance(reply, Reply)
    assert isinstance(reply.value, anteval.Learned)
    return reply.value


def test_what_one_said_oneself_is_nothing_that_one_learned() -> None:
    answers = [answer(seed, tells(3, "player-1", KNOWN[0])) for seed in range(12)]
    assert all(one.facts == [] for one in answers)


def test_beside_a_model_it_goes_on_and_repeats_what_it_was_told_and_nothing_is_on_record() -> None:
    one = answer(0, says(0, anteval.NPC, "The well is deep."), says(1, "player-2", "Oh."))
    assert (one.facts, one.ids) == (["The well is deep."], [""])

    class Terse(anteval.ScriptedPartyPlayer):
        async def reply(self, request: Request, memory: object) -> Reply:
            found = await super().reply(request, None)
            assert isinstance(found, Reply)
            if isinstance(found.value, tuple):
                return Reply((says(0, "x", "What do you know?").actions[0],))
            return found

    kit = anteval.load_information(WorldSetup(settings={"sessions": "3"}, seed=2))
    for task in kit.world.tasks():
        for free in (anteval.NPC, "player-1"):
            seats = {
                seat: Terse() if seat == free else anteval.ScriptedPartyPlayer()
                for seat in task.seats
            }
            episode = play_task(kit.world, task, seats)
            assert not anteval.is_recorded(episode)
            told = [
                a for m in episode.moves if m.seat == anteval.NPC for x in m.actions for a in x.acts
            ]
            assert any(act.kind == anteval.TELL for act in told) == (free != anteval.NPC)


# ---------------------------------------------------------------- an NPC with a reserve


@cache
def careful(name: str, preset: str = "reserve") -> tuple[Episode, ...]:
    setup = WorldSetup(settings={"sessions": "27", "preset": preset}, seed=3)
    kit = anteval.load_information(setup)
    tasks = kit.world.tasks()
    return tuple(
        play_task(kit.world, task, dict.fromkeys(task.seats, kit.players[name])) for task in tasks
    )


def careful_scores(name: str, measure: str, preset: str = "reserve") -> list[float]:
    setup = WorldSetup(settings={"preset": preset})
    judge = anteval.load_information(setup).judges["record"]
    return [
        verdict.value
        for episode in careful(name, preset)
        for verdict in asyncio.run(judge.judge(episode))
        if verdict.measure.name == measure and isinstance(verdict, Score)
    ]


@pytest.mark.parametrize("preset", ["reserve", "hard"])
def test_who_only_asks_what_else_learns_a_fifth_of_what_is_known(preset: str) -> None:
    texts = {
        action.text
        for episode in careful("what-else", preset)
        for move in episode.moves
        if move.seat != anteval.NPC
        for action in move.actions
    }
    assert texts == {"What else do you know?"}
    for measure in ("iep", "recall"):
        assert set(careful_scores("what-else", measure, preset)) == {0.2}
    assert set(careful_scores("what-else", "misled", preset)) == {0}


def test_the_scripted_npc_keeps_its_reserve_and_asking_gets_more_than_what_else() -> None:
    assert set(careful_scores("scripted", "reserve_kept")) == {1}
    assert set(careful_scores("scripted", "told_unasked")) == {0}
    assert sum(careful_scores("scripted", "recall")) > 2 * sum(
        careful_scores("what-else", "recall")
    )
    for measure in ("told_asked", "told_trusted", "told_falsely", "misled"):
        assert max(careful_scores("scripted", measure)) > 0, measure


# ---------------------------------------------------------------- intentions


def test_each_intention_is_acted_on_once_by_the_one_who_has_it_early_or_late() -> None:
    turns: Counter[int] = Counter()
    for episode in episodes("intention"):
        one = anteval.session_from(episode.trial.task.content)
        used = [
            (move.seat, act.what, move.turn)
            for move in episode.moves
            for act in {act.what: act for a in move.actions for act in a.acts}.values()
            if act.kind == anteval.USE
        ]
        assert sorted((seat, skill) for seat, skill, _ in used) == sorted(
            (intention.seat, intention.skill) for intention in one.intentions
        )
        turns.update(turn // 10 for _, _, turn in used)
    assert all(turns[third] > 5 for third in range(3))


def test_each_skill_is_shown_by_deeds_and_by_words_and_no_line_names_a_skill() -> None:
    assert set(_lines()["use"]) == set(anteval.SKILLS)
    for skill, ways in _lines()["use"].items():
        assert any(deed for deed, _ in ways), skill
        assert any(words for _, words in ways), skill

    def texts(node: object) -> Sequence[str]:
        if isinstance(node, str):
            return (node,)
        nodes = list(node.values()) if isinstance(node, Mapping) else node
        assert isinstance(nodes, list)
        return [text for one in nodes for text in texts(one)]

    for text in texts(_lines()):
        assert not anteval.names_skill([anteval.Turn(anteval.DM, text)], anteval.SKILLS), text
