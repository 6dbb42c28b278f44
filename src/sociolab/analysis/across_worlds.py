"""Agents across worlds: one table of main metrics, and correlations between worlds and levels.

A column is one metric of one world as one judge scored it, on the same data, tasks and partners
(`report.leaderboard`): figures of different judges never stand in one column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from statistics import fmean
from typing import Any

from sociolab.analysis.agent_labels import AgentNames, agent_names
from sociolab.analysis.values import RunValues, Value, values_of
from sociolab.core.errors import ConfigError
from sociolab.core.score import BASELINES, leading_judges, resolve_judge
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.leaderboard import Board, BoardRow, make_boards
from sociolab.report.result import each_once, result_of
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.report.words import failed_share
from sociolab.stats.correlation import Correlation, pearson, spearman
from sociolab.stats.intervals import as_record
from sociolab.store.store import Store

SCHEMA = 1

ABREAST = 3
"""Columns that a terminal holds beside the agents."""

SAY = Catalogue("across")
RANKED = Catalogue("rank")
FEW_POINTS = 30
"""Below so many points a correlation's interval is wide."""
WIDE = 1.0
"""An interval of a correlation from here on says hardly more than nothing."""


@dataclass(frozen=True, slots=True)
class TwoLevels:
    """Two worlds that play the same tasks at two levels: conversation, and outcome.

    `talk` and `action` are their names; a talk's cluster is the id of its task in the other world.
    `alike` tells of two runs, one of each, whether they were played on the same terms. `talks` and
    `tasks` name in a table what an agent did there.
    """

    talk: str
    action: str
    alike: Callable[[RunResult, RunResult], bool]
    talks: str
    tasks: str


@dataclass(frozen=True, slots=True)
class Across:
    """Results, the table's columns, and correlations; `codes` are notes on labels that stand for
    several versions of an agent's code."""

    results: tuple[RunResult, ...]
    columns: tuple[WorldColumn, ...]
    worlds: tuple[Relation, ...]
    levels: tuple[Relation, ...]
    codes: tuple[str, ...] = ()

    @property
    def section(self) -> Section:
        section = across_section(self.columns, self.worlds, self.levels)
        judges = {(column.world, column.judge) for column in self.columns}
        by_run = {
            result.run: [judge for judge in result.judges if (result.world, judge.judge) in judges]
            for result in self.results
        }
        exams = exam_notes(by_run, {judge for _, judge in judges})
        return exams.on(replace(section, cautions=(*section.cautions, *self.codes)))

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        section = self.section
        return {
            "schema": SCHEMA,
            "runs": [result.run for result in self.results],
            "columns": [column_document(column) for column in self.columns],
            "between_worlds": rounded([relation_document(related) for related in self.worlds]),
            "between_levels": rounded([relation_document(related) for related in self.levels]),
            "said": list(section.sentences),
            "cautions": list(section.all_cautions),
        }


def across(
    store: Store,
    runs: Sequence[str],
    judges: Mapping[str, str],
    levels: Sequence[TwoLevels] = (),
) -> Across:
    """The table of these runs; `judges` names a judge by world. ConfigError for a run that is
    named twice, and where none has a figure."""
    names = agent_names(store, each_once(runs))
    results = tuple(names.result(result_of(store, run)) for run in runs)
    columns = build_columns(results, judges)
    if not columns:
        raise ConfigError(
            "no episode of these runs has a score: have them judged (sociolab judge RUN --judge "
            "endpoint/model), or have a model read what was agreed (--reader endpoint/model)"
        )
    related = chain.from_iterable(
        _level_relations(store, results, columns, level, names) for level in levels
    )
    return Across(results, columns, between_worlds(columns), tuple(related), names.notes)


