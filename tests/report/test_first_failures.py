"""The first failure of each kind and cause is shown in words, with a count and an episode."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from casts import seated
from declared_worlds import declared
from sociolab import RunResult, result_of
from sociolab.core import (
    Cause,
    Ended,
    Episode,
    Event,
    JudgeId,
    Measure,
    Moved,
    ScoreFailure,
    Task,
    Trial,
    Unusable,
)
from sociolab.report import ShownRun, full_report, render_page, warnings
from sociolab.report.result import short
from sociolab.report.run_facts import first_pairs
from sociolab.store import Store

from .observed_episodes import observed

RUN = "r"
TASK = Task("task", ("ann", "bob"), "c", "{}")
GOAL, CARE = Measure("goal", 0, 10), Measure("care", 0, 10)
ONE, TWO = JudgeId("one", "rules", "1"), JudgeId("two", "rules", "1")


def lost(seat: str, turn: int, cause: Cause, problem: str, name: str = "act") -> Unusable:
    return Unusable(turn, seat, name, 3, cause, problem, "raw", True)


EPISODES: tuple[tuple[Event, ...], ...] = (
    (Moved(0, "ann", ()), lost("bob", 1, "timeout", "no reply within 9 s"), Ended("turn limit", 1)),
    (lost("ann", 0, "timeout", "later"), lost("bob", 1, "unreadable", "no\n  JSON \x1b[2J"),
     Ended("turn limit", 1)),
    (Moved(0, "ann", ()), lost("bob", 1, "gave up", "no answers", "mood"), Ended("turn limit", 1)),
)  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    cast = (seated("ann", "a"), seated("bob", "b"))
    trials = tuple(Trial(f"t{n}", "sotopia", TASK, cast, n, 0) for n in range(5))
    opened = Store.open(tmp_path / "s.db")
    opened.create_run(RUN, "sotopia", {}, trials, declared("sotopia", trials))
    for trial, events in zip(trials, EPISODES, strict=False):
        for event in events:
            opened.append(RUN, trial.id, event)
        opened.set_status(RUN, trial.id, "played")
    opened.set_status(RUN, "t3", "failed", "plugin", "a as ann, turn 1: KeyError: 'x' (own.py:3)")
    opened.set_status(RUN, "t4", "failed", "plugin", "another")
    for where in ("t2", "t0", "t1"):  # not in the order of the plan
        failed = [ScoreFailure(GOAL, seat, "plugin", f"broke on {where}") for seat in TASK.seats]
        opened.verdicts.add(RUN, ONE, failed, trial=where)
    half = (ScoreFailure(GOAL, "ann", "unreadable", "no number"),)
    opened.verdicts.add(RUN, TWO, half, trial="t1")
    broken = (ScoreFailure(GOAL, "ann", "plugin", "the other broke, too"),)
    opened.verdicts.add(RUN, TWO, broken, trial="t2")
    opened.verdicts.add(RUN, TWO, (ScoreFailure(CARE, None, "timeout", "late"),))
    return opened


@pytest.fixture
def shown(store: Store) -> RunResult:
    with store:
        return result_of(store, RUN)


def test_each_kind_and_cause_is_there_once_with_its_count(shown: RunResult) -> None:
    assert [(f.kind, f.cause, f.count, f.episode, f.judge) for f in shown.failures.first] == [
        ("trials", "plugin", 2, "t3", None),
        ("turns", "timeout", 2, "t0", None),
        ("turns", "unreadable", 1, "t1", None),
        ("questions", "gave up", 1, "t2", None),
        ("scores", "plugin", 6, "t0", "one"),
        ("scores", "plugin", 1, "t2", "two"),
        ("scores", "timeout", 1, None, "two"),
        ("scores", "unreadable", 1, "t1", "two"),
    ]


def test_their_counts_add_up_to_all_that_failed(shown: RunResult) -> None:
    failures = shown.failures
    for kind in ("trials", "turns", "questions", "scores", "calls"):
        total = sum(one.count for one in failures.first if one.kind == kind)
        assert total == sum(getattr(failures, kind).values()), kind


def test_the_warnings_say_the_first_in_words_behind_the_count(shown: RunResult) -> None:
    said = warnings(shown)
    at = said.index("3 turns without a usable reply: timeout 2, unreadable 1")
    assert said[at + 1] == "timeout 2, first in episode t0: bob, turn 2: no reply within 9 s"
    assert (
        said[at + 2]
        == "unreadable 1, in episode t1: bob, turn 2: no JSON \N{REPLACEMENT CHARACTER}[2J"
    )
    assert 'gave up 1, in episode t2: bob, asked "mood": no answers' in said
    assert "plugin 6 of one, first in episode t0: broke on t0" in said
    assert "timeout 1 of two, in no particular episode: late" in said


def test_the_terminal_and_the_page_show_them(shown: RunResult) -> None:
    screen = StringIO()
    Console(file=screen, width=120).print(full_report(shown))
    for text in (screen.getvalue(), render_page([ShownRun(shown)])):
        for words in ("no reply within 9 s", "no answers", "broke on t0", "own.py:3"):
            assert words in text
    assert first_pairs(shown)["Invalid turns: timeout 2"].endswith("(first in episode t0)")


def test_a_long_problem_is_cut() -> None:
    event = lost("ann", 0, "unreadable", "word " * 500)
    trial = Trial("t", "sotopia", TASK, (), 0, 0)
    seen = observed(Episode(trial, (event, Ended("turn limit", 0))))
    ((_, problem, _),) = seen.first_turns.values()
    assert re.fullmatch(r"ann, turn 1: (word )+\w*\.\.\.", short(problem))
    assert len(short(problem)) <= 403


def test_a_run_without_failures_has_none(store: Store) -> None:
    with store:
        store.create_run("clean", "sotopia", {}, (), declared("sotopia"))
        assert result_of(store, "clean").failures.first == ()
