"""`sociolab table`: agents by worlds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.analysis.across import across
from sociolab.app.queries import open_store
from sociolab.app.results import write_page
from sociolab.cli.options import named_values
from sociolab.cli.output import show_sections
from sociolab.worlds.stss.levels import LEVELS


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
        found = across(opened, runs, by_world, [LEVELS])
        if html is not None:
            write_page(opened, found.results, html, [found.section])
    show_sections([found.section], found.document, as_json=as_json, html=html)
