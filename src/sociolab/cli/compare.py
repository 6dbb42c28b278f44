"""`sociolab compare`: two agents on the tasks that both played, and consistency over repeats."""

from __future__ import annotations

import re
from pathlib import Path

from sociolab.app.comparing import Wanted, compare_runs
from sociolab.app.page import write_page
from sociolab.app.stored import open_store
from sociolab.cli.output import print_json, say
from sociolab.core.errors import ConfigError
from sociolab.report.result import result_of
from sociolab.report.section import printed


def compare(wanted: Wanted, *, html: Path | None, store: Path | None, as_json: bool) -> None:
    """Print the conclusions as text or JSON, and write them as a page if asked."""
    with open_store(store) as opened:
        found = compare_runs(opened, wanted)
        if html is not None:
            results = [result_of(opened, outline.run) for outline in found.outlines]
            write_page(opened, results, html, found.sections)
    if as_json:
        print_json(found.document())
    else:
        from rich.console import Console

        Console().print(printed(found.sections))
    if html is not None:
        say(f"wrote {html}")


def ks_of(text: str) -> tuple[int, ...]:
    """ "1,2,4" as numbers, each once, in order; ConfigError for anything else."""
    if not re.fullmatch(r"\s*[1-9]\d{0,3}\s*(,\s*[1-9]\d{0,3}\s*)*", text):
        raise ConfigError(
            f'--k: expected numbers from 1 with commas, such as 1,2,4; found "{text}"'
        )
    return tuple(sorted({int(part) for part in text.split(",")}))
