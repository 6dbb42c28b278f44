"""`sociolab compare --curve`: runs in an order, such as checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sociolab.app.conclusions.comparing import Wanted
from sociolab.app.conclusions.curve import follow_runs
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.cli.compare import show_sections
from sociolab.cli.output import print_json, say
from sociolab.core.errors import ConfigError
from sociolab.report.result import result_of


def follow(wanted: Wanted, *, html: Path | None, store: Path | None, as_json: bool) -> None:
    """Print the curve as text or JSON, and write it as a page if asked."""
    with open_store(store) as opened:
        found = follow_runs(opened, wanted)
        if html is not None:
            results = [result_of(opened, outline.run) for outline in found.outlines]
            write_page(opened, results, html, (found.section,))
    if as_json:
        print_json(found.document())
    else:
        show_sections((found.section,))
    if html is not None:
        say(f"wrote {html}")


def refuse(flags: Mapping[str, object]) -> None:
    """ConfigError where one of these flags, which are for two agents, was given with --curve."""
    for flag, value in flags.items():
        if value not in (None, False, []):
            raise ConfigError(f"{flag} is for two agents: leave it out, or leave --curve out")
