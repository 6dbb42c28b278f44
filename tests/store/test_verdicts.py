"""Verdicts of several judges, on episodes, cells and runs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sociolab.core import (
    UNNAMED_MEASURE,
    Json,
    JudgeId,
    Measure,
    Score,
    ScoreFailure,
    StoreError,
    Unscored,
    Verdict,
)
from sociolab.store import JudgingRow, Store

from . import samples

SEVEN = Score(samples.MEASURE, "ann", 7, "She was herself.")
EIGHT = Score(samples.MEASURE, "ann", 8, "She was very much herself.")
FAILED = ScoreFailure(samples.MEASURE, "ann", "incomplete", "no number for ann", "{}", 3)
UNSURE = Unscored(samples.MEASURE, "bob", "no rule applies")
WHOLE = Score(Measure("overall", 0, 10), None, 6.5)


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(3))
    return store


def said(store: Store) -> list[Verdict]:
    return [row.verdict for row in store.verdicts.scores("r")]


_names = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(samples.verdicts, max_size=6, unique_by=lambda v: (v.measure, v.seat)),
    samples.judges,
    st.none() | samples.json_values,
)
def test_every_kind_of_verdict_comes_back_as_it_was(
    store: Store, verdicts: list[Verdict], judge: JudgeId, cell: Json
) -> None:
    run = f"r{next(_names)}"
    store.create_run(run, "world", {}, samples.plan(1))
    store.verdicts.add(run, judge, verdicts, cell=cell, judging=2)
    (row,) = store.verdicts.judgings(run)
    assert row == JudgingRow(None, cell, judge, 2, tuple(verdicts))


def test_a_score_keeps_the_outcome_that_it_came_with(played: Store) -> None:
    outcome = {"agreed": True, "terms": {"ann": {"hats": 2}, "bob": {"hats": 0}}}
    judge = JudgeId("rules", "rules")
    played.verdicts.add("r", judge, [FAILED], trial="t1")
    played.verdicts.add("r", judge, [replace(SEVEN, outcome=outcome), UNSURE], trial="t1")
    (row,) = played.verdicts.judgings("r")
    assert [getattr(verdict, "outcome", None) for verdict in row.verdicts] == [outcome, None]
    (again, _) = played.verdicts.scores("r", texts=False)
    assert (again.value, again.outcome) == (7, None)
    played.verdicts.delete("r", judge, trial="t1")
    assert played.connection.execute("SELECT count(*) FROM outcomes").fetchone() == (0,)


def test_scores_from_before_outcomes_were_recorded_get_theirs_once(played: Store) -> None:
    checked = Measure("goal_checked", 0, 10)
    none, some = (
        Score(checked, seat, 5, text)
        for seat, text in (("ann", "no agreement: 0"), ("bob", "10 x own points / all points"))
    )
    known = Score(checked, "cy", 5, "no agreement: 0", outcome={"agreed": True})
    played.verdicts.add("r", samples.JUDGE, [none, some, known, SEVEN], trial="t1")
    for _ in range(2):
        played.verdicts.derive_outcomes("r")
    (row,) = played.verdicts.judgings("r")
    assert [getattr(verdict, "outcome", None) for verdict in row.verdicts] == [
        {"agreed": False}, {"agreed": True}, {"agreed": True}, None,
    ]  # fmt: skip


def test_a_verdict_is_on_an_episode_a_cell_or_the_run(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t2")
    played.verdicts.add("r", samples.JUDGE, [EIGHT], cell={"agent": "x", "by": [1]})
    played.verdicts.add("r", samples.JUDGE, [WHOLE])
    assert [(*row[:4], row.verdict) for row in played.verdicts.scores("r")] == [
        (None, None, samples.JUDGE, 0, WHOLE),
        (None, {"agent": "x", "by": [1]}, samples.JUDGE, 0, EIGHT),
        ("t2", None, samples.JUDGE, 0, SEVEN),
    ]


def test_a_verdict_on_a_trial_and_a_cell_at_once_is_refused(played: Store) -> None:
    with pytest.raises(StoreError, match="an episode, a cell or the run; found both"):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1", cell={"agent": "x"})


def test_verdicts_come_in_plan_order_whatever_order_they_were_made_in(played: Store) -> None:
    for trial in ("t1", "t3", "t2"):
        for judge in (samples.JUDGE, samples.OTHER_JUDGE):
            for judging in (1, 0):
                played.verdicts.add("r", judge, [SEVEN], trial=trial, judging=judging)
    rows = [(row.trial, row.judge.name, row.judging) for row in played.verdicts.scores("r")]
    assert rows == [
        (trial, judge, judging)
        for trial in ("t3", "t2", "t1")
        for judge in ("openai/judge", "checks")
        for judging in (0, 1)
    ]


def test_judges_stand_as_the_run_was_set_up_then_as_they_came(path: Path) -> None:
    z, y, b, a = (JudgeId(f"openai/{name}", "model", "s") for name in "zyba")
    settings: Json = {"judges": [z.as_row(), y.as_row()]}
    with Store.open(path) as store:
        store.create_run("r", "world", settings, samples.plan(1))
        for judge in (y, z):  # the second was faster
            store.verdicts.add("r", judge, [SEVEN], trial="t1")
        store.verdicts.enter("r", [b, a])
        assert store.verdicts.judges("r") == (z, y), "who has not judged is no judge of the run"
        for judge in (a, b):
            store.verdicts.add("r", judge, [SEVEN], trial="t1")
        assert store.verdicts.judges("r") == (*store.verdicts.counts("r"),) == (z, y, b, a)
        assert [row.judge for row in store.verdicts.judgings("r")] == [z, y, b, a]
        assert [judge for judge, _ in store.verdicts.measures("r")] == [z, y, b, a]


def test_several_judges_stand_side_by_side(played: Store) -> None:
    changed = replace(samples.JUDGE, settings="other prompt")
    for judge, score in ((samples.JUDGE, SEVEN), (changed, EIGHT), (samples.OTHER_JUDGE, UNSURE)):
        played.verdicts.add("r", judge, [score], trial="t1")
    assert [row.verdict for row in played.verdicts.scores("r", changed)] == [EIGHT]
    assert played.verdicts.judges("r") == (samples.JUDGE, changed, samples.OTHER_JUDGE)
    assert len(said(played)) == 3


def test_judging_again_replaces_failures_and_keeps_scores(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [FAILED, UNSURE], trial="t1")
    again = Score(samples.MEASURE, "bob", 1)
    played.verdicts.add("r", samples.JUDGE, [SEVEN, again, WHOLE], trial="t1")
    assert said(played) == [SEVEN, UNSURE, WHOLE]
    played.verdicts.add("r", samples.JUDGE, [EIGHT], trial="t1")
    assert said(played) == [SEVEN, UNSURE, WHOLE]


def test_that_a_judge_broke_before_it_named_a_measure_goes_when_it_names_one(
    played: Store,
) -> None:
    broke = replace(FAILED, measure=UNNAMED_MEASURE, seat=None)
    played.verdicts.add("r", samples.JUDGE, [broke], trial="t1")
    played.verdicts.add("r", samples.JUDGE, [], trial="t1")
    assert said(played) == [broke], "to say nothing replaces nothing"
    played.verdicts.add("r", samples.JUDGE, [SEVEN, WHOLE], trial="t1")
    assert said(played) == [SEVEN, WHOLE]
    played.verdicts.add("r", samples.JUDGE, [broke], trial="t1")
    assert said(played) == [SEVEN, WHOLE, broke], "what stands is kept"
    played.verdicts.add("r", samples.JUDGE, [UNSURE], trial="t1")
    assert said(played) == [SEVEN, WHOLE, UNSURE]


def test_failures_of_two_seats_stand_side_by_side(played: Store) -> None:
    others = replace(FAILED, seat="bob")
    played.verdicts.add("r", samples.JUDGE, [FAILED], trial="t1")
    played.verdicts.add("r", samples.JUDGE, [others], trial="t1")
    assert said(played) == [FAILED, others]


def test_a_failure_may_follow_a_failure(played: Store) -> None:
    later = replace(FAILED, problem="still no number")
    played.verdicts.add("r", samples.JUDGE, [FAILED], trial="t1")
    played.verdicts.add("r", samples.JUDGE, [later], trial="t1")
    assert said(played) == [later]


def test_a_repeated_judging_adds_verdicts(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1")
    played.verdicts.add("r", samples.JUDGE, [EIGHT], trial="t1", judging=1)
    assert said(played) == [SEVEN, EIGHT]


def test_judged_means_that_there_is_nothing_to_do_again(played: Store) -> None:
    assert not played.verdicts.judged("r", samples.JUDGE, trial="t1")
    assert played.verdicts.judges("r") == ()
    played.verdicts.add("r", samples.JUDGE, [FAILED, UNSURE], trial="t1")
    assert not played.verdicts.judged("r", samples.JUDGE, trial="t1")
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1")
    assert played.verdicts.judged("r", samples.JUDGE, trial="t1")
    assert not played.verdicts.judged("r", samples.JUDGE, trial="t2")
    assert not played.verdicts.judged("r", samples.JUDGE, trial="t1", judging=1)
    assert not played.verdicts.judged("r", samples.OTHER_JUDGE, trial="t1")
    assert not played.verdicts.judged("r", samples.JUDGE, cell={"agent": "x"})
    assert not played.verdicts.judged("r", samples.JUDGE)


def test_a_cell_is_the_same_whatever_the_order_of_its_keys(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [WHOLE], cell={"a": 1, "b": 2})
    assert played.verdicts.judged("r", samples.JUDGE, cell={"b": 2, "a": 1})


def test_a_judge_that_had_nothing_to_say_has_judged(played: Store) -> None:
    played.verdicts.add("r", samples.JUDGE, [], trial="t1")
    assert played.verdicts.judged("r", samples.JUDGE, trial="t1")
    assert list(played.verdicts.judgings("r")) == [JudgingRow("t1", None, samples.JUDGE, 0, ())]


def test_deleted_verdicts_are_gone_and_others_stay(played: Store) -> None:
    for trial in ("t1", "t2"):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial=trial)
    played.verdicts.delete("r", samples.JUDGE, trial="t1")
    played.verdicts.delete("r", samples.JUDGE, trial="t3")
    assert [row.trial for row in played.verdicts.scores("r")] == ["t2"]
    assert not played.verdicts.judged("r", samples.JUDGE, trial="t1")
    assert played.row("SELECT count(*) FROM verdicts") == (1,)


def test_a_judging_is_stored_whole_or_not_at_all(played: Store, path: Path) -> None:
    def verdicts() -> list[Verdict]:
        return [SEVEN, UNSURE, WHOLE]

    def broken() -> object:
        yield SEVEN
        with Store.open(path, create=False) as reader:
            assert list(reader.verdicts.judgings("r")) == []
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played.verdicts.add("r", samples.JUDGE, broken(), trial="t1")  # type: ignore[arg-type]
    assert list(played.verdicts.judgings("r")) == []
    played.verdicts.add("r", samples.JUDGE, verdicts(), trial="t1")
    assert said(played) == verdicts()


def test_one_may_write_while_reading_verdicts(played: Store) -> None:
    for trial in ("t1", "t2"):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial=trial)
    for row in played.verdicts.scores("r"):
        played.verdicts.add("r", samples.OTHER_JUDGE, [EIGHT], trial=row.trial)
    assert len(said(played)) == 4


def test_a_number_that_is_too_large_is_a_sentence_and_leaves_nothing(played: Store) -> None:
    with pytest.raises(StoreError, match=r"whole numbers below 2\^63"):
        played.verdicts.add("r", samples.JUDGE, [SEVEN, replace(FAILED, attempts=2**63)])
    assert list(played.verdicts.judgings("r")) == []


def test_an_unknown_trial_is_refused(played: Store) -> None:
    with pytest.raises(StoreError, match='run "r" has no trial "t9"'):
        played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t9")


def test_a_judging_that_finds_the_disk_full_says_so_and_leaves_nothing(played: Store) -> None:
    pages = played.row("PRAGMA page_count")[0]
    played.execute(f"PRAGMA max_page_count = {pages}")
    long = replace(SEVEN, reason="word " * 200_000)
    with pytest.raises(StoreError, match="full"):
        played.verdicts.add("r", samples.JUDGE, [long], trial="t1")
    played.execute("PRAGMA max_page_count = 1000000")
    assert said(played) == []
    played.verdicts.add("r", samples.JUDGE, [SEVEN], trial="t1")
    assert said(played) == [SEVEN]
