"""Judges of one's own that are late, say nothing, or cannot be known by their id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sociolab import RunConfig, RunResult, open_store, run
from sociolab.analysis import CompareRequest, compare_runs
from sociolab.app import examine
from sociolab.core import (
    Action,
    ConfigError,
    Episode,
    Json,
    JudgeId,
    Measure,
    Reply,
    Request,
    Score,
    Verdict,
)
from sociolab.plugin import EndpointAccess

HERE = f"python:{__name__}"
WARMTH = Measure("warmth", 0, 10)


class Waits:
    """Judges nothing, for ever."""

    id: ClassVar[JudgeId] = JudgeId("waits", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        await asyncio.Event().wait()
        raise AssertionError


class Silent:
    """Has no opinion."""

    id: ClassVar[JudgeId] = JudgeId("silent", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return ()


class Twice(Silent):
    """Has two of each."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return (Score(WARMTH, None, 5.0), Score(WARMTH, None, 6.0))


class Reasonless(Silent):
    """Gives no reason where one is due."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        return (Score(WARMTH, None, 5.0, None),)  # type: ignore[arg-type]


class OwnTimeout(Silent):
    """Breaks as a late one would."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        raise TimeoutError("my server")


class Quits(Silent):
    """Leaves for good."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        raise SystemExit("no more")


class CancelsItself(Silent):
    """Cancels what it does."""

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        raise asyncio.CancelledError


class Magic(Silent):
    """Is known by what no report can read."""

    id: ClassVar[JudgeId] = JudgeId("m", "magic")  # type: ignore[arg-type]


class Yields:
    """A player that is a generator."""

    async def reply(self, request: Request, memory: Json) -> AsyncIterator[Reply]:
        yield Reply((Action("leave"),))


class Numbers:
    """A player that says a number."""

    async def reply(self, request: Request, memory: Json) -> Reply:
        return Reply((Action("speak", 42),))  # type: ignore[arg-type]


def played(folder: Path, *judges: str, **more: Any) -> RunResult:
    named = tuple(f"{HERE}:{name}" for name in judges)
    return run(
        RunConfig(
            judges=("heuristic", *named),
            tasks="bargain",
            limit=1,
            name="a",
            store=folder / "s.db",
            **more,
        )
    ).result


def problem(result: RunResult) -> str:
    (found,) = [one for one in result.failures.first if one.kind == "scores"]
    return found.problem


def test_a_judge_that_hangs_is_given_up_and_the_others_judge(tmp_path: Path) -> None:
    result = played(tmp_path, "Waits", agent_timeout=0.01)
    assert (result.played, result.failures.scores) == (1, {"timeout": 1})
    assert problem(result) == "the judge waits gave no score within 0.01 s; see --agent-timeout"
    assert any(e.judge == "heuristic" and e.n for e in result.scores)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Silent", "the judge silent gave no score; expected one for each of its measures"),
        ("Twice", "expected one verdict of warmth on the whole episode, found 2"),
        ("Reasonless", "with a reason that is a str, found None"),
        ("OwnTimeout", "TimeoutError: my server"),
        ("Quits", "SystemExit: no more (test_own_judges.py, line "),
        ("CancelsItself", "CancelledError (test_own_judges.py, line "),
    ],
)
def test_a_run_and_the_doctor_agree_on_what_is_wrong(tmp_path: Path, name: str, said: str) -> None:
    result = played(tmp_path, name)
    assert (result.played, result.failures.scores) == (1, {"plugin": 1})
    assert said in problem(result)
    found = examine(f"{HERE}:{name}", EndpointAccess())
    assert not found.well
    assert said in found.sentence


def test_an_id_that_no_report_can_read_is_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    wanted = r'Magic": expected an id whose method is one of .*reported, found \'magic\''
    with pytest.raises(ConfigError, match=wanted):
        played(tmp_path, "Magic")
    with pytest.raises(ConfigError, match=wanted):
        examine(f"{HERE}:Magic", EndpointAccess())


def test_a_reply_that_is_a_generator_is_told_as_such() -> None:
    with pytest.raises(ConfigError, match=r'is an async generator.*found one with "yield"'):
        examine(f"{HERE}:Yields", EndpointAccess())


def test_a_text_that_is_a_number_is_the_agents_fault_in_a_run_and_for_the_doctor(
    tmp_path: Path,
) -> None:
    said = "turn 1: expected an Action's text as str, found int; mend the player"
    result = played(tmp_path, agents=(f"{HERE}:Numbers",), partner="scripted")
    assert result.failures.trials == {"plugin": 2}
    (told,) = [one for one in result.failures.first if one.kind == "trials"]
    assert told.problem.startswith(f"{HERE}:Numbers as ")
    assert "expected an Action's text as str, found int; mend the player" in told.problem
    found = examine(f"{HERE}:Numbers", EndpointAccess())
    assert not found.well
    assert said in found.sentence


def test_what_a_broken_judge_is_for_is_never_a_measure_to_name(tmp_path: Path) -> None:
    played(tmp_path, "Silent")
    wanted = CompareRequest(runs=("a",), judge="silent", measures=("goal",))
    with open_store(tmp_path / "s.db") as store, pytest.raises(ConfigError) as caught:
        compare_runs(store, wanted)
    assert "it has none, since it broke" in str(caught.value)
    assert "judging" not in str(caught.value)
