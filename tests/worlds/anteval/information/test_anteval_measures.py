"""The measures of information exchange, worked by hand."""

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

# Five facts, four statements: two paired, one says a paired fact again, one is made up.
FOUR = Reading(4, ((0, "F1"), (2, "F4")), frozenset({0, 1, 2}), 5)
EMPTY = Reading(0, (), frozenset(), 5)


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
    column = Column("rules", JudgeId("rules", "rules"), IEP, False, True, outcomes)
    assert entries([said_of(plays, column)])[0].value == pytest.approx(0.5)


def test_precision_recall_and_f1_over_atomic_facts() -> None:
    assert precision(FOUR) == 0.5  # 2 of 4 statements
    assert recall(FOUR) == 0.4  # 2 of 5 facts
    assert f1(FOUR) == pytest.approx(4 / 9)  # 2 x 2 / (4 + 5)


def test_a_second_statement_of_a_fact_is_no_hallucination() -> None:
    assert hallucination(FOUR) == 0.25


def test_an_empty_answer_has_recall_0_and_no_precision() -> None:
    assert recall(EMPTY) == 0
    assert f1(EMPTY) == 0
    assert precision(EMPTY) is None
    assert hallucination(EMPTY) is None


def test_with_nothing_to_know_there_is_no_recall() -> None:
    assert recall(Reading(1, (), frozenset(), 0)) is None


def test_the_party_knows_what_one_of_it_knows() -> None:
    other = Reading(1, ((0, "F2"),), frozenset({0}), 5)
    assert party_recall([FOUR, other, EMPTY]) == 0.6  # F1, F2, F4
    assert party_recall([]) is None


def test_a_reading_pairs_each_statement_and_each_fact_once() -> None:
    with pytest.raises(ValueError, match="each statement and each fact once"):
        Reading(2, ((0, "F1"), (1, "F1")), frozenset({0, 1}), 2)
    with pytest.raises(ValueError, match="each statement and each fact once"):
        Reading(2, ((0, "F1"), (0, "F2")), frozenset({0}), 2)


@given(st.integers(0, 6), st.integers(1, 6), st.data())
def test_all_measures_lie_between_0_and_1(statements: int, known: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, min(statements, known)))
    pairs = tuple((index, f"F{index}") for index in range(count))
    more = data.draw(st.sets(st.integers(0, max(0, statements - 1)), max_size=statements))
    supported = frozenset({index for index, _ in pairs} | (more if statements else set()))
    reading = Reading(statements, pairs, supported, known)
    for measure in (precision, recall, f1, hallucination):
        value = measure(reading)
        assert value is None or 0 <= value <= 1
