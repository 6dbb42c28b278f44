"""The hardest tasks for one agent (SOTOPIA-hard), and all agents' scores on these and others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sociolab.analysis.values import Pool, judge_caution, mean_of
from sociolab.core.errors import ConfigError
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.charts import STEP, WIDTH, interval_layers, labels
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import figure
from sociolab.report.section import Chart, Figure, Section
from sociolab.report.words import join_names, minus, plural
from sociolab.stats.difficulty import (
    HARDEST,
    Difficulties,
    Difficulty,
    ScoredPlay,
    estimate_difficulties,
)
from sociolab.stats.intervals import Estimate, on_scale

SAY = Catalogue("hard")
_FEW = 5
"""Scores per task and agent below which a spread is little more than a guess."""


@dataclass(frozen=True, slots=True)
class Hard:
    """The difficulty of every task for a target (SOTOPIA, section 7), the `most` hardest first.

    `pool` holds the scores that it rests on, and the verdicts of judges that could not tell; it
    leaves out those of no agent and of the agents in `without`.
    """

    pool: Pool
    difficulties: Difficulties
    most: int
    without: tuple[str, ...]

    @property
    def chosen(self) -> tuple[Difficulty, ...]:
        return self.difficulties.hardest(self.most)

    @property
    def ids(self) -> tuple[str, ...]:
        """The hardest tasks' ids, the hardest first."""
        return tuple(task.task for task in self.chosen)

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents, the target first, the others by name."""
        agents = sorted(
            {str(value.agent) for value in self.pool.values} - {self.difficulties.target}
        )
        return (self.difficulties.target, *agents)

    def others(self) -> frozenset[str]:
        """Ids of the tasks that have a difficulty and are not among the hardest."""
        return frozenset(task.task for task in self.difficulties.tasks[self.most :])

    @property
    def unscored_tasks(self) -> tuple[str, ...]:
        """The tasks of which no episode could be scored: they have no difficulty."""
        scored = {value.task for value in self.pool.values}
        return tuple(dict.fromkeys(v.task for v in self.pool.unscored if v.task not in scored))

    @property
    def ceiling(self) -> int:
        """How many of the hardest tasks are as hard as the scale allows."""
        width = self.pool.measure.high - self.pool.measure.low
        return sum(width - task.gap <= 1e-9 * width for task in self.chosen)


def hard(pool: Pool, target: str, *, most: int = HARDEST, without: Collection[str] = ()) -> Hard:
    """The difficulty of every task in a pool; ConfigError where no task has one.

    ConfigError for a target, or an agent to leave out, that is not there.
    """
    agents = {value.agent for value in pool.values if value.agent is not None}
    for flag, agent in (("--target", target), *(("--without", name) for name in without)):
        if agent not in agents:
            choices = join_names(sorted(agents)) if agents else "none"
            if any(value.agent == agent for value in pool.unscored):
                raise ConfigError(f'{flag}: no episode of "{agent}" has a score{pool.hint}')
            raise ConfigError(
                f'{flag}: "{agent}" has no score here; agents with scores: {choices}. Name one of '
                "them, another --judge, or have its episodes judged: sociolab judge RUN --judge "
                "endpoint/model or --reader endpoint/model"
            )
    if pool.better == "lower":
        raise ConfigError(
            f"--metric: in {pool.title} lower is better; expected one in which a low score "
            "says that a task is hard"
        )
    if target in without:
        raise ConfigError(f"--without: {target} is the target")
    values, unscored = (
        tuple(v for v in some if v.agent is not None and v.agent not in without)
        for some in (pool.values, pool.unscored)
    )
    difficulty = estimate_difficulties(
        [ScoredPlay(value.task, str(value.agent), value.value) for value in values],
        target,
        lower=pool.measure.low,
        upper=pool.measure.high,
    )
    if not difficulty.tasks:
        raise ConfigError(_explain_no_difficulty(difficulty, len(agents) - len(without)))
    agents_pool = replace(pool, values=values, unscored=unscored)
    return Hard(agents_pool, difficulty, most, tuple(without))


def scores(subset: Hard, agent: str, tasks: Collection[str]) -> Estimate:
    """The mean score of an agent on some tasks, with its interval truncated to the scale."""
    values = [v for v in subset.pool.values if v.agent == agent and v.task in tasks]
    return on_scale(mean_of(values), subset.pool.measure.low, subset.pool.measure.high)


def hard_document(subset: Hard, name: str) -> dict[str, Any]:
    """The hardest tasks and what their difficulty is computed from, as a JSON object."""
    pool = subset.pool
    return {
        "schema": 1,
        "name": name,
        "world": pool.world,
        "runs": list(pool.runs),
        "judge": {"judge": pool.judge, "method": pool.judge_id.method},
        "measure": {
            "measure": pool.measure.name,
            "low": pool.measure.low,
            "high": pool.measure.high,
        },
        "target": subset.difficulties.target,
        "agents": list(subset.agents),
        "without": list(subset.without),
        "hardest": [asdict(task) for task in subset.chosen],
        "others": [asdict(task) for task in subset.difficulties.tasks[subset.most :]],
        "left_out": [
            {"task": task.task, "plays": dict(task.plays)} for task in subset.difficulties.left_out
        ],
        "tied_out": subset.difficulties.tied_out(subset.most),
        "missing": subset.difficulties.missing,
        "untold": {"plays": len(pool.unscored), "tasks": list(subset.unscored_tasks)},
        "notes": [*pool.exams.failed, *pool.notes, *pool.exams.below],
    }


def _explain_no_difficulty(difficulty: Difficulties, agents: int) -> str:
    example = difficulty.left_out[0]
    counts = ", ".join(f"{agent} {n}" for agent, n in example.plays)
    return (
        f"no task has two scored episodes of each of {plural(agents, 'agent')}, which the spread "
        f"of scores requires (episodes on {example.task}: {counts}); play with --repeats 2 or with "
        "several partners, or leave an agent out with --without"
    )


def hard_section(subset: Hard, name: str, details: Sequence[Pool] = ()) -> Section:
    """The hardest tasks as a section.

    `details`: the pools of the metrics whose matrix of agents and partners is shown.
    """
    section = Section(
        SAY("title", name=name, target=subset.difficulties.target),
        tuple(_verdicts(subset, name)),
        tuple(_cautions(subset, name)),
        (_hardest(subset), _compare_subsets(subset), _components(subset), *_pairs(subset, details)),
        (_spread_chart(subset),),
    )
    return subset.pool.exams.on(section)


# ------------------------------------------------------------------ sentences and tables


def _verdicts(subset: Hard, name: str) -> Iterator[Sentence]:
    pool, target = subset.pool, subset.difficulties.target
    low, high = (minus(f"{end:.3g}") for end in (pool.measure.low, pool.measure.high))
    yield SAY(
        "holds",
        name=name,
        n=len(subset.chosen),
        tasks=Count("task", len(subset.difficulties.tasks)),
        target=target,
        metric=pool.measure,
        low=low,
        high=high,
        judge=pool.judge,
    )
    yield SAY("difficulty", target=target, low=low, high=high)
    on, off = scores(subset, target, subset.ids), scores(subset, target, subset.others())
    if on.value is not None and off.value is not None:
        yield SAY(
            "scored",
            target=target,
            on=figure(on.value, pool.measure),
            n=len(subset.others()),
            off=figure(off.value, pool.measure),
        )
    if subset.difficulties.left_out:
        yield SAY("too_few", tasks=Count("task", len(subset.difficulties.left_out)))
    if pool.unscored:
        yield _note_unscored(subset)
    if tied := subset.difficulties.tied_out(subset.most):
        yield SAY("tied", tasks=Count("more task", tied), target=target)


def _note_unscored(subset: Hard) -> Sentence:
    """How many scores the judge could not give, and how many tasks have none for that reason."""
    pool = subset.pool
    about = {
        "judge": pool.judge,
        "metric": pool.measure,
        "scores": Count("score", len(pool.unscored)),
        "tasks": Count("task", len({value.task for value in pool.unscored})),
    }
    if not subset.unscored_tasks:
        return SAY("untold", **about)
    return SAY("untold_tasks", n=len(subset.unscored_tasks), **about)


def _cautions(subset: Hard, name: str) -> Iterator[str]:
    pool, target = subset.pool, subset.difficulties.target
    if subset.others():
        yield SAY("same_episodes", target=target, name=name)
    else:
        yield SAY("all_tasks", most=subset.most)
    fewest = min(reach.n for task in subset.chosen for reach in task.models)
    if fewest < _FEW:
        yield SAY("few", scores=Count("score", fewest))
    if subset.ceiling:
        yield SAY("ceiling", n=subset.ceiling, tasks=len(subset.chosen))
    own = sum(task.best.model == target for task in subset.chosen)
    if len(subset.agents) == 1:
        yield SAY("alone", target=target)
    elif own:
        yield SAY("itself", n=own, target=target)
    if subset.difficulties.missing:
        yield SAY("missing", scores=Count("score", subset.difficulties.missing), target=target)
    yield from judge_caution(pool)
    yield from pool.notes


def _hardest(subset: Hard) -> FindingTable:
    findings = (
        Finding(
            subset.pool.measure,
            {"task": task.task, "agent": task.best.model},
            more={
                "place": place,
                "difficulty": task.gap,
                "high": task.best.high,
                "low": task.target.low,
                "mean": task.target.mean,
            },
        )
        for place, task in enumerate(subset.chosen, start=1)
    )
    return SAY.table("hardest", findings, target=subset.difficulties.target)


def _compare_subsets(subset: Hard) -> FindingTable:
    """All agents on the hardest tasks, and on the others."""
    on, off = subset.ids, subset.others()
    findings = []
    for agent in subset.agents:
        parts = {"on": scores(subset, agent, on), "off": scores(subset, agent, off)}
        counts = {f"{part}_scores": estimate.n for part, estimate in parts.items()}
        findings.append(Finding(subset.pool.measure, {"agent": agent}, more={**parts, **counts}))
    columns = ("agent", "on", "on_scores", *(("off", "off_scores") if off else ()))
    return SAY.table(
        "beside",
        findings,
        columns=columns,
        metric=subset.pool.measure,
        clusters=subset.pool.clusters,
        on=len(on),
        off=len(off),
    )


def _components(subset: Hard) -> FindingTable:
    findings = (
        Finding(
            subset.pool.measure,
            {"agent": reach.model},
            counts=(Count("score", reach.n),),
            more={
                "place": place,
                "mean": reach.mean,
                "sd": reach.sd,
                "low": reach.low,
                "high": reach.high,
            },
        )
        for place, task in enumerate(subset.chosen, start=1)
        for reach in task.models
    )
    return SAY.table("components", findings)


def _pairs(subset: Hard, details: Sequence[Pool]) -> Iterator[FindingTable]:
    """Agents with partners on the hardest tasks, for each metric (as Figure F.5)."""
    for pool in details:
        cells = pair_means(subset, pool)
        partners = sorted({partner for _, partner in cells})
        texts = {
            pair: SAY("cell", mean=figure(mean, pool.measure), n=n)
            for pair, (mean, n) in cells.items()
        }
        findings = (
            Finding(
                pool.measure,
                {"agent": agent},
                more={f"with {partner}": texts.get((agent, partner)) for partner in partners},
            )
            for agent in subset.agents
            if any(name == agent for name, _ in cells)
        )
        columns = [Column(partner, partner, f"with {partner}") for partner in partners]
        yield SAY.table("pairs", findings, columns=("agent", *columns), metric=pool.measure)


def _spread_chart(subset: Hard) -> Figure:
    """A chart of agents' means and spreads on each task. Ids of tasks are long, so that they stand
    above their rows."""
    measure = subset.pool.measure
    headings = [
        SAY("place", place=place, task=task.task, gap=figure(task.gap, measure))
        for place, task in enumerate(subset.chosen, start=1)
    ]
    rows = [
        {
            "task": heading,
            "who": reach.model,
            "value": reach.mean,
            "low": reach.low,
            "high": reach.high,
            "beside": SAY("cell", mean=figure(reach.mean, measure), n=reach.n),
        }
        for heading, task in zip(headings, subset.chosen, strict=True)
        for reach in task.models
    ]
    header = {"labelOrient": "top", "labelAnchor": "start", "labelAlign": "left", "labelLimit": 0}
    spec = {
        "data": {"values": rows},
        "facet": {"row": {"field": "task", "title": None, "sort": headings, "header": header}},
        "spacing": 8,
        "spec": {
            "width": WIDTH,
            "height": {"step": STEP},
            "encoding": {"y": labels("who", subset.agents)},
            "layer": interval_layers("value", measure.low, measure.high),
        },
    }
    title = SAY("chart", metric=subset.pool.title, target=subset.difficulties.target)
    described = "; ".join(_describe_spread(subset, task) for task in subset.chosen)
    return Figure(SAY("caption", chart=title), Chart(title, described, spec))


def _describe_spread(subset: Hard, task: Difficulty) -> Sentence:
    measure = subset.pool.measure
    agents = [
        SAY(
            "reach",
            agent=reach.model,
            mean=figure(reach.mean, measure),
            low=figure(reach.low, measure),
            high=figure(reach.high, measure),
        )
        for reach in task.models
    ]
    return SAY("reaches", task=task.task, gap=figure(task.gap, measure), agents=agents)


def pair_means(subset: Hard, pool: Pool) -> dict[tuple[str, str], tuple[float, int]]:
    """The mean and number of an agent's plays with a partner on the hardest tasks."""
    values: dict[tuple[str, str], list[float]] = {}
    for value in pool.values:
        if value.agent and value.partner and value.task in subset.ids and value.value is not None:
            values.setdefault((value.agent, value.partner), []).append(value.value)
    return {
        pair: (sum(some) / len(some), len(some))
        for pair, some in values.items()
        if pair[0] in subset.agents
    }
