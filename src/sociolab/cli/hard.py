"""`sociolab hard`: the tasks that are hard for one agent, stored as a list to play."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from sociolab.analysis.hard import hard_document
from sociolab.analysis.hard_words import hard_section
from sociolab.app.conclusions.hard import HardSpec, choose_hard
from sociolab.app.data_sets.task_lists import keep
from sociolab.app.finding.stored import open_store
from sociolab.app.results.page import write_page
from sociolab.cli.output import print_json, say
from sociolab.report.result import result_of
from sociolab.report.section import printed


def hard(
    spec: HardSpec, *, details: bool, html: Path | None, store: Path | None, as_json: bool
) -> None:
    """Store the list and print it with all that it is made of, or its JSON object.

    The page is written before the list is stored: where it cannot be, no list is left behind.
    """
    with open_store(store) as opened:
        chosen = choose_hard(opened, spec)
        found = chosen.hard
        section = hard_section(found, spec.name, chosen.pools if details else chosen.pools[:1])
        if html is not None:
            write_page(opened, [result_of(opened, run) for run in found.pool.runs], html, [section])
    path = keep(chosen.tasks)
    if as_json:
        print_json(hard_document(found, spec.name))
    else:
        Console().print(printed([section]))
    if html is not None:
        say(f"wrote {html}")
    say(f"wrote {path}")
    say(f"play it: {chosen.command}")
