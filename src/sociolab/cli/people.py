"""Agents beside people: `sociolab realism`, and the percentiles that other verbs show."""

from __future__ import annotations

from json import dumps, loads
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolab.cli.options import (
    FiguresCsv,
    Html,
    Json,
    Latex,
    Markdown,
    OptText,
    RunName,
    StoreFile,
    option,
)
from sociolab.cli.output import Media, VerbResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sociolab.analysis.agent_labels import AgentNames
    from sociolab.report.section import Section
    from sociolab.store.store import Store

verbs = typer.Typer()

OptPeople = Annotated[
    OptText, option("--people", "RUN", "Percentiles of agents among this run's people.")
]


def people_beside(
    store: Store, runs: Sequence[str], people: str | None, names: AgentNames | None = None
) -> list[tuple[Section, dict[str, Any]]]:
    """Where the agents of each run are among the people of another, for readers and as JSON; empty
    where no people are named."""
    if people is None:
        return []
    from sociolab.analysis.agent_labels import AS_LABELLED
    from sociolab.analysis.people import beside_people_of, people_section
    from sociolab.report.result import each_once

    found = [beside_people_of(store, run, people, names or AS_LABELLED) for run in each_once(runs)]
    return [(people_section(beside), beside.document()) for beside in found]


def with_people(result: str, people: dict[str, Any]) -> str:
    """The JSON of a result with these percentiles."""
    return dumps({**loads(result), "beside_people": people}, ensure_ascii=False, indent=2)


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
    interval and with the difference between two halves of the people; and how many points more than
    people a partner concedes to the agent opposite.
    """
    from sociolab.analysis.realism import realism as compare, realism_section
    from sociolab.app.registry import world_plugin
    from sociolab.report.finding import tidy_rows
    from sociolab.store.checking import verify_runs
    from sociolab.store.store import open_store

    media = Media(html, latex, markdown, csv, json=json)
    with open_store(store) as opened:
        verify_runs(opened, run, people)
        outcome_of = world_plugin(opened.run(run).world).negotiation or (lambda *_: None)
        casts = compare(opened, run, people, outcome_of)
        sections = [realism_section(found) for found in casts]
        result = VerbResult(
            (run, people),
            sections,
            lambda: {"schema": 1, "casts": [found.document() for found in casts]},
            rows=lambda: [*tidy_rows(table for each in sections for table in each.tables)],
        )
        media.show(opened, result)
