"""`sociolab rank`: who scores higher at the same task and seat, with the same partner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from sociolab.analysis.ranking import ranking_document
from sociolab.analysis.ranking_words import ranking_section
from sociolab.app.conclusions.ranking import rank_runs
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.cli.output import print_json, say
from sociolab.report.result import result_of
from sociolab.report.section import printed


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
        if html is not None:
            write_page(opened, [result_of(opened, run) for run in found.pool.runs], html, [section])
    if as_json:
        print_json(ranking_document(found))
    else:
        Console().print(printed([section]))
    if html is not None:
        say(f"wrote {html}")