def _level_relations(
    store: Store,
    results: Sequence[RunResult],
    columns: Sequence[WorldColumn],
    levels: TwoLevels,
    names: AgentNames,
) -> Iterator[Relation]:
    """Correlations over tasks, for each agent that played both levels on the same terms."""
    played = {result.run: result for result in results}
    for talk, action in product(columns, columns):
        if (talk.world, action.world) != (levels.talk, levels.action):
            continue
        for agent in sorted(talk.places.keys() & action.places.keys()):
            runs = talk.places[agent].run, action.places[agent].run
            if levels.alike(played[runs[0]], played[runs[1]]):
                talks, done, tasks = between_levels(
                    names.values(values_of(store, runs[0])).by_judge(talk.judge),
                    names.values(values_of(store, runs[1])).by_judge(action.judge),
                    agent,
                    (talk.measure, action.measure),
                )
                what = (
                    f"{agent}: {levels.talks} ({runs[0]}, judge: {talk.judge}) / {levels.tasks} "
                    f"({runs[1]})"
                )
                yield relation(what, "task", talks, done, tasks)


@dataclass(frozen=True, slots=True)
class WorldColumn:
    """A world's metric by one judge, for each agent. `terms` names data, tasks and partners."""

    world: str
    measure: str
    title: str
    judge: str
    method: str
    terms: str
    notes: tuple[str, ...]
    places: Mapping[str, BoardRow]

    @property
    def runs(self) -> tuple[str, ...]:
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


def build_columns(
    results: Sequence[RunResult], judges: Mapping[str, str]
) -> tuple[WorldColumn, ...]:
    """The columns, by world; `judges` names the judge of a world, where only one is to be shown.

    Where none is named each judge has its own column, formulas only where nobody else judged. An
    agent that has several runs on the same terms is in several columns. ConfigError for a world or
    judge that is not there.
    """
    chosen = {world: _judge(results, world, judge) for world, judge in judges.items()}
    columns: list[WorldColumn] = []
    for board in _choose_boards(make_boards(results), chosen):
        places = [*board.places, *board.baselines]
        order = [result.run for result in results]
        places.sort(key=lambda place: order.index(place.run))
        while places:
            first: dict[str, BoardRow] = {}
            for place in places:
                first.setdefault(place.agent, place)
            columns.append(_column(board, first))
            places = [place for place in places if first[place.agent] is not place]
    return tuple(columns)


def between_worlds(columns: Sequence[WorldColumn]) -> tuple[Relation, ...]:
    """For each two columns of different worlds with 3 agents or more in both: do agents that are
    higher in one tend to be higher in the other? A point is an agent."""
    relations = []
    for a, b in combinations(columns, 2):
        agents = sorted(a.places.keys() & b.places.keys())
        if a.world != b.world and len(agents) > 2:
            x, y = [a.value(agent) for agent in agents], [b.value(agent) for agent in agents]
            relations.append(relation(f"{a.title} / {b.title}", "agent", x, y, agents))
    return tuple(relations)


def between_levels(
    talk: RunValues, action: RunValues, agent: str, measures: tuple[str, str]
) -> tuple[Sequence[float | None], Sequence[float | None], tuple[str, ...]]:
    """By social task that both runs have: the mean of the talks' metric over the task's
    conversations, the mean of the town's; and the tasks. `measures` are the talks' and the town's;
    the values of both runs are those of one judge each.

    A talk's cluster is the id of its social task.
    """
    talks = _mean_by_task(talk.values, agent, measures[0], lambda value: value.cluster)
    done = _mean_by_task(action.values, agent, measures[1], lambda value: value.task)
    tasks = tuple(sorted(talks.keys() & done.keys()))
    return [talks[task] for task in tasks], [done[task] for task in tasks], tasks


def relation(
    what: str,
    of: str,
    x: Sequence[float | None],
    y: Sequence[float | None],
    points: Sequence[str],
) -> Relation:
    """Both correlations; each point counts as independent of the others."""
    return Relation(what, of, pearson(x, y, points), spearman(x, y, points))


def column_document(column: WorldColumn) -> dict[str, Any]:
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


def relation_document(related: Relation) -> dict[str, Any]:
    return as_record(related)


def _judge(results: Sequence[RunResult], world: str, requested: str) -> str:
    """The label of the judge that `requested` names; ConfigError for an unknown judge or world."""
    labels = {judge.judge for result in results if result.world == world for judge in result.judges}
    if not labels:
        worlds = ", ".join(dict.fromkeys(result.world for result in results))
        raise ConfigError(f'--judge: none of these runs is of "{world}"; they are of {worlds}')
    return resolve_judge(requested, sorted(labels), world)


