"""`sociolab hard`: the tasks that are hard for one agent, stored as a list to play."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sociolab.analysis.hard_subset import hard_document, hard_section
from sociolab.app.data.sets import keep
from sociolab.app.hard_subset import HardSpec, choose_hard
from sociolab.app.queries import open_store
from sociolab.cli.output import page_of, say, show_sections


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
        page_of(opened, found.pool.runs, [section], html)
    path = keep(chosen.tasks)
    document = partial(hard_document, found, spec.name)
    show_sections([section], document, as_json=as_json, html=html)
    say(f"wrote {path}")
    say(f"play it: {chosen.command}")
