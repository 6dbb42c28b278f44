"""`sociolab demo`: a suite of every world, offline, with a page to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from sociolab.app.data_sets.data import world_names
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.app.runs.config import RunConfig
from sociolab.app.runs.play import run as play
from sociolab.cli.output import say, show_result, show_sections
from sociolab.cli.progress import watch
from sociolab.core.errors import ConfigError
from sociolab.report.result import RunResult
from sociolab.report.section import Section
from sociolab.store.sqlite import Store


def demo(*, html: Path, store: Path | None) -> None:
    """Play all tasks of every world with scripted players, scored without a model.

    ConfigError before anything is played where the page cannot be written.
    """
    if not html.parent.is_dir():
        raise ConfigError(
            f"--html: there is no folder {html.parent}; name a file in a folder that exists"
        )
    if html.is_dir():
        raise ConfigError(f"--html: expected a file to write, found the folder {html}")
    results: list[RunResult] = []
    for world in dict.fromkeys((RunConfig().world, *world_names())):
        say(f"{world}: scripted players, no model, no network; a smoke test, and no result")
        config = RunConfig(world=world, agents=("scripted",), store=store)
        result = play(config, watch(lambda name: None))
        show_result(result, store, as_json=False)
        results.append(result)
    _gap(results, store)
    with open_store(store) as opened:
        write_page(opened, results, html, _levels(opened, results))
    say(f"wrote {html}: open it in a browser")
    named = f" --store {store}" if store else ""
    say(f"`sociolab web{named}` shows every episode, and the town as it lived")
    raise typer.Exit(1 if any(result.failed for result in results) else 0)


def _levels(store: Store, results: Sequence[RunResult]) -> tuple[Section, ...]:
    """The scripted performer's talks beside what came of its tasks in the town."""
    from sociolab.app.conclusions.levels import levels
    from sociolab.app.conclusions.levels_section import levels_sections

    runs = {result.world: result.run for result in results}
    sections = levels_sections(levels(store, runs["stss-talk"], runs["stss"]))
    show_sections(sections, dict, as_json=False)
    return sections


def _gap(results: Sequence[RunResult], store: Path | None) -> None:
    """AntEval's gap between scripted and sample play: how the tables look, and nothing more."""
    from sociolab.app.gaps.gap import GapConfig
    from sociolab.app.gaps.gap import gap as measure
    from sociolab.app.gaps.real_play import SAMPLE
    from sociolab.cli.gap import print_gap

    runs = {result.world: result.run for result in results}
    say("gap: how far scripted play is from the package's sample play, as a virtual DM sees it")
    config = GapConfig(
        real=SAMPLE,
        generated=(runs["anteval-intention"],),
        information=(runs["anteval-information"],),
        splits=4,
        store=store,
    )
    print_gap(measure(config, say))
