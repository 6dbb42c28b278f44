"""`sociolab variance`: what scores vary with, and where the next dollar helps most."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from sociolab.analysis.varying import variance_document
from sociolab.analysis.varying_words import variance_section
from sociolab.app.conclusions.varying import run_variances
from sociolab.app.finding.stored import open_store
from sociolab.cli.output import print_json
from sociolab.report.section import printed


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
    if as_json:
        print_json(variance_document(found))
    else:
        Console().print(printed([variance_section(found)]))
