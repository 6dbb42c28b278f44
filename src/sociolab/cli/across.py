"""`sociolab table`: agents by worlds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.app.conclusions.across import across
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.cli.output import print_json, say
from sociolab.core.errors import ConfigError
from sociolab.report.section import printed


def show_across(
    runs: Sequence[str],
    judges: Sequence[str],
    *,
    html: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the table as text or JSON, and write it as a page if asked."""
    with open_store(store) as opened:
        found = across(opened, runs, judges_of(judges))
        if html is not None:
            write_page(opened, found.results, html, (found.section,))
    if as_json:
        print_json(found.document())
    else:
        from rich.console import Console

        Console().print(printed((found.section,)))
    if html is not None:
        say(f"wrote {html}")


def judges_of(texts: Sequence[str]) -> dict[str, str]:
    """Judges by world from "world=label"; ConfigError for anything else."""
    found: dict[str, str] = {}
    for text in texts:
        world, equals, label = text.partition("=")
        if not equals or not world.strip() or not label.strip():
            raise ConfigError(f'--judge: expected WORLD=LABEL, found "{text}"')
        if world.strip() in found:
            raise ConfigError(f"--judge: {world.strip()} is given twice")
        found[world.strip()] = label.strip()
    return found
