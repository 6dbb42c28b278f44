"""`sociolab agree`: people among themselves, judges beside people, judges beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.app.conclusions.agreement import agreements, write_agreement_page
from sociolab.app.finding.stored import open_store
from sociolab.cli.output import print_json, say
from sociolab.report.section import printed


def agree(
    runs: Sequence[str],
    *,
    judges: Sequence[str],
    bins: int,
    html: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print how far they agree, or one JSON object; write the page if one is asked for."""
    with open_store(store) as opened:
        found = agreements(opened, runs, judges, bins=bins)
        if html is not None:
            write_agreement_page(opened, found, html)
    if as_json:
        print_json(found.document())
    else:
        from rich.console import Console

        Console().print(printed(found.sections))
    if html is not None:
        say(f"wrote {html}")
