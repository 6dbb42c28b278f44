"""Scripted play: what it says, what it remembers, and how it stands against the controls."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

import pytest

from anteval_cases import says, session
from sociolab.core.episode import Answered, CastMember, Episode, Trial
from sociolab.core.ports import Reply, Request
from sociolab.core.score import Score
from sociolab.engine.setup import WorldSetup
from sociolab.testing.playing import driven, play_task
from sociolab.worlds.anteval.information.question import Learned, polls
from sociolab.worlds.anteval.intention.named import names_skill
from sociolab.worlds.anteval.kit import load_information, load_intention
from sociolab.worlds.anteval.scene import AntScene
from sociolab.worlds.anteval.scripted.phrases import Table, content, table
from sociolab.worlds.anteval.scripted.player import ScriptedPlayer
from sociolab.worlds.anteval.scripted.recall import blurred
from sociolab.worlds.anteval.scripted.things import things_in
from sociolab.worlds.anteval.session import NPC, session_from
from sociolab.worlds.anteval.skills import SKILLS
from stats.paired_difference import difference

SESSIONS = 60


@cache
def episodes(form: str, count: int = SESSIONS) -> tuple[Episode, ...]:
    load = load_information if form == "information" else load_intention
    kit = load(WorldSetup(settings={"sessions": str(count)}, seed=11))
    found = []
    for task in kit.world.tasks():
        cast = tuple(CastMember(seat, "scripted") for seat in task.seats)
        trial = Trial(f"trial {task.id}", kit.world.name, task, cast, 0, 11)
        players = dict.fromkeys(task.seats, kit.players["scripted"])
        found.append(Episode(trial, driven(kit.world.play(task, trial.id, 11), players)))
    return tuple(found)


@cache
def scores() -> Mapping[str, Mapping[tuple[str, str | None], float]]:
    """By measure: the value of each session and seat."""
    judge = load_information(WorldSetup()).judges["rules"]
    found: dict[str, dict[tuple[str, str | None], float]] = {}
    for episode in episodes("information"):
        for verdict in asyncio.run(judge.judge(episode)):
            if isinstance(verdict, Score):
                key = (episode.trial.task.id, verdict.seat)
                found.setdefault(verdict.measure.name, {})[key] = verdict.value
    return found


def paired(one: str, other: str) -> tuple[list[float], list[float], list[str]]:
    """Values of two measures play by play; what is of a whole session counts for each seat."""
    a, b = scores()[one], scores()[other]
    keys = sorted(key for key in scores()["recall"])

    def of(values: Mapping[tuple[str, str | None], float], key: tuple[str, str | None]) -> float:
        return values[key] if key in values else values[key[0], None]

    return [of(a, k) for k in keys], [of(b, k) for k in keys], [k[0] for k in keys]


def mean(name: str) -> float:
    values = scores()[name].values()
    return sum(values) / len(values)


# ---------------------------------------------------------------- controls

CONTROLS = ("no_talk", "other_session", "blind_guess")


@pytest.mark.parametrize(("one", "other"), [(a, b) for a in CONTROLS for b in CONTROLS if a < b])
def test_the_controls_lie_within_chance_of_each_other(one: str, other: str) -> None:
    estimate = difference(*paired(one, other))
    if estimate.low is None or estimate.high is None:  # no variation at all: both are constant
        assert abs(mean(one) - mean(other)) < 0.02
    else:
        assert estimate.low <= 0 <= estimate.high


@pytest.mark.parametrize("control", CONTROLS)
def test_play_lies_above_the_controls(control: str) -> None:
    assert mean(control) < 0.02
    estimate = difference(*paired("recall", control))
    assert estimate.low is not None
    assert estimate.low > 0.2


def test_play_lies_below_the_oracles_which_are_ordered() -> None:
    for low, high in (("recall", "oracle_transcript"), ("oracle_transcript", "oracle_facts")):
        estimate = difference(*paired(high, low))
        assert estimate.low is not None
        assert estimate.low > 0
    played, oracle, _ = paired("recall", "oracle_transcript")
    assert all(own <= most for own, most in zip(played, oracle, strict=True))
    party = scores()["party_recall"]
    assert all(value <= scores()["oracle_transcript"][key] for key, value in party.items())


def test_the_exchange_is_neither_perfect_nor_void_and_differs_by_character() -> None:
    assert 0.35 <= mean("iep") <= 0.75
    assert mean("oracle_facts") >= 0.97
    assert len(set(scores()["iep"].values())) >= 4
    assert 0.02 < mean("hallucination") < 0.25


# ---------------------------------------------------------------- words


def test_nobody_is_told_a_fact_by_a_player_who_has_not_heard_it() -> None:
    for episode in episodes("information")[:20]:
        one = session_from(episode.trial.task.content)
        told = ""
        for move in episode.moves:
            text = " ".join(action.text for action in move.actions)
            for fact in one.knowledge:
                if move.seat != NPC and fact.text in text:
                    assert fact.text in told
            told += text


def test_before_the_first_turn_nothing_was_learned() -> None:
    answers = [
        event.value
        for episode in episodes("information")
        for event in episode.events
        if isinstance(event, Answered) and event.turn == 0
    ]
    assert len(answers) == 3 * SESSIONS
    assert all(value == {"facts": []} for value in answers)


@pytest.mark.parametrize("form", ["information", "intention"])
def test_hardly_a_line_is_said_twice_in_a_session(form: str) -> None:
    for episode in episodes(form)[:30]:
        lines = [a.text for move in episode.moves for a in move.actions if a.text]
        again = sum(count - 1 for count in Counter(lines).values())
        assert again <= 1, Counter(lines).most_common(2)


@pytest.mark.parametrize("form", ["information", "intention"])
def test_turns_are_of_every_kind_and_no_slot_is_left_open(form: str) -> None:
    kinds: Counter[tuple[str, ...]] = Counter()
    for episode in episodes(form):
        for move in episode.moves:
            kinds[tuple(sorted(action.kind for action in move.actions))] += 1
            assert not any(re.search(r"[{}]|  ", action.text) for action in move.actions)
    assert set(kinds) == {("act",), ("act", "speak"), ("pass",), ("speak",)}


def test_some_words_are_for_one_pair_of_ears_and_some_of_them_are_passed_on() -> None:
    asides = [
        action
        for episode in episodes("information")
        for move in episode.moves
        for action in move.actions
        if action.to
    ]
    assert len(asides) > 5


# ---------------------------------------------------------------- intentions


def ways() -> dict[str, list[dict[str, str]]]:
    return {row["skill"]: row["ways"] for row in content("skills")["skills"]}


def test_each_skill_has_at_least_eight_ways_to_be_shown_by_deeds_and_by_words() -> None:
    assert set(ways()) == set(SKILLS)
    for skill, rows in ways().items():
        assert len(rows) >= 8, skill
        assert any("act" in row for row in rows), skill
        assert any("say" in row for row in rows), skill
        assert len({json_text(row) for row in rows}) == len(rows), skill


def json_text(row: Mapping[str, str]) -> str:
    return " ".join(row.get(part, "") for part in ("act", "say"))


def texts(node: object) -> Sequence[str]:
    if isinstance(node, str):
        return (node,)
    if isinstance(node, Mapping):
        return [text for key, one in node.items() if key != "skill" for text in texts(one)]
    if isinstance(node, list):
        return [text for one in node for text in texts(one)]
    return ()


@pytest.mark.parametrize("name", ["party", "npc", "acts", "skills", "talk"])
def test_no_line_of_ours_names_a_skill(name: str) -> None:
    for text in texts(content(name)):
        assert not any(names_skill(text, skill) for skill in SKILLS), text


def test_each_intention_is_expressed_once_by_the_one_who_has_it() -> None:
    for episode in episodes("intention"):
        one = session_from(episode.trial.task.content)
        meant = {(intention.seat, intention.skill) for intention in one.intentions}
        shown = Counter(
            (move.seat, skill)
            for move in episode.moves
            for skill in SKILLS
            if any(_shows(action.text, skill) for action in move.actions)
        )
        assert set(shown) == meant
        assert set(shown.values()) <= {1}


def test_intentions_are_expressed_early_and_late() -> None:
    turns = Counter(
        move.turn // 10
        for episode in episodes("intention")
        for move in episode.moves
        for intention in session_from(episode.trial.task.content).intentions
        if move.seat == intention.seat
        and any(_shows(action.text, intention.skill) for action in move.actions)
    )
    assert all(turns[third] > 10 for third in range(3))


def _shows(text: str, skill: str) -> bool:
    return _own_words()[skill].used(text)


@cache
def _own_words() -> dict[str, Table]:
    """The words and deeds that show a skill, but for those that anybody might say."""
    return {
        skill: table([row[p] for row in rows for p in ("act", "say") if len(row.get(p, "")) > 10])
        for skill, rows in ways().items()
    }


# ---------------------------------------------------------------- parts


def test_what_one_said_oneself_is_nothing_that_one_learned() -> None:
    told = "The tower of Velmora has a door of iron."
    one = session(turns=8)
    for by, most in (("player-1", 0), (NPC, 1)):
        lengths = set()
        for seed in range(12):
            witness = AntScene(one).witness("player-1")
            witness.see(says(3, by, told))
            asked = polls(one, controls=False, every=0)[0].question
            request = Request("trial", seed, "player-1", 8, 1, asked, witness.observe(8))
            reply = asyncio.run(ScriptedPlayer().reply(request, None))
            assert isinstance(reply, Reply)
            assert isinstance(reply.value, Learned)
            lengths.add(len(reply.value.facts))
        assert max(lengths) == most


def test_what_was_learned_stays_learned_from_snapshot_to_snapshot() -> None:
    kit = load_information(WorldSetup(settings={"sessions": "6", "snapshots": "5"}, seed=2))
    for task in kit.world.tasks():
        played = play_task(kit.world, task, dict.fromkeys(task.seats, kit.players["scripted"]))
        known: dict[str, set[str]] = {}
        for event in played.events:
            if isinstance(event, Answered):
                facts = set(Learned.model_validate(event.value).facts)
                assert known.get(event.seat, set()) <= facts
                known[event.seat] = facts
        assert any(known.values())


def test_things_are_read_off_the_situation() -> None:
    def things(sentence: str) -> tuple[str, ...]:
        return things_in(f"The party enters a mill. {sentence} A guard is near.")

    assert things("Their eyes fall on a bench with two names, then on a bronze heron.") == (
        "the bench",
        "the bronze heron",
    )
    assert things("They make out a row of staved-in barrels and a table laid for ten.") == (
        "the row of staved-in barrels",
        "the table",
    )
    assert things("Rain falls on a roof.") == ()


def test_a_blurred_sentence_has_one_part_wrong() -> None:
    people = frozenset({"Mira Voss"})
    assert blurred("The door lies in the north.", Random(1), people) == (
        "The door lies in the south."
    )
    wrong = blurred("Once the shrine of Pezylm stood there.", Random(1), people)
    assert wrong.startswith("Once the shrine of Pez")
    assert "Pezylm" not in wrong
