"""Credit added up, set against scores, and told: beside a transcript and as findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from casts import seated
from sociolab.analysis import RunValues, Value
from sociolab.analysis.credit import (
    PlayCredit,
    check_findings,
    credit_section,
    merge_records,
    play_credits,
    restrict_record,
    with_credit,
)
from sociolab.core import JudgeId, Line, Note, Task, Transcript, Trial
from sociolab.judging import Cell, Credit, CreditRecord
from sociolab.judging.credit import CreditMeasure, NoCredit
from sociolab.report.exam import ExamNotes
from sociolab.report.terminal import printed

TRIAL = Trial(
    "t1",
    "sotopia",
    Task("task", ("ann", "bob"), "market", ""),
    (seated("ann", "x"), seated("bob", "y")),
    0,
    0,
)


def cell(seat: str, measure: CreditMeasure = "goal") -> Cell:
    return Cell(seat=seat, measure=measure)


def credit(of: Cell, turn: int, by: str, amount: int) -> Credit:
    return Credit(cell=of, turn=turn, by=by, quote=f"words {turn}", amount=amount, reason="why")


def record(
    *credits: Credit,
    asked: Sequence[Cell] = (),
    failed: Sequence[Cell] = (),
    judge: str = "m/j",
    settings: str = "1",
) -> CreditRecord:
    return CreditRecord(
        judge=judge,
        settings=settings,
        names={"ann": "Ann", "bob": "Bob"},
        asked=tuple(asked) or tuple(dict.fromkeys(one.cell for one in credits)),
        credits=credits,
        failures=tuple(NoCredit(cell=one, cause="unreadable", problem="no list") for one in failed),
        attempts=1,
    )


ANN, BOB, BOBS_SECRET = cell("ann"), cell("bob"), cell("bob", "secret")
READ = record(
    credit(ANN, 4, "bob", 3),
    credit(ANN, 0, "ann", 1),
    credit(ANN, 2, "ann", -2),
    credit(BOBS_SECRET, 3, "bob", -1),
    asked=(ANN, cell("ann", "secret"), BOB, BOBS_SECRET),
    failed=(BOB,),
)


def test_the_sum_of_a_play_is_over_all_turns_that_moved_it() -> None:
    ann, her_secret, bob, his_secret = play_credits(TRIAL, READ)
    assert (ann.agent, ann.name, ann.total) == ("x", "Ann", 2)
    assert [turn.turn for turn in ann.turns] == [0, 2, 4]
    assert [turn.turn for turn in ann.by_others] == [4]
    assert (her_secret.total, her_secret.turns) == (0, ())
    assert (his_secret.total, his_secret.agent) == (-1, "y")
    assert bob.total is None, "a failure is no zero"
    assert bob.failure is not None


def test_what_a_judge_said_last_of_a_cell_counts() -> None:
    first = record(credit(ANN, 0, "ann", 1), asked=(ANN, BOB), failed=(BOB,))
    again = record(credit(BOB, 1, "bob", 2), asked=(BOB,), settings="2")
    other = record(credit(ANN, 0, "ann", -3), judge="m/k")
    mine, theirs = merge_records([first, other, again])
    assert [(one.cell, one.amount) for one in mine.credits] == [(ANN, 1), (BOB, 2)]
    assert (mine.failures, set(mine.asked)) == ((), {ANN, BOB})
    assert [one.amount for one in theirs.credits] == [-3]
    (anew,) = merge_records([first, record(credit(ANN, 2, "ann", -1), settings="2")])
    assert [(one.turn, one.amount) for one in anew.credits] == [(2, -1)]


def test_a_record_is_cut_to_the_cells_that_are_wanted() -> None:
    cut = restrict_record(READ, (ANN,))
    assert (cut.asked, cut.failures, len(cut.credits)) == ((ANN,), (), 3)


# ------------------------------------------------------------------ against scores


def plays(totals: Sequence[int | None]) -> list[PlayCredit]:
    return [
        PlayCredit(f"t{i}", "task", f"c{i % 5}", "ann", "Ann", "x", "goal", total)
        for i, total in enumerate(totals)
    ]


def checked_by(some: Sequence[PlayCredit], given: RunValues) -> list[Any]:
    return [*check_findings(some, given)]


def scores(values: Sequence[float | None], measure: str = "goal") -> RunValues:
    found = tuple(
        Value(
            "r", "sotopia", f"t{i}", "task", f"c{i % 5}", None, 0, "ann", "x", "y", "j", measure, v
        )
        for i, v in enumerate(values)
    )
    return RunValues("r", "sotopia", found, {"j": JudgeId("j", "model")}, {})


SUMS = [-1, -1, -1, -1, -1, 1, 1, 1, 1, 1]
GOALS = [2.0, 2, 2, 2, 8, 8, 8, 8, 8, 2]


def test_the_correlation_with_the_scores_is_worked_by_hand() -> None:
    # Sums have mean 0, scores 5; cross products add up to 18, squares to 10 and 90.
    (check,) = checked_by(plays(SUMS), scores(GOALS))
    assert check.estimate.value == pytest.approx(18 / math.sqrt(10 * 90))
    assert (check.about, check.estimate.n, check.more["enough"]) == ({"judge": "j"}, 10, True)


def test_plays_without_credit_or_without_a_score_are_missing() -> None:
    (check,) = checked_by(plays([*SUMS, None, 3]), scores([*GOALS, 7, None]))
    assert (check.estimate.n, check.estimate.missing) == (10, 2)
    assert check.estimate.value == pytest.approx(0.6)


def test_nothing_is_concluded_from_fewer_than_ten_plays() -> None:
    few = plays(SUMS[:9])
    checked = checked_by(few, scores(GOALS[:9]))
    assert not checked[0].more["enough"]
    text = told(few, checked)
    assert "cannot be concluded from 9 seats" in text
    assert "too few episodes" in text


def test_scores_of_another_measure_are_no_check() -> None:
    assert check_findings(plays(SUMS), scores(GOALS, "knowledge")) == ()
    assert "could not be checked" in told(plays(SUMS), ())


# ------------------------------------------------------------------ in words


def told(some: Sequence[PlayCredit], checked: Sequence[Any]) -> str:
    from rich.console import Console

    section = credit_section("r", "m/j", some, checked, "scenario", ExamNotes())
    console = Console(width=200)
    with console.capture() as caught:
        console.print(printed([section]))
    return caught.get()


def test_the_findings_say_how_many_turns_and_whose() -> None:
    text = told(play_credits(TRIAL, READ), ())
    assert "3 turns moved a goal, over 1 seat in 1 episode: 2 nearer, 1 further away" in text
    assert "1 of them by somebody else" in text
    assert "1 of 2 seats had their secret given away" in text
    assert "1 of 4 lists of turns are missing (unreadable 1)" in text
    assert "1 +1, 3 \N{MINUS SIGN}2, 5* +3" in text


def test_credit_stands_beside_its_turn_and_the_sums_at_the_end() -> None:
    lines = tuple(Line(i, "Ann", False, (), f"Ann: words {i}") for i in range(5))
    before = Transcript("t", (), lines, (Note(0, "asked aside"),))
    notes = with_credit(before, (READ,)).notes
    assert notes[0] == before.notes[0]
    assert notes[1] == Note(4, 'goal of Ann +3: "words 4" (why) [m/j]', seat=READ.credits[0].by)
    assert notes[4] == Note(
        3, 'secret of Bob given away: "words 3" (why) [m/j]', seat=READ.credits[3].by
    )
    assert notes[5].turn is None
    assert notes[5].text == (
        "Credit by m/j: goal of Ann +2 in 3 turns; secret of Ann kept; goal of Bob missing "
        "(unreadable); secret of Bob given away in 1 turn"
    )
    assert with_credit(before, ()) == before
