"""`sociolab site`: a static site of some runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.app.queries import open_store
from sociolab.app.results import write_site
from sociolab.cli.output import say
from sociolab.report.result import each_once, result_of


def site(folder: Path, runs: Sequence[str], *, store: Path | None) -> None:
    """Write or renew the site."""
    with open_store(store) as opened:
        write_site(opened, [result_of(opened, run) for run in each_once(runs)], folder)
    say(f"wrote {folder / 'index.html'}: open it in a browser, or serve the folder")
