"""Why a trial failed is told where one looks for it: in the report, and in the episode."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab import RunConfig, open_store, run
from sociolab.app import find_episode
from sociolab.app.players.own_code import instantiate
from sociolab.cli.show import show
from sociolab.core import ConfigError, Json, NoReply, Reply, Request, WorldError
from sociolab.report import warnings


class Breaks:
    """A player with a bug."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise WorldError("the player of this test cannot count to three")


class NeedsMore:
    """A class that is not made without arguments."""

    def __init__(self, patience: int) -> None:
        self.patience = patience


def test_why_a_trial_failed_is_in_the_report_and_in_the_episode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.db"
    agent = f"python:{__name__}:Breaks"
    result = run(
        RunConfig(agents=(agent,), judges=("none",), limit=1, store=store, name="broken")
    ).result
    said = "the player of this test cannot count to three"
    assert result.failed == 1
    told = result.failures.problems["plugin"]
    assert told.startswith(f"{agent} as ")
    assert f", turn 1: WorldError: {said} (test_failures_are_told.py" in told
    with open_store(store) as opened:
        trial = opened.trials("broken")[0].trial.id
        assert find_episode(opened, trial, "broken").problem == told
    assert f"plugin 1, in episode {trial}: {told}" in warnings(result)
    show([trial], run=["broken"], store=store)
    said_there = capsys.readouterr()
    assert told in said_there.out + said_there.err


def test_a_class_that_cannot_be_made_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match=r"made without arguments, found that .*patience"):
        instantiate("python:mine:NeedsMore", NeedsMore)
    assert instantiate("python:mine:three", 3) == 3
