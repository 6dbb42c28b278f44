"""`sociolab realism`: simulated play beside human play."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import FiguresCsv, Html, Json, Latex, Markdown, RunName, StoreFile, option
from sociolab.cli.output import Media, VerbResult

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab realism first --people casino")
def realism(
    run: RunName,
    people: Annotated[
        str, option("--people", "RUN", "The run of people on the same tasks, such as an import.")
    ],
    html: Html = None,
    latex: Latex = None,
    markdown: Markdown = None,
    csv: FiguresCsv = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """Compare simulated play with people's on the same tasks.

    Turns, words, concessions, deals, politeness and repetition beside people's, each with an
    interval and with what half of the people differ by from the other half; and how many points
    more a partner leaves to whoever sits opposite than people do.
    """
    from sociolab.analysis.realism import realism as compare, realism_section
    from sociolab.app.registry import world_plugin
    from sociolab.report.finding import tidy_rows
    from sociolab.store.checking import verify_runs
    from sociolab.store.store import open_store

    media = Media(html, latex, markdown, csv, json=json)
    with open_store(store) as opened:
        verify_runs(opened, run, people)
        outcome_of = world_plugin(opened.run(run).world).negotiation or (lambda episode: None)
        casts = compare(opened, run, people, outcome_of)
        sections = [realism_section(found) for found in casts]
        result = VerbResult(
            (run, people),
            sections,
            lambda: {"schema": 1, "casts": [found.document() for found in casts]},
            rows=lambda: [*tidy_rows(table for each in sections for table in each.tables)],
        )
        media.show(opened, result)
