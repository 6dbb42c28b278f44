"""Why a trial failed is told where one looks for it: in the report, and in the episode."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.app.cast import built
from sociolab.app.config import RunConfig
from sociolab.app.play import run
from sociolab.app.stored import find_episode, open_store
from sociolab.cli.show import show
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.ports import NoReply, Reply, Request
from sociolab.report.words import warnings


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
    result = run(RunConfig(agents=(agent,), judges=("none",), limit=1, store=store, name="broken"))
    said = "the player of this test cannot count to three"
    assert result.failed == 1
    assert result.failures.problems == {"plugin": said}
    assert f"plugin: {said}" in warnings(result)
    with open_store(store) as opened:
        trial = opened.trials("broken")[0].trial.id
        assert find_episode(opened, trial, "broken").problem == said
    show(trial, seat=None, run="broken", prompts=False, markdown=False, store=store)
    assert f"This trial failed: {said}" in capsys.readouterr().out


def test_a_class_that_cannot_be_made_is_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match=r"made without arguments, found that .*patience"):
        built("python:mine:NeedsMore", NeedsMore)
    assert built("python:mine:three", 3) == 3