def _choose_boards(candidates: Sequence[Board], judges: Mapping[str, str]) -> Iterable[Board]:
    for board in candidates:
        terms = board.terms
        same_world = [
            candidate.terms for candidate in candidates if candidate.terms.world == terms.world
        ]
        leading = leading_judges(
            {term.judge: term.judge_id for term in same_world}, with_people=True
        )
        if terms.judge in ([judges[terms.world]] if terms.world in judges else leading):
            yield board


def _column(board: Board, places: Mapping[str, BoardRow]) -> WorldColumn:
    terms = board.terms
    return WorldColumn(
        world=terms.world,
        measure=terms.measure,
        title=f"{terms.world} {board.title}",
        judge=terms.judge,
        method=terms.judge_id.method,
        terms=f"{terms.data}; {terms.tasks}; {terms.met}",
        notes=board.notes,
        places=places,
    )


def _mean_by_task(
    values: Iterable[Value], agent: str, measure: str, task: Any
) -> dict[str, float | None]:
    """The mean over the values of each task; None where all are missing."""
    by_task: dict[str, list[float]] = {}
    for value in values:
        if (value.agent, value.measure) == (agent, measure):
            scores = by_task.setdefault(task(value), [])
            scores += [] if value.value is None else [value.value]
    return {name: fmean(scores) if scores else None for name, scores in by_task.items()}


def across_section(
    columns: Sequence[WorldColumn], worlds: Sequence[Relation], levels: Sequence[Relation]
) -> Section:
    """The table of agents, and the correlations over agents and between the levels of STSS."""
    names = _titles(columns)
    groups = [columns[i : i + ABREAST] for i in range(0, len(columns), ABREAST)]
    heads = [names[i : i + ABREAST] for i in range(0, len(columns), ABREAST)]
    agents = tuple(dict.fromkeys(agent for column in columns for agent in column.places))
    tables = [_agents(agents, group, titles) for group, titles in zip(groups, heads, strict=True)]
    if worlds:
        tables.append(related_table(SAY("worlds_heading"), "worlds", worlds))
    if levels:
        tables.append(related_table(SAY("levels_heading"), "agent", levels))
    return Section(
        SAY("title"),
        tuple(_verdicts(columns, agents, worlds, levels)),
        tuple(_cautions(columns, [*worlds, *levels])),
        tuple(tables),
    )


def _titles(columns: Sequence[WorldColumn]) -> list[str]:
    """Unique headings of columns: judge and run are added where needed."""
    plain = [column.title for column in columns]
    judges = {name: {c.judge for c in columns if c.title == name} for name in plain}
    judged = [
        f"{name} · {column.judge}" if len(judges[name]) > 1 else name
        for name, column in zip(plain, columns, strict=True)
    ]
    return [
        f"{name} · {', '.join(column.runs)}" if judged.count(name) > 1 else name
        for name, column in zip(judged, columns, strict=True)
    ]


def _verdicts(
    columns: Sequence[WorldColumn],
    agents: Sequence[str],
    worlds: Sequence[Relation],
    levels: Sequence[Relation],
) -> Iterator[Sentence]:
    names = tuple(dict.fromkeys(column.world for column in columns))
    yield SAY(
        "scope", agents=Count("agent", len(agents)), worlds=Count("world", len(names)), names=names
    )
    if len(names) > 1 and not worlds:
        yield SAY("too_few_agents")
    for related in (*worlds, *levels):
        yield _relation_verdict(related)


def _relation_verdict(related: Relation) -> Sentence:
    rho = related.spearman
    about = SAY("about", what=related.what, points=Count(related.of, rho.n))
    if rho.value is None:
        return SAY("not_computed", about=about, why=rho.note)
    if rho.low is None or rho.high is None:
        return SAY("no_conclusion", about=about, rho=rho, why=rho.note)
    if rho.low <= 0 <= rho.high:
        sign = SAY("sign_open")
    elif rho.high - rho.low >= WIDE:
        sign = SAY("rise_uncertain" if rho.value > 0 else "fall_uncertain")
    else:
        sign = SAY("rise" if rho.value > 0 else "fall")
    return SAY("correlated", about=about, rho=rho, sign=sign)


