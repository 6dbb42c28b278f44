"""Verdicts as rows, and what is counted of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sociolab.core import (
    JudgeId,
    Measure,
    RatedBy,
    Score,
    ScoreFailure,
    StoreError,
    Unscored,
    Verdict,
)
from sociolab.store import JudgingCounts, Store

from . import samples

SEVEN = Score(samples.MEASURE, "ann", 7, "She was herself.")
FAILED = ScoreFailure(samples.MEASURE, "bob", "incomplete", "no number", "{}", 3)
UNSURE = Unscored(samples.MEASURE, None, "no rule applies")
DISPUTED = Unscored(samples.MEASURE, "ann", "they differ", "disputed", 1, 7.5)
WHOLE = Score(Measure("overall", 0, 10), None, 6.5)


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(3))
    return store


def test_scores_are_what_the_judgings_say_row_by_row(played: Store) -> None:
    rated = RatedBy("anna", 42.5, "2026-03-01T14:05:00Z")
    played.verdicts.add("r", samples.JUDGE, [SEVEN, FAILED, UNSURE], trial="t2")
    played.verdicts.add("r", samples.JUDGE, [WHOLE], trial="t1", judging=1)
    played.verdicts.add("r", samples.JUDGE, [WHOLE], cell={"agent": "x"})
    played.verdicts.add("r", samples.JUDGE, [], trial="t3")
    played.verdicts.add("r", samples.OTHER_JUDGE, [DISPUTED], trial="t1")
    people = JudgeId("people", "people")
    said: list[Verdict] = [
        replace(SEVEN, rated_by=rated),
        replace(DISPUTED, seat="bob", rated_by=rated),
    ]
    played.verdicts.add("r", people, said, trial="t1")
    whole = [
        (row.trial, row.cell, row.judge, row.judging, verdict)
        for row in played.verdicts.judgings("r")
        for verdict in row.verdicts
    ]
    rows = list(played.verdicts.scores("r"))
    assert [(*row[:4], row.verdict) for row in rows] == whole
    assert [row.rated_by for row in rows if row.judge == people] == [rated, rated]
    bare = [row._replace(text="", raw="") for row in rows]
    assert list(played.verdicts.scores("r", texts=False)) == bare
    assert [row.bounds for row in rows if row.unscored] == [(0, 10), (1, 7.5), (1, 7.5)]


def test_scores_of_one_judge_one_measure_and_one_kind(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN, FAILED, WHOLE], trial="t1")
    played.verdicts.add("r", samples.OTHER_JUDGE, [UNSURE, WHOLE], trial="t1")
    read = played.verdicts.scores
    assert [row.verdict for row in read("r", samples.OTHER_JUDGE)] == [UNSURE, WHOLE]
    assert [row.verdict for row in read("r", measure="overall")] == [WHOLE, WHOLE]
    assert [row.verdict for row in read("r", kind="failure")] == [FAILED]
    assert [row.verdict for row in read("r", samples.JUDGE, kind="score")] == [SEVEN, WHOLE]
    assert list(read("r", measure="nothing")) == []
    assert list(read("r", JudgeId("nobody", "people"))) == []


def test_a_seat_that_utf8_cannot_say_comes_back(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [Score(samples.MEASURE, "\ud800", 7)], trial="t1")
    (row,) = played.verdicts.scores("r")
    assert row.seat == "\ud800"


def test_a_verdict_of_an_unknown_kind_is_told(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1")
    played.write("UPDATE verdicts SET kind = 'guess'")
    with pytest.raises(StoreError, match="unknown kind: guess"):
        list(played.verdicts.scores("r"))


def test_judgings_are_counted_by_judge(played: Store) -> None:
    for trial, judging in (("t1", 0), ("t1", 1), ("t2", 0)):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial=trial, judging=judging)
    played.verdicts.add("r", samples.JUDGE, [WHOLE], cell="all")
    assert played.verdicts.counts("r") == {samples.JUDGE: JudgingCounts(3, 2)}


def test_the_judgings_of_one_trial_alone(played: Store) -> None:
    for trial in ("t1", "t2"):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial=trial)
    played.verdicts.add("r", samples.JUDGE, [WHOLE])
    (row,) = played.verdicts.judgings("r", trial="t2")
    assert (row.trial, row.verdicts) == ("t2", (SEVEN,))
    with pytest.raises(StoreError, match='no trial "t9"'):
        list(played.verdicts.judgings("r", trial="t9"))


def test_ids_of_trials_by_status(played: Store) -> None:
    ids = tuple(row.trial.id for row in played.trials("r"))
    assert played.trial_ids("r") == ids
    played.set_status("r", ids[1], "played")
    assert played.trial_ids("r", "played") == (ids[1],)


def test_causes_are_counted_of_trials_that_failed(played: Store) -> None:
    assert played.failed_causes("r") == {}
    played.set_status("r", "t1", "failed", "timeout", "late")
    played.set_status("r", "t3", "failed", "timeout", "late")
    played.set_status("r", "t2", "failed", "gave up")
    assert played.failed_causes("r") == {"timeout": 2, "gave up": 1}
