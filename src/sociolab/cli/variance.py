"""`sociolab variance`: what scores vary with, and where the next dollar helps most."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sociolab.analysis.variance_components import run_variances, variance_document, variance_section
from sociolab.app.queries import open_store
from sociolab.cli.output import show_sections


def variance(
    runs: Sequence[str],
    *,
    judges: Sequence[str] | None,
    measure: str | None,
    per_play: float | None,
    per_judging: float | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the components and the advice, or their JSON object."""
    with open_store(store) as opened:
        found = run_variances(opened, runs, judges, measure, per_play, per_judging)
    show_sections([variance_section(found)], partial(variance_document, found), as_json=as_json)
