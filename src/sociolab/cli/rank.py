"""`sociolab rank`: who scores higher at the same task and seat, with the same partner."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sociolab.analysis.rank import rank_runs, ranking_document, ranking_section
from sociolab.app.queries import open_store
from sociolab.cli.output import page_of, show_sections


def rank(
    runs: Sequence[str],
    *,
    judge: str | None,
    measure: str | None,
    html: Path | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print the ranking, or its JSON object; write it at the head of a page of the runs."""
    with open_store(store) as opened:
        found = rank_runs(opened, runs, judge, measure)
        section = ranking_section(found)
        page_of(opened, found.pool.runs, [section], html)
    show_sections([section], partial(ranking_document, found), as_json=as_json, html=html)
