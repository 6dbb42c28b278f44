"""The judge model of information exchange: few calls, ids checked, failures of their own cells."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from functools import cache

import pytest

from anteval_cases import KNOWN, episode_of, learned, over, says, session
from fake_models import FakeModel, ImprovisingModel
from sociolab.core.episode import Episode
from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Judge
from sociolab.core.score import Measure, Score, ScoreFailure, Verdict
from sociolab.testing.contracts import JudgeContract
from sociolab.worlds.anteval.information.evidence import Plan
from sociolab.worlds.anteval.information.model_judge import ModelJudge
from sociolab.worlds.anteval.session import NPC

DOOR, FEAR, MINT = (fact.text for fact in KNOWN)
PLAN = Plan(key_points=2)
TABLE = session(players=2, turns=4, knowledge=KNOWN, decoys=KNOWN[:1], guesses=("A dragon!",))
WHOLE = episode_of(
    TABLE,
    learned(0, "player-1"),
    learned(0, "player-2"),
    says(0, "player-1", "Good day."),
    says(1, NPC, f"{DOOR} {FEAR}"),
    learned(4, "player-1", "Kestrith is afraid of mirrors.", "Iron door in Velmora.", "A lie."),
    learned(4, "player-2"),
    over(4),
)

POINTS = {"points": ["Velmora's tower has an iron door.", "Kestrith fears mirrors."]}


def match(statement: str, fact: str) -> dict[str, str]:
    return {"statement": statement, "fact": fact}


ANSWER = {
    "key_points": [
        {"text": "Kestrith fears mirrors.", "same_as": "p2"},
        {"text": "A lie.", "same_as": ""},
    ],
    "matches": [match("s1", "f2"), match("s2", "f1")],
    "repeats": [],
}


@cache
def group_ids() -> dict[str, str]:
    """What the judge calls each control: its name for us, found by what it holds."""
    model = FakeModel(*replies(POINTS, ANSWER), ModelError("gone", cause="connection"))
    judged(model)
    body = model.calls[-1][0].messages[-1].text
    parts = re.split(r"# Group (g[0-9]+)\n", body)[1:]
    signs = {"A dragon!": "blind_guess", "A lie.": "other_session", "Good day.": "transcript"}
    return {
        next((name for sign, name in signs.items() if sign in text), "facts"): id_
        for id_, text in zip(parts[::2], parts[1::2], strict=True)
    }


def controls() -> dict[str, object]:
    """The sheet of a judge that reads the controls aright."""
    matches = {
        "other_session": [],
        "blind_guess": [],
        "transcript": [match("s2", "f1"), match("s3", "f2")],
        "facts": [match(f"s{n}", f"f{n}") for n in (1, 2, 3)],
    }
    return {"groups": [{"group": group_ids()[name], "matches": m} for name, m in matches.items()]}


def judged(model: FakeModel, plan: Plan = PLAN) -> dict[tuple[str, str | None], Verdict]:
    found = asyncio.run(ModelJudge(plan, model).judge(WHOLE))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def replies(*sheets: object) -> list[str]:
    return [json.dumps(sheet) for sheet in sheets]


def value(verdict: Verdict) -> float:
    assert isinstance(verdict, Score), verdict
    return verdict.value


def test_an_episode_worked_by_hand() -> None:
    model = FakeModel(*replies(POINTS, ANSWER, controls()))
    found = judged(model)
    mine = {name: value(verdict) for (name, seat), verdict in found.items() if seat == "player-1"}
    assert mine == pytest.approx(
        {
            "iep": 1 / 2,
            "precision": 2 / 3,
            "recall": 2 / 3,
            "f1": 4 / 6,
            "hallucination": 1 / 3,
            "no_talk": 0,
            "other_session": 0,
        }
    )
    assert value(found["iep", "player-2"]) == 0
    assert value(found["oracle_transcript", None]) == pytest.approx(2 / 3)
    assert value(found["oracle_facts", None]) == 1
    assert value(found["party_recall", None]) == pytest.approx(2 / 3)


def test_an_empty_answer_costs_no_call_and_the_calls_are_keyed_apart() -> None:
    model = FakeModel(*replies(POINTS, ANSWER, controls()))
    judged(model)
    keys = [(key.seat, key.name, key.role) for _, key in model.calls]
    assert keys == [
        ("", "key points", "judge"),
        ("player-1", "answer", "judge"),
        ("", "controls", "judge"),
    ]
    assert all(prompt.schema is not None for prompt, _ in model.calls)
    assert all(prompt.temperature == 0 for prompt, _ in model.calls)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"matches": [match("s4", "f1")]}, 'expected one of the ids that were given, found "s4"'),
        ({"matches": [match("s1", "f9")]}, 'expected one of the ids that were given, found "f9"'),
        (
            {"matches": [match("s1", "f1"), match("s2", "f1")]},
            'fact: expected each id once at most, found "f1" 2 times',
        ),
        ({"repeats": ["s7"]}, 'repeats: expected one of the ids that were given, found "s7"'),
        (
            {"key_points": [{"text": "x", "same_as": "p1"}, {"text": "y", "same_as": "p1"}]},
            'same_as: expected each id once at most, found "p1" 2 times',
        ),
        ({"key_points": ANSWER["key_points"] * 2}, "expected at most 2 key points, found 4"),
    ],
)
def test_unknown_and_doubled_ids_are_asked_for_again(
    wrong: dict[str, object], problem: str
) -> None:
    model = FakeModel(*replies(POINTS, ANSWER | wrong, ANSWER, controls()))
    assert value(judged(model)["iep", "player-1"]) == 0.5
    assert problem in model.calls[2][0].messages[-1].text


def test_what_cannot_be_mended_is_a_failure_of_those_cells_only() -> None:
    bad = ANSWER | {"repeats": ["s7"]}
    found = judged(FakeModel(*replies(POINTS, bad, bad, bad, controls())))
    verdict = found["iep", "player-1"]
    assert isinstance(verdict, ScoreFailure)
    assert verdict.attempts == 3
    assert isinstance(found["recall", "player-1"], ScoreFailure)
    assert value(found["iep", "player-2"]) == 0
    assert value(found["oracle_facts", None]) == 1


def test_without_key_points_of_the_knowledge_only_iep_is_missing() -> None:
    down = ModelError("no reply in time", cause="timeout", tries=4)
    plain = {**ANSWER, "key_points": [{"text": "x", "same_as": ""}]}
    found = judged(FakeModel(down, *replies(plain, controls())))
    verdict = found["iep", "player-1"]
    assert isinstance(verdict, ScoreFailure)
    assert (verdict.cause, verdict.attempts) == ("timeout", 4)
    assert value(found["recall", "player-1"]) == pytest.approx(2 / 3)


def test_controls_that_fail_are_failures_of_the_controls() -> None:
    down = ModelError("gone", cause="connection")
    found = judged(FakeModel(*replies(POINTS, ANSWER), down))
    assert isinstance(found["oracle_transcript", None], ScoreFailure)
    assert isinstance(found["other_session", "player-1"], ScoreFailure)
    assert value(found["no_talk", "player-1"]) == 0  # nothing was said: no call was needed
    assert value(found["iep", "player-1"]) == 0.5


def test_a_fatal_error_passes_through() -> None:
    fatal = ModelError("no key", cause="credentials", fatal=True)
    with pytest.raises(ModelError, match="no key"):
        judged(FakeModel(fatal))


def test_the_names_of_groups_tell_the_judge_nothing() -> None:
    model = FakeModel(*replies(POINTS, ANSWER, controls()))
    judged(model)
    text = model.calls[-1][0].messages[-1].text
    assert not any(word in text for word in ("oracle", "guess", "other_session", "no_talk"))
    assert sorted(re.findall(r"# Group (.*)", text)) == ["g1", "g2", "g3", "g4"]


def test_facts_that_are_no_more_than_k_are_the_key_points_themselves() -> None:
    model = FakeModel(*replies(ANSWER, controls()))
    found = judged(model, Plan(key_points=5))
    assert [key.name for _, key in model.calls] == ["answer", "controls"]
    assert f"p1: {DOOR}\np2: {FEAR}\np3: {MINT}" in model.calls[0][0].messages[-1].text
    assert value(found["iep", "player-1"]) == pytest.approx(1 / 3)  # k is 3 here


def test_the_transcript_is_shown_to_the_control_sentence_by_sentence() -> None:
    model = FakeModel(*replies(POINTS, ANSWER, controls()))
    judged(model)
    body = model.calls[-1][0].messages[-1].text
    assert f"Statements:\ns1: Good day.\ns2: {DOOR}\ns3: {FEAR}" in body


def test_judgings_are_told_apart() -> None:
    model = FakeModel(*[ChatReply(text) for text in replies(POINTS, ANSWER, controls())])
    asyncio.run(ModelJudge(PLAN, model).judge(WHOLE, 2))
    assert {key.index for _, key in model.calls} == {2}


class TestModelJudge(JudgeContract):
    pure = False

    def judge(self) -> Judge:
        return ModelJudge(Plan(2, snapshots=2), ImprovisingModel())

    def episodes(self) -> Sequence[Episode]:
        return (WHOLE,)

    def measures(self) -> Sequence[Measure]:
        return Plan(2, snapshots=2).measures(TABLE.turns)
