"""A world that asks questions: what failed is named so, and what was gone without is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from casts import seated
from declared_worlds import declared
from sociolab import RunResult, result_of
from sociolab.core import Answered, Ended, Episode, Event, Moved, Task, Trial, Unusable
from sociolab.report import warnings
from sociolab.report.run_facts import account
from sociolab.store import Store

from .observed_episodes import observed
from .small_run import RUN

ANN, BOB = "ann", "bob"
TASK = Task("kite", (ANN, BOB), "kite", "{}")


def failed(seat: str, name: str, turn: int = 0, *, final: bool = True) -> Unusable:
    return Unusable(turn, seat, name, 3, "unreadable", "found nothing", "", final=final)


def said(turn: int, seat: str) -> Answered:
    return Answered(turn, seat, "utter", {"text": "Hello.", "ends": False})


NO_PLAN, NO_REMINDER = failed(ANN, "general_plan"), failed(ANN, "talk_reminder")
TALK = (said(0, ANN), said(1, BOB))
OVER = Ended("turn limit", 1)
EPISODES: tuple[tuple[Event, ...], ...] = (
    (NO_PLAN, NO_REMINDER, *TALK, OVER),
    (failed(ANN, "talk_reminder", final=False), NO_REMINDER, *TALK, OVER),
    (failed(ANN, "talk_reminder", final=False), *TALK, failed(BOB, "summarise", 2), OVER),
    (TALK[0], failed(BOB, "utter", 1), Ended("silence", 1, BOB)),
    (NO_REMINDER, failed(ANN, "utter"), Ended("silence", 0, ANN)),
)


@pytest.fixture
def talks(tmp_path: Path) -> RunResult:
    """Five talks and a failed trial in which a reminder failed, too."""
    cast = (seated(ANN, "scripted"), seated(BOB, "scripted"))
    trials = tuple(Trial(f"t{n}", "stss-talk", TASK, cast, n, 0) for n in range(6))
    with Store.open(tmp_path / "store.db") as store:
        store.create_run(RUN, "stss-talk", {}, trials, declared("stss-talk", trials))
        for trial, events in zip(trials, EPISODES, strict=False):
            for event in events:
                store.append(RUN, trial.id, event)
            store.set_status(RUN, trial.id, "played")
        store.append(RUN, "t5", NO_REMINDER)
        store.set_status(RUN, "t5", "failed", "plugin", "broken")
        return result_of(store, RUN)


def test_questions_that_failed_are_not_called_turns(talks: RunResult) -> None:
    assert talks.failures.turns == {}
    assert talks.failures.questions == {"unreadable": 8}
    assert talks.failures.replies_asked_again == 2
    said = warnings(talks)
    assert "8 questions without a usable answer: unreadable 8" in said
    # 2 of 4, 1 of 3, 1 of 3, 1 of 2, 2 of 2, and 1 of 1 in the failed trial.
    assert "scripted failed 8 of 15 questions (53 %)" in said
    assert "turn" not in " ".join(said)
    facts = dict(account(talks))
    assert facts["Unanswered questions"] == "unreadable 8"
    assert "Invalid turns" not in facts


def test_talks_that_were_held_without_a_reminder_are_counted(talks: RunResult) -> None:
    assert talks.failures.went_without == {"talk_reminder": 2, "general_plan": 1}
    assert (
        "of 5 episodes, played on: 2 without TDP's checklist for conversations, "
        "1 without TDP's general plan"
    ) in warnings(talks)
    assert dict(account(talks))["Continued without"] == "talk_reminder 2, general_plan 1"


def test_a_run_in_which_every_question_was_answered_says_nothing_of_it(result: RunResult) -> None:
    assert (result.failures.questions, result.failures.went_without) == ({}, {})
    assert not {"Unanswered questions", "Continued without"} & dict(account(result)).keys()
    assert not any("played on" in one for one in warnings(result))


def test_beside_turns_a_question_that_failed_is_none_of_them() -> None:
    trial = Trial("t", "sotopia", TASK, (), 0, 0)
    events = (Moved(0, ANN, ()), failed(ANN, "act", 1), failed(BOB, "poll"), OVER)
    seen = observed(Episode(trial, events))
    assert seen.failed_turns == {"unreadable": 1}
    assert seen.failed_questions == {"unreadable": 1}
    assert not seen.went_without