def _cautions(columns: Sequence[WorldColumn], relations: Sequence[Relation]) -> Iterator[Sentence]:
    rough = {
        SAY("in_world", judge=c.judge, world=c.world) for c in columns if c.method in BASELINES
    }
    if rough:
        yield SAY("rough", judges=sorted(rough))
    rules: dict[str, set[str]] = {}
    for place in (place for column in columns for place in column.places.values()):
        if place.by_rules:
            rules.setdefault(place.agent, set()).add(place.kind)
    for agent, kinds in sorted(rules.items()):
        yield SAY("baseline", agent=agent, kinds=sorted(kinds))
    yield from _failed_turns(columns)
    yield from _coverage(columns)
    if relations and (least := min(related.pearson.n for related in relations)) < FEW_POINTS:
        yield SAY("few_points", points=Count("point", least))


def _failed_turns(columns: Sequence[WorldColumn]) -> Iterator[Sentence]:
    """A caution that names the agents that failed turns, each run once."""
    lost = {
        (place.run, agent): place.lost
        for column in columns
        for agent, place in column.places.items()
        if place.lost
    }
    if lost:
        agents = [
            SAY("failed_in", agent=who, share=share, run=run) for (run, who), share in lost.items()
        ]
        yield RANKED("failed_turns", agents=agents)


def _coverage(columns: Sequence[WorldColumn]) -> Iterator[Sentence]:
    """A caution for each column in which some episodes of an agent could not be scored."""
    for column in columns:
        agents = [
            SAY("agent_coverage", agent=agent, coverage=place.covered["coverage"])
            for agent, place in column.places.items()
            if place.entry.unscored
        ]
        if agents:
            yield SAY("coverage", metric=column.title, agents=agents)


def _agents(
    agents: Sequence[str], columns: Sequence[WorldColumn], titles: Sequence[str]
) -> FindingTable:
    findings = (
        Finding(
            about={"agent": agent},
            more={
                title: _cell(column.places[agent]) if agent in column.places else ""
                for title, column in zip(titles, columns, strict=True)
            },
        )
        for agent in agents
        if any(agent in column.places for column in columns)
    )
    lost = any(place.lost for column in columns for place in column.places.values())
    notes = [SAY("in_parentheses_lost" if lost else "in_parentheses")]
    notes += [
        SAY("column", column=title, notes=column.notes, terms=str(column.terms), runs=column.runs)
        for title, column in zip(titles, columns, strict=True)
    ]
    headings = [Column(title, title, title) for title in titles]
    return SAY.table("agents", findings, columns=("agent", *headings), notes=notes)


def _cell(place: BoardRow) -> Sentence:
    entry, lost = place.entry, failed_share(place.entry)
    parts = [
        f"{entry.n:,}",
        *([SAY("failed", n=entry.failures)] if entry.failures else []),
        *([SAY("turns", share=lost)] if lost else []),
    ]
    return SAY("cell", mean=place.value, parts=parts)


def related_table(heading: str, corner: str, relations: Sequence[Relation]) -> FindingTable:
    """A row for each relation, all of the same kind of points; `corner` heads the first column."""
    findings = (
        Finding(
            about={"what": related.what},
            counts=(Count(related.of, related.pearson.n),),
            more={"pearson": related.pearson, "spearman": related.spearman},
        )
        for related in relations
    )
    coefficients = (part for related in relations for part in (related.pearson, related.spearman))
    whys = sorted({part.note for part in coefficients if part.low is None})
    return SAY.table(
        "related",
        findings,
        columns=("what", "counts", "pearson", "spearman"),
        notes=(
            SAY("jackknife", point=relations[0].of),
            *(SAY("no_interval", why=why) for why in whys),
        ),
        title=heading,
        corner=corner,
    )
