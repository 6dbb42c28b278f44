"""Agents and judges of one's own that fail, the whole way: description, run, record, report."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from faulty_judges import Moody
from sociolab import JudgeConfig, RunConfig, RunResult, judge_run, open_store, run
from sociolab.app import config_of
from sociolab.app.run import play
from sociolab.core import Action, Answered, ConfigError, Json, Moved, NoReply, Reply, Request
from sociolab.core.reading import read_toml
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.report import FirstFailure
from sociolab.runner import RunContext

MOODY = "python:faulty_judges:Moody"


class Hangs:
    """Never answers."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.Event().wait()
        raise AssertionError


class Breaks:
    """Says hello, and breaks later, until it is mended."""

    mended: ClassVar[bool] = False

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if request.turn > 3 and not Breaks.mended:
            raise KeyError("x")
        return Reply((Action("speak", f"Hello {request.turn}."),))


@pytest.fixture(autouse=True)
def as_at_first() -> Iterator[None]:
    yield
    Moody.down = None
    Breaks.mended = False


def config(folder: Path, **more: Any) -> RunConfig:
    given = {"judges": ("heuristic",), "tasks": "bargain", "limit": 2, "name": "a"}
    return RunConfig(**{**given, "store": folder / "s.db", **more})


def first(result: RunResult, kind: str) -> FirstFailure:
    (found,) = [one for one in result.failures.first if one.kind == kind]
    return found


def test_an_agent_that_hangs_fails_its_trials_and_the_report_says_why(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("agent_timeout = 0.01\nattempts = 1\n", "utf-8")
    hangs = f"python:{__name__}:Hangs"
    result = run(config(tmp_path, agents=(hangs,), partner="scripted", **read_toml(file))).result
    assert (result.played, result.failed) == (0, 4)
    assert result.failures.trials == {"timeout": 4}
    told = first(result, "trials")
    assert told.cause == "timeout"
    assert f"{hangs} gave no reply within 0.01 s, 3 times in a row" in told.problem
    with open_store(tmp_path / "s.db") as store:
        assert told.episode in {row.trial.id for row in store.trials("a")}


@pytest.mark.parametrize("value", [0, -1, "soon", float("inf")])
def test_a_time_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match="agent_timeout"):
        config_of({"agent_timeout": value}, "run")


@pytest.mark.parametrize(("given", "person", "own"), [(None, "none", 600.0), (9.0, 9.0, 9.0)])
def test_a_person_is_given_all_the_time_they_need(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: float | None,
    person: object,
    own: float,
) -> None:
    seen: list[RunContext] = []

    async def not_played(table: RunContext, rows: object, episodes: int) -> None:
        seen.append(table)

    monkeypatch.setattr(play, "play_all", not_played)
    breaks = f"python:{__name__}:Breaks"
    run(config(tmp_path, agents=("human", breaks), partner="scripted", agent_timeout=given))
    (table,) = seen
    assert table.foreign.get("human", "none") == person
    assert table.foreign[breaks] == own
    assert "scripted" not in table.foreign


def test_a_run_can_be_resumed_with_another_time(tmp_path: Path) -> None:
    assert run(config(tmp_path, agent_timeout=1)).played == 2
    assert run(config(tmp_path, agent_timeout=9)).played == 2


def test_a_broken_judge_leaves_the_run_played_and_can_judge_again(tmp_path: Path) -> None:
    Moody.down = ValueError("the key is missing")
    result = run(config(tmp_path, judges=("heuristic", MOODY))).result
    assert (result.played, result.failed) == (2, 0)
    assert result.failures.scores == {"plugin": 2}
    told = first(result, "scores")
    assert (told.judge, told.count) == ("Moody", 2)
    assert "ValueError: the key is missing (faulty_judges.py" in told.problem.replace("tests/", "")
    assert any(e.judge == "heuristic" and e.n for e in result.scores)

    Moody.down = None
    only = JudgeConfig(judges=(MOODY,), store=tmp_path / "s.db")
    again = judge_run("a", only, repeats=1).result
    assert again.failures.scores == {}
    assert any(e.judge == "Moody" and e.measure == "warmth" and e.n for e in again.scores)
    assert "judging" not in {entry.measure for entry in again.scores}


def test_judging_again_a_judge_that_breaks_leaves_the_others_to_go_on(tmp_path: Path) -> None:
    run(config(tmp_path, judges=("none",)))
    Moody.down = ValueError("the key is missing")
    both = JudgeConfig(judges=(MOODY, "heuristic"), store=tmp_path / "s.db")
    result = judge_run("a", both, repeats=1).result
    assert result.stopped == ""
    assert result.failures.scores == {"plugin": 2}
    assert any(e.judge == "heuristic" and e.n for e in result.scores)


def test_a_trial_played_anew_pays_no_call_twice(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(characters=60)) as endpoint:
        described = config(
            tmp_path,
            agents=("openai/x",),
            partner=f"python:{__name__}:Breaks",
            judges=("none",),
            base_url=endpoint.url,
            limit=1,
        )
        broken = run(described).result
        assert (broken.failed, broken.failures.trials) == (2, {"plugin": 2})
        paid = broken.calls
        assert paid > 2
        Breaks.mended = True
        whole = run(described).result
    assert (whole.played, whole.failed) == (2, 0)
    with open_store(tmp_path / "s.db") as store:
        calls = [call.call for call in store.calls.all("a")]
        turns = {
            (e.trial.id, one.seat, one.turn)
            for e in store.episodes("a")
            for one in e.events
            if isinstance(one, Moved | Answered)
        }
    assert len(calls) == whole.calls == len({(c.trial, c.seat, c.turn, c.attempt) for c in calls})
    assert {(c.trial, c.seat, c.turn) for c in calls} <= turns
