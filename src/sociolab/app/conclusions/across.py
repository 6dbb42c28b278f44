"""`sociolab table`: what agents came to in all worlds, from several runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from sociolab.analysis.across import (
    Column,
    Relation,
    between_levels,
    between_worlds,
    column_document,
    columns_of,
    relation,
    relation_document,
)
from sociolab.analysis.across_section import across_section
from sociolab.analysis.figures import rounded
from sociolab.analysis.values import values_of
from sociolab.app.conclusions.levels_alike import Played, planned_alike
from sociolab.app.finding.agent_names import AgentNames, agent_names
from sociolab.app.finding.pooled import each_once
from sociolab.core.errors import ConfigError
from sociolab.report.result import result_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.store.sqlite import Store

SCHEMA = 1
TALK, ACTION = "stss-talk", "stss"
"""The two levels of STSS: the language level and the action level."""


@dataclass(frozen=True, slots=True)
class Across:
    """The runs' results, the table's columns, what goes together, and which labels stand for
    several codes."""

    results: tuple[RunResult, ...]
    columns: tuple[Column, ...]
    worlds: tuple[Relation, ...]
    levels: tuple[Relation, ...]
    codes: tuple[str, ...] = ()

    @property
    def section(self) -> Section:
        """All of it in words and tables."""
        section = across_section(self.columns, self.worlds, self.levels)
        return replace(section, cautions=(*section.cautions, *self.codes))

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        section = self.section
        return {
            "schema": SCHEMA,
            "runs": [result.run for result in self.results],
            "columns": [column_document(column) for column in self.columns],
            "between_worlds": rounded([relation_document(one) for one in self.worlds]),
            "between_levels": rounded([relation_document(one) for one in self.levels]),
            "said": list(section.said),
            "cautions": list(section.cautions),
        }


def across(store: Store, runs: Sequence[str], judges: Mapping[str, str]) -> Across:
    """The table of these runs; `judges` names a judge by world. ConfigError for a run that is
    named twice, and where none has a figure."""
    names = agent_names(store, each_once(runs))
    results = tuple(names.result(result_of(store, run)) for run in runs)
    columns = columns_of(results, judges)
    if not columns:
        raise ConfigError(
            "no play of these runs has a score: have them judged (sociolab judge RUN --judge "
            "endpoint/model), or have a model read what was agreed (--reader endpoint/model)"
        )
    levels = tuple(_levels(store, results, columns, names))
    return Across(results, columns, between_worlds(columns), levels, names.notes)


def _levels(
    store: Store, results: Sequence[RunResult], columns: Sequence[Column], names: AgentNames
) -> Iterator[Relation]:
    """The two levels of STSS, task by task, for each agent that has both on the same terms."""
    played = {result.run: Played(result, ()) for result in results}
    for talk, action in product(columns, columns):
        if (talk.world, action.world) == (TALK, ACTION):
            for agent in sorted(talk.places.keys() & action.places.keys()):
                said, done = talk.places[agent].run, action.places[agent].run
                if planned_alike(played[said], played[done]):
                    yield _relation(store, talk, action, agent, names)


def _relation(
    store: Store, talk: Column, action: Column, agent: str, names: AgentNames
) -> Relation:
    said, done, tasks = between_levels(
        names.values(values_of(store, talk.places[agent].run)).of(talk.judge),
        names.values(values_of(store, action.places[agent].run)).of(action.judge),
        agent,
        (talk.measure, action.measure),
    )
    runs = talk.places[agent].run, action.places[agent].run
    what = f"{agent}: its talks ({runs[0]}, judge: {talk.judge}) / its tasks in town ({runs[1]})"
    return relation(what, "task", said, done, tasks)
