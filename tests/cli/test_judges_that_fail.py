"""A judging that failed is a failure that the exit code tells, and a sentence with its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Done, Sociolab

HANGS = """
import asyncio
from sociolab.core.score import JudgeId, Measure, Score


class Hangs:
    id = JudgeId("slow", "rules")

    async def judge(self, episode, judging=0):
        await asyncio.Event().wait()
"""
MENDED = HANGS.replace(
    "await asyncio.Event().wait()", "return (Score(Measure('warmth', 0, 9), None, 5),)"
)
UNUSABLE = """
from sociolab.core.score import JudgeId, Measure, Score, ScoreFailure

WARMTH = Measure("warmth", 0, 9)


class Picky:
    id = JudgeId("picky", "rules")

    async def judge(self, episode, judging=0):
        {first}
        return (ScoreFailure(WARMTH, None, "unreadable", "no number in it", "", 3),)
"""
SAID = (
    "1 score is missing from the judge slow, which gave none (timeout: the judge slow gave no "
    "score within 0.05 s; see --agent-timeout); `sociolab judge a --judge ...` retries what "
    "it failed on"
)
JUDGE = "python:slow_judge:Hangs"
PLAY = ("run", "sotopia", "--limit", 1, "--name", "a", "--json")


@pytest.mark.parametrize("how", ["run", "judge"])
def test_a_judge_that_never_answers_is_given_up_and_told(
    sociolab: Sociolab, tmp_path: Path, how: str
) -> None:
    (tmp_path / "slow_judge.py").write_text(HANGS, "utf-8")
    if how == "run":
        done = sociolab(*PLAY, "--judge", JUDGE, "--agent-timeout", 0.05)
    else:
        assert sociolab(*PLAY, "--judge", "none").code == 0
        done = sociolab("judge", "a", "--judge", JUDGE, "--agent-timeout", 0.05, "--json")
    assert (done.code, done.document["played"]) == (1, 1)
    assert done.document["failures"]["scores"] == {"timeout": 1}
    assert done.err.splitlines()[-1] == SAID


def test_once_it_is_mended_nothing_is_missing(sociolab: Sociolab, tmp_path: Path) -> None:
    module = tmp_path / "slow_judge.py"
    module.write_text(HANGS, "utf-8")
    sociolab(*PLAY, "--judge", JUDGE, "--agent-timeout", 0.05)
    module.write_text(MENDED, "utf-8")
    done = sociolab("judge", "a", "--judge", JUDGE, "--json")
    assert (done.code, done.document["failures"]["scores"]) == (0, {}), done.err


def test_a_judge_that_was_not_asked_is_no_failure_of_this_judging(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    (tmp_path / "slow_judge.py").write_text(HANGS, "utf-8")
    sociolab(*PLAY, "--judge", JUDGE, "--agent-timeout", 0.05)
    done = sociolab("judge", "a", "--judge", "heuristic", "--json")
    assert (done.code, done.document["failures"]["scores"]) == (0, {"timeout": 1}), done.err


def picky(sociolab: Sociolab, tmp_path: Path, first: str) -> Done:
    (tmp_path / "picky.py").write_text(UNUSABLE.format(first=first), "utf-8")
    return sociolab(*PLAY[:3], 2, *PLAY[4:], "--judge", "python:picky:Picky")


def test_single_scores_that_could_not_be_read_are_counted_no_more(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    first = "if len(episode.trial.id) and not self.__dict__.setdefault('seen', []):\n"
    first += "            self.seen.append(1); return (Score(WARMTH, None, 5),)"
    done = picky(sociolab, tmp_path, first)
    assert (done.code, done.document["failures"]["scores"]) == (0, {"unreadable": 1}), done.err


def test_a_judge_of_whose_answers_none_could_be_read_has_failed(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    done = picky(sociolab, tmp_path, "pass")
    assert (done.code, done.document["failures"]["scores"]) == (1, {"unreadable": 2})
    assert done.err.splitlines()[-1].startswith(
        "2 scores are missing from the judge picky, which gave none (unreadable: no number in it); "
    )


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_that_is_none_is_refused(sociolab: Sociolab, seconds: str) -> None:
    done = sociolab("judge", "a", "--judge", "heuristic", f"--agent-timeout={seconds}")
    assert done.code == 2
    assert "--agent-timeout: expected" in done.sentence


def test_the_progress_of_a_judging_says_how_much_there_is_to_do(sociolab: Sociolab) -> None:
    sociolab(*PLAY, "--judge", "none")
    done = sociolab("judge", "a", "--judge", "heuristic", "--json")
    assert done.err.splitlines()[0].startswith("a: 1/1 episodes")
