"""Information exchange: the metrics by hand, and what is on record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from anteval_cases import (
    KNOWN,
    RESERVED,
    TRUST,
    asks,
    chats,
    episode_of,
    learned,
    lies,
    over,
    says,
    session,
    tells,
)
from sociolab.core import (
    Act,
    Action,
    Ended,
    Episode,
    Event,
    Judge,
    JudgeId,
    Measure,
    Moved,
    Score,
    ScoreFailure,
    Unscored,
    Unusable,
    Verdict,
)
from sociolab.report import PlayKey, PlayOutcome, PlayRow, ScoreColumn
from sociolab.report.result import column_outcomes, entries
from sociolab.testing import JudgeContract
from sociolab.worlds import anteval
from sociolab.worlds.anteval.information.scoring import (
    IEP,
    FactReading,
    f1,
    hallucination,
    key_point_share,
    learned as ways_of,
    party_recall,
    precision,
    recall,
)
from sociolab.worlds.anteval.kit import INFORMATION
from sociolab.worlds.anteval.session import ASKED

# ---------- the metrics of information exchange, worked by hand


# Of five facts two are stated; beside them a true remark and an invention.
SOME = FactReading(5, {"F1": "", "F4": ""}, ("a remark",), ("an invention",))
EMPTY = FactReading(5, {})


def test_p_is_the_overlap_over_k() -> None:
    assert [key_point_share(s, 5) for s in range(6)] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    with pytest.raises(ValueError, match="expected an overlap of 0 to k"):
        key_point_share(6, 5)


def test_iep_is_the_average_over_sessions_and_players_not_the_printed_sum() -> None:
    # Two sessions of three players: (0.2 + 0.4 + 0 + 1 + 0.6 + 0.8) / 6 = 0.5
    shares = {"t0": (0.2, 0.4, 0.0), "t1": (1.0, 0.6, 0.8)}
    plays = [
        PlayRow((trial, f"player-{i}"), "x", "x", None, trial, False)
        for trial, values in shares.items()
        for i in range(len(values))
    ]
    outcomes: dict[PlayKey, PlayOutcome] = {
        (trial, f"player-{i}"): value
        for trial, values in shares.items()
        for i, value in enumerate(values)
    }
    column = ScoreColumn("record", JudgeId("record", "formula"), IEP, False, True, outcomes)
    assert entries([column_outcomes(plays, column)])[0].value == pytest.approx(0.5)


def test_precision_recall_and_f1_over_atomic_facts() -> None:
    assert precision(SOME) == pytest.approx(2 / 3)  # 2 facts, 1 invention
    assert recall(SOME) == 0.4  # 2 of 5 facts
    assert f1(SOME) == pytest.approx(4 / 8)  # 2 x 2 / (2 + 1 + 5)
    # The harmonic mean of 2/3 and 2/5: 2 x (4/15) / (16/15)
    assert f1(SOME) == pytest.approx(2 * (2 / 3 * 0.4) / (2 / 3 + 0.4))


def test_what_is_true_beside_the_facts_is_no_hallucination_and_costs_no_precision() -> None:
    assert hallucination(SOME) == 0.25  # 1 of 4 statements
    plain = FactReading(5, SOME.stated, (), SOME.hallucinated)
    assert precision(plain) == precision(SOME)
    assert f1(plain) == f1(SOME)


def test_a_believed_falsehood_is_not_true_and_no_hallucination() -> None:
    misled = FactReading(5, {"F1": ""}, believed=("F2",))
    assert (precision(misled), hallucination(misled)) == (1 / 2, 0)
    assert f1(misled) == 2 / 7  # 2 x 1 / (1 + 1 + 5)
    assert precision(FactReading(5, {}, believed=("F2",))) == 0


def test_an_empty_answer_has_recall_0_and_no_precision() -> None:
    assert recall(EMPTY) == 0
    assert f1(EMPTY) == 0
    assert precision(EMPTY) is None
    assert hallucination(EMPTY) is None
    only_a_remark = FactReading(5, {}, ("a remark",))
    assert precision(only_a_remark) is None
    assert hallucination(only_a_remark) == 0


def test_with_nothing_to_know_there_is_no_recall() -> None:
    assert recall(FactReading(0, {}, (), ("x",))) is None
    assert f1(FactReading(0, {}, (), ("x",))) is None


def test_the_party_knows_what_one_of_it_knows() -> None:
    assert party_recall([SOME, FactReading(5, {"F2": "", "F1": ""}), EMPTY]) == 0.6  # F1, F2, F4
    assert party_recall([]) is None


@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
def test_all_metrics_lie_between_0_and_1(stated: int, true: int, false: int, more: int) -> None:
    facts = {f"F{index}": "" for index in range(stated)}
    reading = FactReading(stated + more, facts, ("x",) * true, ("x",) * false)
    for metric in (precision, recall, f1, hallucination):
        value = metric(reading)
        assert value is None or 0 <= value <= 1


# --- information exchange among scripted players: exact by acts and ids, silent of anybody else


DOOR, FEAR, MINT = KNOWN
PLAN = anteval.InformationPlan(key_points=2, snapshots=2)
TABLE = session(players=2, turns=4, knowledge=KNOWN, decoys=(MINT,))
FAILED = Unusable(4, "player-2", "learned", 3, "truncated", "cut off", "{", final=True)


def played(*answers: Event, moves: tuple[Moved, ...] = ()) -> Episode:
    """Four turns: one fact is told to all, another to the first player, who keeps it."""
    taken = moves or (
        chats(0, "player-1"),
        chats(1, "player-2"),
        tells(2, anteval.NPC, DOOR),
        tells(3, anteval.NPC, FEAR, "player-1"),
    )
    return episode_of(
        TABLE,
        learned(0, "player-1"),
        learned(0, "player-2"),
        *taken[:2],
        learned(2, "player-1"),
        learned(2, "player-2"),
        *taken[2:],
        *answers,
        over(4),
    )


WHOLE = played(
    learned(4, "player-1", DOOR.text, FEAR.text, "All is cheese.", ids=("F1", "F2", "")),
    learned(4, "player-2", DOOR.text, ids=("F1",)),
)


def verdicts(
    episode: Episode, plan: anteval.InformationPlan = PLAN
) -> dict[tuple[str, str | None], Verdict]:
    found = asyncio.run(anteval.RecordJudge(plan).judge(episode))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in found}


def values(episode: Episode, seat: str | None) -> dict[str, float]:
    found = verdicts(episode).items()
    return {name: v.value for (name, at), v in found if at == seat and isinstance(v, Score)}


def test_answers_worked_by_hand() -> None:
    # The key points of the knowledge are its first two facts.
    assert values(WHOLE, "player-1") == pytest.approx(
        {
            "iep": 1,
            "precision": 2 / 3,
            "recall": 2 / 3,
            "f1": 2 * 2 / (2 + 1 + 3),
            "hallucination": 1 / 3,
            "recall_at_0": 0,
            "recall_at_2": 0,
            "recall_at_4": 2 / 3,
            "recall_place": 1,
            "recall_person": 1,
            "recall_danger": 0,
            "small_talk": 1,
            "no_talk": 0,
            "other_session": 0,
        }
    )
    assert values(WHOLE, "player-2")["iep"] == 0.5
    assert values(WHOLE, None) == pytest.approx(
        {
            "party_recall": 2 / 3,
            "turns_per_fact": 4 / 2,
            # Twice "Hm." (3 characters), "Well. " (6) twice, and the two facts (40 and 23).
            "tokens_per_fact": (3 + 3 + 6 + 6 + 40 + 23) / 4 / 2,
            "oracle_transcript": 2 / 3,
            "oracle_facts": 1,
        }
    )


def test_who_left_and_a_table_that_ended_early_are_judged_by_the_last_answer() -> None:
    table = TABLE.model_copy(update={"turns": 8, "leaving": True})
    gone = Moved(3, "player-1", (Action("leave", acts=(Act(anteval.CHAT),)),))
    also = Moved(5, "player-2", (Action("leave", acts=(Act(anteval.CHAT),)),))
    episode = episode_of(
        table,
        chats(0, "player-1"),
        chats(1, "player-2"),
        tells(2, anteval.NPC, DOOR),
        gone,
        learned(4, "player-2"),  # player 1 is no longer asked
        tells(4, anteval.NPC, FEAR),
        also,
        learned(6, "player-1", DOOR.text, ids=("F1",)),
        learned(6, "player-2", DOOR.text, FEAR.text, ids=("F1", "F2")),
        Ended("left", 5, "player-2"),
    )
    plan = anteval.InformationPlan(key_points=2, snapshots=4, controls=False)
    found = verdicts(episode, plan)
    at = {
        (seat, turn): found[f"recall_at_{turn}", seat]
        for seat in ("player-1", "player-2")
        for turn in (4, 8)
    }
    recalls = {key: one.value for key, one in at.items() if isinstance(one, Score)}
    assert recalls == pytest.approx(
        {
            ("player-1", 4): 1 / 3,
            ("player-1", 8): 1 / 3,
            ("player-2", 4): 0,
            ("player-2", 8): 2 / 3,
        }
    )


def test_all_that_is_scored_is_declared_the_curve_in_its_place() -> None:
    names = [name for name, _ in verdicts(WHOLE)]
    assert all(INFORMATION.metric(name).tooltip for name in names)
    assert INFORMATION.metric("recall_at_12").better == "higher"
    shown = INFORMATION.sort(["made_up", "no_talk", "recall_at_4", "recall_at_0", "f1"], str)
    assert shown == ("f1", "recall_at_4", "recall_at_0", "no_talk", "made_up")


def test_the_recall_says_from_whom_and_when_each_fact_came() -> None:
    verdict = verdicts(WHOLE)["recall", "player-1"]
    assert isinstance(verdict, Score)
    assert verdict.reason == "2 of 3 facts: F1 (Ansel, turn 3), F2 (Ansel, turn 4)"


def test_an_answer_that_failed_is_a_failure_of_its_own_scores_and_no_0() -> None:
    found = verdicts(played(learned(4, "player-1", DOOR.text, ids=("F1",)), FAILED))
    for measure in ("iep", "precision", "recall", "f1", "hallucination", "other_session"):
        verdict = found[measure, "player-2"]
        assert isinstance(verdict, ScoreFailure)
        assert (verdict.cause, verdict.raw, verdict.attempts) == ("truncated", "{", 3)
        assert isinstance(found[measure, "player-1"], Score)
    assert isinstance(found["party_recall", None], ScoreFailure)


# ---------------------------------------------------------------- where it cannot tell


@pytest.mark.parametrize("seat", ["player-1", "player-2", anteval.NPC])
def test_one_turn_without_acts_and_nothing_can_be_told_and_a_sentence_says_what_would(
    seat: str,
) -> None:
    free = tuple(
        says(e.turn, e.seat, "I say so.") if isinstance(e, Moved) and e.seat == seat else e
        for e in WHOLE.events
    )
    for verdict in verdicts(replace(WHOLE, events=free)).values():
        assert isinstance(verdict, Unscored)
        assert "--judge openai/MODEL" in verdict.why


def test_ids_count_only_from_a_seat_whose_turns_are_on_record() -> None:
    # Somebody's own player that takes no turn, and claims to have learned everything.
    quiet = played(
        learned(4, "player-1", DOOR.text, ids=("F1",)),
        learned(4, "player-2", "x", "y", "z", ids=("F1", "F2", "F3")),
        moves=(
            chats(0, "player-1"),
            chats(1, "player-1"),
            tells(2, anteval.NPC, DOOR),
            chats(3, anteval.NPC),
        ),
    )
    found = verdicts(quiet)
    assert isinstance(found["recall", "player-1"], Score)
    assert isinstance(found["recall", "player-2"], Unscored)


def test_an_answer_without_an_id_for_each_sentence_is_not_on_record() -> None:
    for event in (learned(4, "player-1", DOOR.text), learned(4, "player-1", "a", "b", ids=("F1",))):
        found = verdicts(played(event, learned(4, "player-2")))
        assert isinstance(found["iep", "player-1"], Unscored)
        assert isinstance(found["iep", "player-2"], Score)


def test_a_party_that_took_no_turn_is_a_failure_whatever_the_npc_said() -> None:
    told = (learned(4, "player-1", DOOR.text, ids=("F1",)), learned(4, "player-2"))
    found = asyncio.run(
        anteval.RecordJudge(PLAN).judge(
            episode_of(TABLE, tells(2, anteval.NPC, DOOR), *told, over(4))
        )
    )
    assert [verdict.measure for verdict in found if verdict.seat == "player-1"] == [
        verdict.measure for verdict in verdicts(WHOLE).values() if verdict.seat == "player-1"
    ]
    assert all(isinstance(verdict, ScoreFailure) for verdict in found)


# ---------------------------------------------------------------- the ways of the facts


def test_each_fact_says_when_it_was_told_by_whom_and_who_heard_and_stated_it() -> None:
    door, fear, mint = ways_of(WHOLE)
    assert [(one.turn, one.who, one.to) for one in door.mentions] == [(2, "Ansel", ("Mira", "Tom"))]
    assert [(one.player, one.turn, one.stated) for one in fear.receipts] == [
        ("Mira", 3, True),
        ("Tom", None, False),
    ]
    assert mint.mentions == ()


def test_the_way_of_a_fact_is_told_only_where_it_is_on_record() -> None:
    assert ways_of(replace(WHOLE, events=(*WHOLE.events[:2], says(0, "player-1", "Hm.")))) == ()


# ---------------------------------------------------------------- an NPC with a reserve

CAREFUL = session(players=2, turns=12, knowledge=RESERVED, trust=TRUST)
ONE, TWO, NPC = "player-1", "player-2", anteval.NPC


def careful(*answers: Event) -> Episode:
    """F1 and F2 are told as they may be, F3 unasked, F5 falsely, F4 once trust was won."""
    first = tells(2, NPC, RESERVED[0]).actions[0]
    return episode_of(
        CAREFUL,
        asks(0, ONE, None),
        asks(1, TWO, "weapon"),
        Moved(2, NPC, (first, *tells(2, NPC, RESERVED[1]).actions)),
        chats(3, ONE),
        chats(4, TWO),
        tells(5, NPC, RESERVED[2]),
        asks(6, ONE, {"name": "Mordu"}),
        chats(7, TWO),
        lies(8, NPC, RESERVED[4]),
        says(9, ONE, "Let us dance.", acts=(Act(anteval.WIN),)),
        asks(10, TWO, {"name": "Pezyl"}),
        tells(11, NPC, RESERVED[3]),
        *answers,
        over(12),
    )


BELIEVED = careful(
    learned(12, ONE, RESERVED[0].text, RESERVED[4].falsehood, ids=("F1", "F5 (false)")),
    learned(12, TWO, RESERVED[0].text, ids=("F1",)),
)
AS_IT_COMES = anteval.InformationPlan(key_points=5, controls=False)


def test_how_the_npc_kept_its_reserve_worked_by_hand() -> None:
    found = verdicts(BELIEVED, AS_IT_COMES)
    shares = {
        name: one.value for (name, at), one in found.items() if not at and isinstance(one, Score)
    }
    assert shares == pytest.approx(
        {
            "party_recall": 1 / 5,
            "turns_per_fact": 12,
            "tokens_per_fact": shares["tokens_per_fact"],
            "told_unasked": 1 / 5,  # F3
            "told_asked": 2 / 5,  # F1 and F2
            "told_trusted": 1 / 5,  # F4
            "told_falsely": 1 / 5,  # F5
            "reserve_kept": 4 / 5,  # all but F3
        }
    )
    kept = found["reserve_kept", None]
    assert isinstance(kept, Score)
    assert kept.reason == "4 of 5: F1, F2, F4, F5 (false)"


@pytest.mark.parametrize(
    ("fact", "before", "after"),
    [
        # Whether it may be told when nobody asked, at any question, for its kind, and by name:
        # before trust, and after it.
        (RESERVED[0], (False, True, True, True), (False, True, True, True)),
        (RESERVED[1], (False, False, True, True), (False, False, True, True)),
        (RESERVED[2], (False, False, False, True), (False, False, False, True)),
        (RESERVED[3], (False, False, False, False), (False, False, True, True)),
        (RESERVED[4], (False, False, False, False), (False, False, True, True)),
    ],
)
def test_what_a_reserve_allows(
    fact: anteval.Fact, before: tuple[bool, ...], after: tuple[bool, ...]
) -> None:
    ways = (None, *ASKED)
    assert tuple(fact.allows(way, trusts=False) for way in ways) == before
    assert tuple(fact.allows(way, trusts=True) for way in ways) == after
    may_lie = [fact.may_lie(way, trusts) for trusts in (False, True) for way in ways]
    assert may_lie == [fact is RESERVED[4] and n == 3 for n in range(8)]


def test_who_believes_a_falsehood_is_misled_and_invents_nothing() -> None:
    found = verdicts(BELIEVED, AS_IT_COMES)
    of = {
        seat: {
            name: v.value for (name, at), v in found.items() if at == seat and isinstance(v, Score)
        }
        for seat in (ONE, TWO)
    }
    assert (of[ONE]["misled"], of[TWO]["misled"]) == (1, 0)
    assert (of[ONE]["recall"], of[ONE]["precision"], of[ONE]["hallucination"]) == (1 / 5, 1 / 2, 0)


def test_a_question_counts_for_the_npcs_next_turn_only_and_trust_for_all_that_follow() -> None:
    late = episode_of(
        CAREFUL,
        asks(0, ONE, {"name": "Kest"}),
        chats(1, NPC),
        chats(2, ONE),
        tells(3, NPC, RESERVED[2]),  # two turns after it was asked for
        says(4, ONE, "Let us dance.", acts=(Act(anteval.WIN),)),
        tells(5, NPC, RESERVED[3]),  # trusted, but not asked for
        asks(6, ONE, "magic item"),
        tells(7, NPC, RESERVED[4]),  # the truth, once there is trust
        over(8),
    )
    found = verdicts(late, AS_IT_COMES)
    reasons = {name: v.reason for (name, _), v in found.items() if isinstance(v, Score)}
    assert reasons["told_unasked"] == "2 of 5 facts: F3 (turn 4), F4 (turn 6)"
    assert reasons["told_trusted"] == "1 of 5 facts: F5 (turn 8)"
    assert reasons["reserve_kept"] == "1 of 3: F5"


def test_an_npc_without_a_reserve_is_not_measured_for_one() -> None:
    names = {name for name, _ in verdicts(WHOLE)}
    assert not names & {"misled", "reserve_kept", "told_unasked"}


def test_falsehoods_have_a_way_of_their_own() -> None:
    *_, lie = ways_of(BELIEVED)
    assert (lie.fact, lie.text) == ("F5 (false)", "Mordu has the number 50.")
    assert [(one.turn, one.who) for one in lie.mentions] == [(8, "Ansel")]
    assert [(one.player, one.stated) for one in lie.receipts] == [("Mira", True), ("Tom", False)]


class TestRecordJudge(JudgeContract):
    def judge(self) -> Judge:
        return anteval.RecordJudge(PLAN)

    def episodes(self) -> Sequence[Episode]:
        failed = played(learned(4, "player-1", DOOR.text), FAILED)
        return (WHOLE, failed, played(), BELIEVED)

    def measures(self) -> Sequence[Measure]:
        return PLAN.measures(CAREFUL.turns)
