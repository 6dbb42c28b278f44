"""`sociolab agree`: people among themselves, judges beside people, judges beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.analysis.agreement import agreements
from sociolab.app.queries import open_store
from sociolab.cli.output import page_of, show_sections


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
        page_of(opened, found.ratings.runs, found.sections, html)
    show_sections(found.sections, found.document, as_json=as_json, html=html)
