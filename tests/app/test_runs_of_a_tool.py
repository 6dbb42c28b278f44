"""A world's command plays several runs: one budget for all of them, and it stops where one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sociolab import RunConfig
from sociolab.app import tools
from sociolab.core import CallKey, ChatReply, Prompt
from sociolab.plugin.api import Context, Findings, ModelAccess, Tool
from sociolab.store import RunReplies, Store

RUNS = tuple({"world": "stss-talk", "limit": 1, "name": name} for name in ("first", "second"))


def spend(path: Path, run: str, usd: float) -> None:
    with Store.open(path) as store:
        if not store.has_run(run):
            keeps = "exam" if run.startswith("exam") else ""
            store.create_run(run, "stss-talk", {}, [], keeps=keeps)
        key = CallKey("t", "agent", "a", 0, "utter", 1)
        RunReplies(store, run).keep(run, key, "m", Prompt(()), ChatReply("Hi.", usd=usd))


def played(
    monkeypatch: pytest.MonkeyPatch,
    path: Path,
    budget: float | None,
    run: Callable[[RunConfig], str],
) -> Sequence[Any]:
    """What came of playing `RUNS`; `run` stands for playing one, and says why it stopped."""

    async def stand_in(config: RunConfig, on_progress: object) -> object:
        result = SimpleNamespace(run=config.name, stopped=run(config))
        return SimpleNamespace(result=result)

    async def work(lab: Context, config: ModelAccess) -> Findings:
        found.extend(await lab.play(RUNS))
        return Findings(())

    found: list[Any] = []
    monkeypatch.setattr(tools, "run_async", stand_in)
    access = ModelAccess(store=path, budget=budget)
    tools.run_tool(Tool(ModelAccess, work), access, lambda step: None)
    return found


def test_a_run_may_spend_what_the_others_have_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, given = tmp_path / "s.db", []
    spend(path, "second", 2.0)  # of an earlier time

    def run(config: RunConfig) -> str:
        given.append((config.name, config.budget))
        if config.name == "first":
            spend(path, "first", 0.5)
        return ""

    played(monkeypatch, path, 5.0, run)
    assert given == [("first", 3.0), ("second", 4.5)]


def test_the_exam_that_one_run_needed_is_paid_from_what_the_next_may_spend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, given = tmp_path / "s.db", []
    spend(path, "exam-a", 1.0)  # paid long ago

    def run(config: RunConfig) -> str:
        given.append((config.name, config.budget))
        if config.name == "first":
            spend(path, "first", 0.5)
            spend(path, "exam-b", 0.25)
        return ""

    played(monkeypatch, path, 5.0, run)
    assert given == [("first", 5.0), ("second", 4.25)]


def test_without_a_budget_none_has_one_and_a_run_that_stops_is_the_last(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = []

    def run(config: RunConfig) -> str:
        given.append(config.budget)
        return "the disk is full"

    (only,) = played(monkeypatch, tmp_path / "s.db", None, run)
    assert (given, only.run) == ([None], "first")
