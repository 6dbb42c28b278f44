"""The HTML page of a run, with some of its transcripts."""

from __future__ import annotations

from pathlib import Path

from sociolab.app.stored import world_of
from sociolab.report.html import write_html
from sociolab.report.result import RunResult
from sociolab.report.shown import chosen
from sociolab.store.sqlite import Store

EPISODES = 6
"""How many transcripts a page holds, chosen evenly from the plan."""


def write_page(store: Store, result: RunResult, path: Path) -> None:
    """Write the page; ConfigError where the place cannot be written."""
    transcript = world_of(result.world).transcript
    write_html(path, result, chosen(store, result.run, transcript, EPISODES))
