"""The HTML page of some runs, with some of their transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.app.stored import world_of
from sociolab.report.html import ShownRun, write_html
from sociolab.report.result import RunResult
from sociolab.report.shown import chosen
from sociolab.store.sqlite import Store

EPISODES = 6
"""How many transcripts of a run a page holds, chosen evenly from the plan."""


def write_page(store: Store, results: Sequence[RunResult], path: Path) -> None:
    """Write the page; ConfigError where the place cannot be written."""
    runs = []
    for result in results:
        transcript = world_of(result.world).transcript
        runs.append(ShownRun(result, chosen(store, result.run, transcript, EPISODES)))
    write_html(path, runs)
