"""Whoever plays a run from Python is told of its progress."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sociolab import Progress, RunConfig, run


def config(folder: Path) -> RunConfig:
    return RunConfig(limit=3, store=folder / "s.db", name="a")


def test_it_is_called_once_a_trial_is_over(tmp_path: Path) -> None:
    told: list[Progress] = []
    run(config(tmp_path), on_progress=told.append)
    assert [(now.run, now.done, now.total, now.failed) for now in told] == [
        ("a", done, 3, 0) for done in (1, 2, 3)
    ]
    assert told[0].turns <= told[1].turns <= told[2].turns
    assert told[2].turns > 0
    assert (told[0].calls, told[2].seconds_left) == (0, 0)


def test_nothing_is_told_of_a_run_that_has_nothing_left_to_do(tmp_path: Path) -> None:
    run(config(tmp_path))
    told: list[Progress] = []
    run(config(tmp_path), on_progress=told.append)
    assert told == []


def test_what_it_raises_ends_the_run_which_can_be_resumed(tmp_path: Path) -> None:
    def enough(now: Progress) -> None:
        raise KeyError("enough")

    async def notebook() -> None:
        run(config(tmp_path), on_progress=enough)

    with pytest.raises(KeyError, match="enough"):
        asyncio.run(notebook())
    assert run(config(tmp_path)).played == 3
