"""Agents across worlds: one table of main measures, and whether worlds or levels go together.

A column is one measure of one world as one judge gave it, on the same data, tasks and partners
(`report.leaderboard`): figures of different judges never stand in one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from sociolab.analysis.values import RunValues, Value
from sociolab.core.errors import ConfigError
from sociolab.core.score import foremost
from sociolab.report.leaderboard import Board, Place, boards
from sociolab.report.schema import RunResult
from sociolab.stats.correlation import Correlation, pearson, spearman


@dataclass(frozen=True, slots=True)
class Column:
    """A measure of a world as one judge gave it, by agent. `terms` says on what, and with whom."""

    world: str
    measure: str
    title: str
    judge: str
    method: str
    terms: str
    notes: tuple[str, ...]
    places: Mapping[str, Place]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that the figures come from."""
        return tuple(dict.fromkeys(place.run for place in self.places.values()))

    def value(self, agent: str) -> float | None:
        """An agent's mean, None where it has none."""
        place = self.places.get(agent)
        return place.entry.value if place else None


@dataclass(frozen=True, slots=True)
class Relation:
    """Two correlations of the same points. `what` says of what, `of` what a point is."""

    what: str
    of: str
    pearson: Correlation
    spearman: Correlation


def columns_of(results: Sequence[RunResult], judges: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns, by world; `judges` names the one judge that is wanted of a world.

    Where none is named each judge has its own column, formulas only where nobody else judged. An
    agent that has several runs on the same terms is in several columns. ConfigError for a world or
    judge that is not there.
    """
    _check(results, judges)
    found: list[Column] = []
    for board in _wanted(boards(results), judges):
        places = [*board.places, *board.baselines]
        order = [result.run for result in results]
        places.sort(key=lambda place: order.index(place.run))
        while places:
            first: dict[str, Place] = {}
            for place in places:
                first.setdefault(place.agent, place)
            found.append(_column(board, first))
            places = [place for place in places if first[place.agent] is not place]
    return tuple(found)


def between_worlds(columns: Sequence[Column]) -> tuple[Relation, ...]:
    """For each two columns of different worlds with 3 agents or more in both: do agents that are
    higher in one tend to be higher in the other? A point is an agent."""
    found = []
    for a, b in combinations(columns, 2):
        agents = sorted(a.places.keys() & b.places.keys())
        if a.world != b.world and len(agents) > 2:
            x, y = [a.value(agent) for agent in agents], [b.value(agent) for agent in agents]
            found.append(relation(f"{a.title} / {b.title}", "agent", x, y, agents))
    return tuple(found)


def between_levels(
    talk: RunValues, action: RunValues, agent: str, measures: tuple[str, str]
) -> tuple[Sequence[float | None], Sequence[float | None], tuple[str, ...]]:
    """By social task that both runs have: the mean of the talks' measure over the task's
    conversations, the mean of the town's; and the tasks. `measures` are the talks' and the town's;
    the values of both runs are those of one judge each.

    A talk's cluster is the id of its social task (STSS section 3.2).
    """
    said = _by(talk.values, agent, measures[0], lambda value: value.cluster)
    done = _by(action.values, agent, measures[1], lambda value: value.task)
    tasks = tuple(sorted(said.keys() & done.keys()))
    return [said[task] for task in tasks], [done[task] for task in tasks], tasks


def relation(
    what: str,
    of: str,
    x: Sequence[float | None],
    y: Sequence[float | None],
    points: Sequence[str],
) -> Relation:
    """Both correlations; each point counts as independent of the others."""
    return Relation(what, of, pearson(x, y, points), spearman(x, y, points))


def column_document(column: Column) -> dict[str, Any]:
    """A column as a JSON object; its cells are entries as in docs/result.md, with their run."""
    return {
        "world": column.world,
        "measure": column.measure,
        "judge": column.judge,
        "method": column.method,
        "terms": column.terms,
        "agents": {
            agent: {"run": place.run, "kind": place.kind, **place.entry.model_dump(mode="json")}
            for agent, place in column.places.items()
        },
    }


def relation_document(found: Relation) -> dict[str, Any]:
    """A relation as a JSON object."""
    return asdict(found)


def _check(results: Sequence[RunResult], judges: Mapping[str, str]) -> None:
    for world, judge in judges.items():
        known = {one.judge for result in results if result.world == world for one in result.judges}
        if not known:
            worlds = ", ".join(dict.fromkeys(result.world for result in results))
            raise ConfigError(f'--judge: none of these runs is of "{world}"; they are of {worlds}')
        if judge not in known:
            raise ConfigError(
                f'--judge: nothing of {world} was judged by "{judge}"; its judges: '
                f"{', '.join(sorted(known))}"
            )


def _wanted(found: Sequence[Board], judges: Mapping[str, str]) -> Iterable[Board]:
    for board in found:
        terms = board.terms
        others = [one.terms for one in found if one.terms.world == terms.world]
        asked = foremost({one.judge: one.method for one in others})
        if terms.judge in ([judges[terms.world]] if terms.world in judges else asked):
            yield board


def _column(board: Board, places: Mapping[str, Place]) -> Column:
    terms = board.terms
    return Column(
        world=terms.world,
        measure=terms.measure,
        title=f"{terms.world} {board.title}",
        judge=terms.judge,
        method=terms.method,
        terms=f"{terms.data}; {terms.tasks}; {terms.met}",
        notes=board.notes,
        places=places,
    )


def _by(values: Iterable[Value], agent: str, measure: str, task: Any) -> dict[str, float | None]:
    """The mean over the values of each task; None where all are missing."""
    found: dict[str, list[float]] = {}
    for value in values:
        if (value.agent, value.measure) == (agent, measure):
            some = found.setdefault(task(value), [])
            some += [] if value.value is None else [value.value]
    return {name: fmean(some) if some else None for name, some in found.items()}
