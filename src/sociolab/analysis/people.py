"""Agents beside people: at which percentile of people's scores, on the same tasks and seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sociolab.analysis.agent_labels import AS_LABELLED, AgentNames
from sociolab.analysis.values import RunValues, Value, check_tasks, mean_of, values_of
from sociolab.core.errors import ConfigError
from sociolab.core.score import BY_FORMULA, JudgeId, Measure, leading_judges
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.formatting import rounded
from sociolab.report.section import Section
from sociolab.report.words import join_names, ordinal
from sociolab.stats.beside import (
    DRAWS,
    RESAMPLES,
    Placed,
    beside_people,
    exceeds,
    halves_floor,
    mean_beside,
)
from sociolab.stats.intervals import Estimate, as_record, mean, on_scale
from sociolab.store.store import Store

SAY = Catalogue("people")


@dataclass(frozen=True, slots=True)
class AmongPeople:
    """An agent's scores by one judge, among those of people in the same task and seat.

    `percentile` is from 0 to 100, `halves` the same figure for half of the people among the other
    half, `people` their mean. Of `due` scores some, or all, may not be established; `bounds` is the
    percentile if these were the lowest, and if they were the highest. `without`: scores on tasks
    that no person played.
    """

    agent: str
    judge: str
    measure: Measure
    score: Estimate
    people: float | None
    percentile: Estimate
    halves: tuple[float, float] | None
    due: int
    bounds: tuple[float, float]
    without: int
    by_rules: bool


@dataclass(frozen=True, slots=True)
class BesidePeople:
    """All agents of a run among the people of another; `dialogues` are these people's."""

    run: str
    people: str
    dialogues: int
    rows: tuple[AmongPeople, ...]

    def document(self) -> dict[str, Any]:
        """The percentiles as a JSON object."""
        rows = [as_record(row) | {"measure": row.measure.name} for row in self.rows]
        return {"people": self.people, "dialogues": self.dialogues, "agents": rounded(rows)}


def people_in(store: Store, run: str, people: str) -> RunValues:
    """The values of a run of people; ConfigError where nobody in it is a person, or where it shares
    no task with `run`."""
    values = values_of(store, people)
    if not any(agent.kind == "person" for agent in values.agents.values()):
        who = join_names(sorted(values.agents)) or "nobody"
        raise ConfigError(
            f"--people: expected a run that people played, found {people}, played by {who}"
        )
    trials = {name: [row.trial for row in store.trials(name)] for name in (run, people)}
    played, known = ({trial.task.id for trial in some} for some in trials.values())
    if not played & known:
        raise ConfigError(
            f"--people: {run} and {people} have no task in common; play the tasks of {people} "
            "(sociolab run WORLD --data NAME), or name people who played those of the run"
        )
    check_tasks(trials)
    return values


def beside_people_of(
    store: Store, run: str, people: str, names: AgentNames = AS_LABELLED
) -> BesidePeople:
    """Where the agents of a run are among the people of another. ConfigError as in `people_in`, and
    where no metric was scored in the same way in both."""
    reference = people_in(store, run, people)
    values = names.values(values_of(store, run))
    rows = [
        row
        for measure in values.measures.values()
        for agent in values.agents
        for row in _leading_row(values, agent, measure, reference)
    ]
    if not rows:
        raise ConfigError(
            f"--people: no judge scored {run} and {people} in the same way; judge both alike: "
            "sociolab judge RUN --judge JUDGE, or --reader endpoint/model for what was agreed"
        )
    return BesidePeople(run, people, len({v.trial for v in reference.values}), tuple(rows))


def people_scores(people: RunValues, measure: str, judge: JudgeId) -> tuple[Value, ...]:
    """The scores of persons that were made as those of a judge are (`scores_alike`)."""
    scores = scores_alike(people, measure, judge)
    return tuple(v for v in scores if people.agents[str(v.agent)].kind == "person")


def scores_alike(people: RunValues, measure: str, judge: JudgeId) -> tuple[Value, ...]:
    """The scores of a run's agents that were made as those of a judge are: by the same one or,
    where it applies a goal's formula, by the formula, whoever established what was agreed."""

    def alike(other: JudgeId) -> bool:
        return other == judge or (is_formula(other) and is_formula(judge))

    labels = [label for label, other in people.judges.items() if alike(other)]
    return tuple(
        value
        for value in people.values
        if value.measure == measure and value.judge in labels[:1] and value.value is not None
        if value.agent is not None
    )


