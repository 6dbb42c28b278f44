"""What verdicts come to, without their words."""

from __future__ import annotations

from pathlib import Path

import pytest

from report.small_run import HEURISTIC, RUN, build
from sociolab.core.errors import StoreError
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.store.store import Store
from sociolab.store.verdicts import JudgingCounts, Reasoned

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


def kind(verdict: Verdict) -> str:
    return {Score: "score", ScoreFailure: "failure"}.get(type(verdict), "unscored")


def test_outcomes_are_the_judgings_without_their_words(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN, FAILED, UNSURE], trial="t2")
    played.verdicts.add("r", samples.JUDGE, [WHOLE], trial="t1", judging=1)
    played.verdicts.add("r", samples.JUDGE, [WHOLE], cell={"agent": "x"})
    played.verdicts.add("r", samples.JUDGE, [], trial="t3")
    played.verdicts.add("r", samples.OTHER_JUDGE, [DISPUTED], trial="t1")
    for short, whole in zip(
        played.verdicts.outcomes("r"), played.verdicts.judgings("r"), strict=True
    ):
        assert short[:4] == (whole.trial, whole.cell, whole.judge, whole.judging)
        assert [(o.measure, o.seat, o.kind) for o in short.outcomes] == [
            (v.measure, v.seat, kind(v)) for v in whole.verdicts
        ]
        assert [(o.value, o.cause) for o in short.outcomes] == [
            (getattr(v, "value", None), getattr(v, "cause", None)) for v in whole.verdicts
        ]
        assert [(o.unscored, o.low, o.high) for o in short.outcomes] == [
            (v.kind, v.low, v.high) if isinstance(v, Unscored) else (None, None, None)
            for v in whole.verdicts
        ]


def test_a_seat_that_utf8_cannot_say_comes_back(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [Score(samples.MEASURE, "\ud800", 7)], trial="t1")
    (row,) = played.verdicts.outcomes("r")
    assert row.outcomes[0].seat == "\ud800"


def test_a_verdict_of_an_unknown_kind_is_told(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1")
    played.write("UPDATE verdicts SET kind = 'guess'")
    with pytest.raises(StoreError, match="unknown kind: guess"):
        list(played.verdicts.outcomes("r"))


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


def test_failed_judgings_are_those_of_played_episodes_that_lack_a_score(played: Store) -> None:
    for trial in ("t1", "t2"):
        played.set_status("r", trial, "played")
    refused = ScoreFailure(samples.MEASURE, "ann", "refused", "no credit")
    played.verdicts.add("r", samples.JUDGE, [SEVEN, FAILED], trial="t1", judging=2)
    played.verdicts.add("r", samples.JUDGE, [refused, FAILED], trial="t2")
    played.verdicts.add("r", samples.OTHER_JUDGE, [SEVEN, UNSURE], trial="t2")
    played.verdicts.add("r", samples.JUDGE, [FAILED], trial="t3")  # not played
    played.verdicts.add("r", samples.JUDGE, [FAILED], cell={"agent": "x"})
    assert played.verdicts.failed_judgings("r") == (
        ("t2", samples.JUDGE, 0, "refused", "no credit", True),
        ("t1", samples.JUDGE, 2, "incomplete", "no number", False),
    )


def test_causes_are_counted_of_trials_that_failed(played: Store) -> None:
    assert played.failed_causes("r") == {}
    played.set_status("r", "t1", "failed", "timeout", "late")
    played.set_status("r", "t3", "failed", "timeout", "late")
    played.set_status("r", "t2", "failed", "gave up")
    assert played.failed_causes("r") == {"timeout": 2, "gave up": 1}


def test_it_says_what_the_judgings_say_without_failures(tmp_path: Path) -> None:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store:
        found = store.verdicts.reasons(RUN, HEURISTIC)
        wanted = tuple(
            Reasoned(str(row.trial), row.judging, v.measure.name, v.seat or "", *said)
            for row in store.verdicts.judgings(RUN, HEURISTIC)
            for v in row.verdicts
            if not isinstance(v, ScoreFailure)
            for said in [
                (v.value, v.reason, None) if isinstance(v, Score) else (v.kind, v.why, None)
            ]
        )
        assert found == wanted
        assert sum(isinstance(one.value, float) for one in found) == 43
        assert store.verdicts.reasons(RUN, JudgeId("nobody", "people", "x")) == ()
