"""`sociolab report`: the tables of a run, and its page."""

from __future__ import annotations

from pathlib import Path

from sociolab.app.page import write_page
from sociolab.app.stored import open_store
from sociolab.cli.output import say, show_result
from sociolab.report.result import result_of


def report(
    run: str, *, html: Path | None, details: bool, store: Path | None, as_json: bool
) -> None:
    """Print the tables or the JSON object; with `html`, write the page too."""
    with open_store(store) as opened:
        result = result_of(opened, run)
        if html is not None:
            write_page(opened, [result], html)
    show_result(result, store, as_json=as_json, details=details)
    if html is not None:
        say(f"wrote {html}")
