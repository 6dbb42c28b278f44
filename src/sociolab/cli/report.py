"""`sociolab report`: the tables of some runs, their page, and their figures in other formats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from sociolab.app.queries import open_store
from sociolab.app.results import write_csv, write_page
from sociolab.cli.output import say, show_result
from sociolab.report.export import latex, markdown, write_whole
from sociolab.report.result import RunResult, details_of, each_once
from sociolab.report.score_tables import run_section


def report(
    runs: Sequence[str],
    *,
    html: Path | None,
    csv: Path | None,
    latex_file: Path | None,
    markdown_file: Path | None,
    details: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Write what is asked for, then print the tables, or the JSON object (of several, a list)."""
    written: list[Path] = []
    with open_store(store) as opened:
        found = [details_of(opened, run) for run in each_once(runs)]
        results = [one.result for one in found]
        if html is not None:
            write_page(opened, found, html)
            written.append(html)
        if csv is not None:
            written += write_csv(opened, results, csv)
    sections = [run_section(result, details=details) for result in results]
    if latex_file is not None:
        write_whole(latex_file, latex(sections))
        written.append(latex_file)
    if markdown_file is not None:
        write_whole(markdown_file, markdown(sections))
        written.append(markdown_file)
    _show(results, store, as_json=as_json, details=details)
    for path in written:
        say(f"wrote {path}")


def _show(
    results: Sequence[RunResult], store: Path | None, *, as_json: bool, details: bool
) -> None:
    if as_json and len(results) > 1:
        typer.echo("[\n" + ",\n".join(result.as_json() for result in results) + "\n]")
        return
    for result in results:
        show_result(result, store, as_json=as_json, details=details)
