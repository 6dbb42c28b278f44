"""The Python API: also inside a running event loop, and on classes of one's own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sociolab import (
    JudgeConfig,
    RunConfig,
    estimate,
    judge_run,
    open_store,
    result_of,
    run,
    run_async,
)
from sociolab.core import Action, ActionSpace, ConfigError, Json, Moved, NoReply, Reply, Request


class Parrot:
    """Counts its turns in its memory, and leaves after three."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        assert isinstance(request.expected, ActionSpace)
        turns = memory if isinstance(memory, int) else 0
        if turns == 3:
            return Reply((Action("leave"),), turns)
        return Reply((Action("speak", f"number {turns}"),), turns + 1)


class Bomb:
    """Breaks."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise ValueError("boom")


def config(folder: Path, **more: object) -> RunConfig:
    return RunConfig.model_validate({"limit": 2, "store": folder / "s.db", "name": "a", **more})


def test_run_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    async def notebook() -> int:
        return run(config(tmp_path)).played

    assert asyncio.run(notebook()) == 2


def test_run_async_is_awaited_in_a_loop_of_ones_own(tmp_path: Path) -> None:
    assert asyncio.run(run_async(config(tmp_path))).played == 2


def test_judging_and_estimating_work_inside_a_running_event_loop_too(tmp_path: Path) -> None:
    async def notebook() -> tuple[int, int]:
        run(config(tmp_path, judges=("none",)))
        judging = JudgeConfig(judges=("heuristic",), store=tmp_path / "s.db")
        judged = judge_run("a", judging, repeats=1).result
        names = {judge.judge for judge in judged.judges}
        assert names == {"outcome", "reported", "heuristic"}
        return judged.played, estimate(config(tmp_path)).trials

    assert asyncio.run(notebook()) == (2, 2)


def test_an_error_inside_a_running_loop_reaches_the_caller(tmp_path: Path) -> None:
    async def notebook() -> None:
        run(config(tmp_path, tasks="unheard-of"))

    with pytest.raises(ConfigError, match="unheard-of"):
        asyncio.run(notebook())


def test_a_class_of_ones_own_plays_and_keeps_its_memory(tmp_path: Path) -> None:
    result = run(config(tmp_path, agents=("python:app.run.test_python_api:Parrot",)))
    assert (result.played, result.failed) == (2, 0)
    with open_store(tmp_path / "s.db") as store:
        for episode in store.episodes("a"):
            assert [e.memory for e in episode.events if isinstance(e, Moved)] == [
                1,
                1,
                2,
                2,
                3,
                3,
                3,
            ]


def test_a_class_that_breaks_fails_its_trials_by_name(tmp_path: Path) -> None:
    result = run(config(tmp_path, agents=("python:app.run.test_python_api:Bomb",))).result
    assert (result.played, result.failed) == (0, 2)
    assert result.failures.trials == {"plugin": 2}
    with open_store(tmp_path / "s.db") as store:
        for row in store.trials("a"):
            assert row.problem.startswith("python:app.run.test_python_api:Bomb as ")
            assert ", turn 1: ValueError: boom (test_python_api.py" in row.problem


def test_a_partner_meets_each_agent_in_both_seats(tmp_path: Path) -> None:
    parrot = "python:app.run.test_python_api:Parrot"
    result = run(config(tmp_path, agents=(parrot,), partner="scripted")).result
    assert result.trials == 2 * 2
    with open_store(tmp_path / "s.db") as store:
        casts = [tuple(m.agent for m in row.trial.cast) for row in store.trials("a")]
    assert casts == [(parrot, "scripted"), ("scripted", parrot)] * 2


def test_a_stored_run_gives_the_result_that_it_gave_when_it_was_played(tmp_path: Path) -> None:
    played = run(config(tmp_path))
    with open_store(tmp_path / "s.db") as store:
        assert result_of(store, "a").scores == played.result.scores


def test_an_estimate_refuses_what_a_run_would(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="judge"):
        estimate(config(tmp_path, agents=("openai/x",), base_url="http://127.0.0.1:9/v1"))
