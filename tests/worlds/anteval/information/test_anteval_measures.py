"""The metrics of information exchange, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.score import JudgeId
from sociolab.report.columns import Column, Outcome
from sociolab.report.plays import Play, PlayKey
from sociolab.report.scores import entries, said_of
from sociolab.worlds.anteval.information.measures import (
    IEP,
    Reading,
    f1,
    hallucination,
    key_point_share,
    party_recall,
    precision,
    recall,
)

# Of five facts two are stated; beside them a true remark and an invention.
SOME = Reading(5, {"F1": "", "F4": ""}, ("a remark",), ("an invention",))
EMPTY = Reading(5, {})


def test_p_is_the_overlap_over_k() -> None:
    assert [key_point_share(s, 5) for s in range(6)] == [0, 0.2, 0.4, 0.6, 0.8, 1]
    with pytest.raises(ValueError, match="expected an overlap of 0 to k"):
        key_point_share(6, 5)


def test_iep_is_the_average_over_sessions_and_players_not_the_printed_sum() -> None:
    # Two sessions of three players: (.2 + .4 + 0 + 1 + .6 + .8) / 6 = .5
    shares = {"t0": (0.2, 0.4, 0.0), "t1": (1.0, 0.6, 0.8)}
    plays = [
        Play((trial, f"player-{i}"), "x", "x", None, trial, False)
        for trial, values in shares.items()
        for i in range(len(values))
    ]
    outcomes: dict[PlayKey, Outcome] = {
        (trial, f"player-{i}"): value
        for trial, values in shares.items()
        for i, value in enumerate(values)
    }
    column = Column("record", JudgeId("record", "formula"), IEP, False, True, outcomes)
    assert entries([said_of(plays, column)])[0].value == pytest.approx(0.5)


def test_precision_recall_and_f1_over_atomic_facts() -> None:
    assert precision(SOME) == pytest.approx(2 / 3)  # 2 facts, 1 invention
    assert recall(SOME) == 0.4  # 2 of 5 facts
    assert f1(SOME) == pytest.approx(4 / 8)  # 2 x 2 / (2 + 1 + 5)
    # The harmonic mean of 2/3 and 2/5: 2 x (4/15) / (16/15)
    assert f1(SOME) == pytest.approx(2 * (2 / 3 * 0.4) / (2 / 3 + 0.4))


def test_what_is_true_beside_the_facts_is_no_hallucination_and_costs_no_precision() -> None:
    assert hallucination(SOME) == 0.25  # 1 of 4 statements
    plain = Reading(5, SOME.stated, (), SOME.hallucinated)
    assert precision(plain) == precision(SOME)
    assert f1(plain) == f1(SOME)


def test_an_empty_answer_has_recall_0_and_no_precision() -> None:
    assert recall(EMPTY) == 0
    assert f1(EMPTY) == 0
    assert precision(EMPTY) is None
    assert hallucination(EMPTY) is None
    only_a_remark = Reading(5, {}, ("a remark",))
    assert precision(only_a_remark) is None
    assert hallucination(only_a_remark) == 0


def test_with_nothing_to_know_there_is_no_recall() -> None:
    assert recall(Reading(0, {}, (), ("x",))) is None
    assert f1(Reading(0, {}, (), ("x",))) is None


def test_the_party_knows_what_one_of_it_knows() -> None:
    assert party_recall([SOME, Reading(5, {"F2": "", "F1": ""}), EMPTY]) == 0.6  # F1, F2, F4
    assert party_recall([]) is None


@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 4), st.integers(0, 3))
def test_all_metrics_lie_between_0_and_1(stated: int, true: int, false: int, more: int) -> None:
    facts = {f"F{index}": "" for index in range(stated)}
    reading = Reading(stated + more, facts, ("x",) * true, ("x",) * false)
    for metric in (precision, recall, f1, hallucination):
        value = metric(reading)
        assert value is None or 0 <= value <= 1
