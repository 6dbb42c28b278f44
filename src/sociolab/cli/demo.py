"""`sociolab demo`: a suite of every world, offline, with a page to look at."""

from __future__ import annotations

from pathlib import Path

import typer

from sociolab.app.config import RunConfig
from sociolab.app.data import world_names
from sociolab.app.page import write_page
from sociolab.app.play import run as play
from sociolab.app.stored import open_store
from sociolab.cli.output import say, show_result
from sociolab.cli.progress import watch


def demo(*, html: Path, store: Path | None) -> None:
    """Play all tasks of every world with scripted players, and judge them by rules."""
    results = []
    for world in world_names():
        say(f"{world}: scripted players, no model, no network; every figure below is rule-based")
        config = RunConfig(world=world, agents=("scripted",), store=store)
        result = play(config, watch(lambda name: None))
        show_result(result, store, as_json=False)
        results.append(result)
    with open_store(store) as opened:
        write_page(opened, results, html)
    say(f"wrote {html}: open it in a browser")
    raise typer.Exit(1 if any(result.failed for result in results) else 0)
