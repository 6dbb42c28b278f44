"""`sociolab table`: agents by worlds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.analysis.across import TwoLevels, across
from sociolab.app.queries import open_store
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.app.results import write_page
from sociolab.cli.options import named_values
from sociolab.cli.output import show_sections


def table(
    runs: Sequence[str],
    judges: Sequence[str],
    *,
    html: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the table as text or JSON, and write it as a page if asked."""
    by_world = named_values(judges, "--judge", "WORLD=LABEL")
    with open_store(store) as opened:
        found = across(opened, runs, by_world, _two_levels())
        if html is not None:
            write_page(opened, found.results, html, [found.section])
    show_sections([found.section], found.document, as_json=as_json, html=html)


def _two_levels() -> list[TwoLevels]:
    """The worlds that play the same tasks at two levels, as they declare it."""
    plugins = map(world_plugin, worlds_that(lambda one: one.levels is not None))
    return [one.levels() for one in plugins if one.levels is not None]