def is_formula(judge: JudgeId) -> bool:
    """Whether it applies a goal's formula to what was agreed, whoever established that."""
    return judge.method in BY_FORMULA or judge.role == "reader"


def placed(values: Sequence[Value], end: int | None = None) -> tuple[Placed, ...]:
    """Values in their places; with `end` those without one have their least (0) or greatest (1)."""
    return tuple(
        Placed((v.task, v.seat), v.cluster, v.trial, v.ends[end or 0])
        for v in values
        if v.value is not None or end is not None
    )


def _leading_row(
    values: RunValues, agent: str, measure: Measure, reference: RunValues
) -> Iterator[AmongPeople]:
    """The agent in this metric, by the judge that leads among those whose scores people have, too;
    nothing without one, and for a person."""
    rows = {
        label: row
        for label, judge in values.judges.items()
        if values.agents[agent].kind != "person"
        if (others := people_scores(reference, measure.name, judge))
        if (row := _row(values, agent, measure, label, placed(others))) is not None
    }
    for label in leading_judges({label: values.judges[label] for label in rows}):
        yield rows[label]


def _row(
    values: RunValues, agent: str, measure: Measure, judge: str, people: Sequence[Placed]
) -> AmongPeople | None:
    """The agent by one judge; None where it had nothing to score on a task that people played."""
    places = {row.place for row in people}
    own = [
        v
        for v in (*values.values, *values.unscored)
        if (v.agent, v.judge, v.measure) == (agent, judge, measure.name)
    ]
    held = [v for v in own if (v.task, v.seat) in places]
    if not held:
        return None
    scored = [v for v in held if v.value is not None]
    here = {(v.task, v.seat) for v in scored}
    met = [row for row in people if row.place in here]
    low, high = (mean_beside(placed(held, end), people, exceeds) for end in (0, 1))
    return AmongPeople(
        agent,
        judge,
        measure,
        on_scale(mean_of(scored), measure.low, measure.high),
        mean([row.value for row in met], [row.cluster for row in met]).value,
        on_scale(beside_people(placed(scored), people, exceeds), 0, 100),
        halves_floor(met, exceeds) if met else None,
        len(held),
        (low or 0.0, high or 0.0),
        len(own) - len(held),
        values.agents[agent].kind == "rules",
    )


# ------------------------------------------------------------------ sentences and table


def people_section(beside: BesidePeople) -> Section:
    """The percentiles as a sentence for each agent, and as a table."""
    findings = [
        Finding(
            row.measure,
            {"agent": row.agent, "judge": row.judge},
            row.percentile,
            (Count("score", row.score.n),),
            more={"score": row.score.value, "people": row.people, "halves": row.halves},
        )
        for row in beside.rows
    ]
    dialogues = Count("dialogue", beside.dialogues)
    several = len({row.judge for row in beside.rows}) > 1
    figures = ("score", "people", "percentile", "halves", "scores")
    columns = ("agent", "metric", *(("judge",) if several else ()), *figures)
    return Section(
        SAY("title", run=beside.run, people=beside.people),
        tuple(_at(row) for row in beside.rows if row.score.n),
        tuple(_cautions(beside)),
        (
            SAY.table(
                "ranks",
                findings,
                columns=columns,
                dialogues=dialogues,
                draws=DRAWS,
                resamples=RESAMPLES,
            ),
        ),
    )


def _at(row: AmongPeople) -> Sentence:
    low, high = row.percentile.low, row.percentile.high
    interval = "" if low is None or high is None else f" [{low:.0f}, {high:.0f}]"
    value = row.percentile.value or 0.0
    place = ordinal(round(value) if value in (0, 100) else min(99, max(1, round(value))))
    return SAY("at", agent=row.agent, place=place, interval=interval, metric=row.measure)


def _cautions(beside: BesidePeople) -> Iterator[Sentence]:
    for agent in dict.fromkeys(row.agent for row in beside.rows if row.by_rules):
        yield SAY("rules", agent=agent)
    for row in beside.rows:
        if row.score.n < row.due:
            ends = tuple(round(end) for end in row.bounds)
            about = {"agent": row.agent, "due": row.due, "metric": row.measure, "bounds": ends}
            yield SAY("few", n=row.score.n, **about) if row.score.n else SAY("untold", **about)
        if row.without:
            scores = Count("score", row.without)
            yield SAY("without", scores=scores, agent=row.agent, people=beside.people)
