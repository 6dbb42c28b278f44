"""The offline judge of information exchange: an episode worked by hand, and its contract."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from anteval_cases import KNOWN, episode_of, learned, over, says, session
from sociolab.core.episode import Episode, Event, Unusable
from sociolab.core.ports import Judge
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.testing.contracts import JudgeContract
from sociolab.worlds.anteval.information.evidence import Plan
from sociolab.worlds.anteval.information.rules_judge import RulesJudge
from sociolab.worlds.anteval.session import NPC, Fact

DOOR, FEAR, MINT = (fact.text for fact in KNOWN)
DECOYS = (
    Fact(
        id="F1",
        kind="person",
        subject="Ordwyn",
        attribute="lives in",
        value="a lighthouse",
        text="Ordwyn lives in a lighthouse.",
    ),
)
GUESS = "There is a sword in the cellar."
PLAN = Plan(key_points=3, controls=True, snapshots=2)
TABLE = session(players=2, turns=4, knowledge=KNOWN, decoys=DECOYS, guesses=(GUESS,))
FAILED = Unusable(4, "player-2", "learned", 3, "truncated", "cut off", "{", final=True)


def played(*answers: Event) -> Episode:
    """Four turns; one fact is told to all, another to the first player."""
    return episode_of(
        TABLE,
        learned(0, "player-1"),
        learned(0, "player-2", FEAR),
        says(0, "player-1", "Good day."),
        says(1, NPC, DOOR),
        learned(2, "player-1", DOOR),
        learned(2, "player-2"),
        says(2, NPC, FEAR, "player-1"),
        *answers,
        over(4),
    )


WHOLE = played(
    learned(4, "player-1", DOOR, FEAR, f"Ansel said: {DOOR}", "The moon is made of cheese."),
    learned(4, "player-2"),
)


def verdicts(episode: Episode, plan: Plan = PLAN) -> dict[tuple[str, str | None], Verdict]:
    found = asyncio.run(RulesJudge(plan).judge(episode))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def values(episode: Episode, seat: str | None) -> dict[str, float]:
    return {
        name: verdict.value
        for (name, at), verdict in verdicts(episode).items()
        if at == seat and isinstance(verdict, Score)
    }


def test_an_answer_worked_by_hand() -> None:
    # Key points: the first 3 facts, and of the answer's statements the 3 that say a new thing.
    assert values(WHOLE, "player-1") == pytest.approx(
        {
            "iep": 2 / 3,
            "precision": 2 / 4,
            "recall": 2 / 3,
            "f1": 4 / 7,
            "hallucination": 1 / 4,
            "recall_at_0": 0,
            "recall_at_2": 1 / 3,
            "recall_at_4": 2 / 3,
            "no_talk": 0,
            "other_session": 0,
        }
    )


def test_the_recall_says_from_whom_and_when_each_fact_came() -> None:
    verdict = verdicts(WHOLE)["recall", "player-1"]
    assert isinstance(verdict, Score)
    assert verdict.reason == "2 of 3 facts told: F1 (Ansel, turn 2), F2 (Ansel, turn 3)"


def test_an_empty_answer_has_no_precision_and_a_recall_of_0() -> None:
    found = verdicts(WHOLE)
    for measure in ("precision", "hallucination"):
        assert isinstance(found[measure, "player-2"], Unscored)
    assert values(WHOLE, "player-2") == pytest.approx(
        {
            "iep": 0,
            "recall": 0,
            "f1": 0,
            "recall_at_0": 1 / 3,
            "recall_at_2": 0,
            "recall_at_4": 0,
            "no_talk": 1 / 3,
            "other_session": 0,
        }
    )


def test_the_session_as_a_whole_with_its_controls() -> None:
    assert values(WHOLE, None) == pytest.approx(
        {
            "party_recall": 2 / 3,
            "blind_guess": 0,
            "oracle_transcript": 2 / 3,
            "oracle_facts": 1,
        }
    )


def test_answers_are_held_against_the_facts_of_another_session() -> None:
    knowing = played(learned(4, "player-1", DECOYS[0].text), learned(4, "player-2"))
    assert values(knowing, "player-1")["other_session"] == 1
    assert values(knowing, "player-1")["hallucination"] == 1


def test_an_answer_that_failed_is_a_failure_of_its_own_cells_and_no_0() -> None:
    found = verdicts(played(learned(4, "player-1", DOOR), FAILED))
    for measure in ("iep", "precision", "recall", "f1", "hallucination", "other_session"):
        verdict = found[measure, "player-2"]
        assert isinstance(verdict, ScoreFailure)
        assert (verdict.cause, verdict.raw, verdict.attempts) == ("truncated", "{", 3)
        assert isinstance(found[measure, "player-1"], Score)
    assert isinstance(found["no_talk", "player-2"], Score)
    party = found["party_recall", None]
    assert isinstance(party, ScoreFailure)
    assert "the answer of player-2 is missing" in party.problem


def test_k_is_the_same_on_both_sides() -> None:
    found = asyncio.run(RulesJudge(Plan(key_points=1)).judge(WHOLE))
    assert [v.value for v in found if v.measure.name == "iep" and isinstance(v, Score)] == [1, 0]
    found = asyncio.run(RulesJudge(Plan(key_points=5)).judge(WHOLE))
    # Three facts are there: k is three, and none of it padding.
    shares = [v.value for v in found if v.measure.name == "iep" and isinstance(v, Score)]
    assert shares == pytest.approx([2 / 3, 0])


def test_a_statement_that_says_a_fact_again_takes_no_place_among_the_key_points() -> None:
    again = played(
        learned(4, "player-1", DOOR, f"Ansel said: {DOOR}", FEAR), learned(4, "player-2")
    )
    found = asyncio.run(RulesJudge(Plan(key_points=2)).judge(again))
    assert [v.value for v in found if v.measure.name == "iep" and isinstance(v, Score)] == [1, 0]


def test_without_controls_there_are_none() -> None:
    names = {name for name, _ in verdicts(WHOLE, Plan(3, controls=False))}
    assert names == {"iep", "precision", "recall", "f1", "hallucination", "party_recall"}


def test_its_id_covers_what_a_value_rests_on_and_not_which_others_stand_beside_it() -> None:
    plans = (Plan(3), Plan(4), Plan(3, controls=False), Plan(3, snapshots=2))
    three, four, *beside = (RulesJudge(plan).id.settings for plan in plans)
    assert three != four
    assert beside == [three, three]


class TestRulesJudge(JudgeContract):
    def judge(self) -> Judge:
        return RulesJudge(PLAN)

    def episodes(self) -> Sequence[Episode]:
        return (WHOLE, played(learned(4, "player-1", DOOR), FAILED), played())

    def measures(self) -> Sequence[Measure]:
        return PLAN.measures(TABLE.turns)


def test_a_party_that_took_no_turn_is_a_failure_whatever_the_npc_said() -> None:
    one = session(players=2, turns=4, knowledge=KNOWN)
    told = (learned(4, "player-1", DOOR), learned(4, "player-2", DOOR))
    episode = episode_of(one, says(2, NPC, DOOR), *told, over(4))
    found = asyncio.run(RulesJudge(Plan()).judge(episode))
    assert found
    assert all(isinstance(verdict, ScoreFailure) for verdict in found)


def test_any_fact_counts_for_the_overlap_in_whatever_order_the_answer_has_them() -> None:
    one = session(players=2, turns=4, knowledge=KNOWN)
    for order in (KNOWN, KNOWN[::-1]):
        episode = episode_of(
            one,
            says(0, "player-1", "Well?"),
            learned(4, "player-1", *(fact.text for fact in order)),
            learned(4, "player-2"),
            over(4),
        )
        found = asyncio.run(RulesJudge(Plan(key_points=2, controls=False)).judge(episode))
        shares = [v.value for v in found if v.measure.name == "iep" and isinstance(v, Score)]
        assert shares == [1, 0]
