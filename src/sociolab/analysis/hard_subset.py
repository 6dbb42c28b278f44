"""Which tasks are hard for one agent, and how all agents did on these and on the others.

With what makes them hard, in words, tables and charts, and what that does not show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sociolab.analysis.values import Pool, judge_caution, mean_of
from sociolab.core.errors import ConfigError
from sociolab.report.charts import STEP, WIDTH, interval_layers, labels
from sociolab.report.formatting import NOTHING, figure, span, title_of
from sociolab.report.section import Chart, Figure, Section, TextTable
from sociolab.report.words import listed, minus, plural
from sociolab.stats.difficulty import (
    HARDEST,
    Difficulties,
    Difficulty,
    ScoredPlay,
    difficulties,
)
from sociolab.stats.intervals import Estimate, on_scale

_FEW = 5
"""Plays of a task and agent below which its spread is little more than a guess."""


@dataclass(frozen=True, slots=True)
class Hard:
    """The difficulty of every task for a target (SOTOPIA, section 7), the `most` hardest first.

    `pool` holds the plays that it rests on, and those that the judge could not tell: those of
    nobody in particular, and of the agents in `without`, are not among them.
    """

    pool: Pool
    found: Difficulties
    most: int
    without: tuple[str, ...]

    @property
    def chosen(self) -> tuple[Difficulty, ...]:
        """The hardest tasks."""
        return self.found.hardest(self.most)

    @property
    def ids(self) -> tuple[str, ...]:
        """The hardest tasks' ids, the hardest first."""
        return tuple(task.task for task in self.chosen)

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents, the target first."""
        others = sorted({str(value.agent) for value in self.pool.values} - {self.found.target})
        return (self.found.target, *others)

    def others(self) -> frozenset[str]:
        """The tasks that have a difficulty and are not among the hardest."""
        return frozenset(task.task for task in self.found.tasks[self.most :])

    @property
    def untold_tasks(self) -> tuple[str, ...]:
        """The tasks of which the judge could tell no play: they have no difficulty."""
        told = {value.task for value in self.pool.values}
        return tuple(dict.fromkeys(v.task for v in self.pool.untold if v.task not in told))

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
    for flag, agent in (("--target", target), *(("--without", one) for one in without)):
        if agent not in agents:
            known = listed(sorted(agents)) if agents else "none"
            if any(value.agent == agent for value in pool.untold):
                raise ConfigError(f'{flag}: no episode of "{agent}" has a score{pool.hint}')
            raise ConfigError(
                f'{flag}: "{agent}" has no score here; agents with scores: {known}. Name one of '
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
    values, untold = (
        tuple(v for v in some if v.agent is not None and v.agent not in without)
        for some in (pool.values, pool.untold)
    )
    found = difficulties(
        [ScoredPlay(value.task, str(value.agent), value.value) for value in values],
        target,
        lower=pool.measure.low,
        upper=pool.measure.high,
    )
    if not found.tasks:
        raise ConfigError(_nothing(found, len(agents) - len(without)))
    mine = replace(pool, values=values, untold=untold)
    return Hard(mine, found, most, tuple(without))


def scores(found: Hard, agent: str, tasks: Collection[str]) -> Estimate:
    """The mean of an agent's plays on some tasks, with its interval, cut to the scale."""
    mine = [v for v in found.pool.values if v.agent == agent and v.task in tasks]
    return on_scale(mean_of(mine), found.pool.measure.low, found.pool.measure.high)


def hard_document(found: Hard, name: str) -> dict[str, Any]:
    """The hardest tasks with all that their difficulty is made of, as a JSON object."""
    pool = found.pool
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
        "target": found.found.target,
        "agents": list(found.agents),
        "without": list(found.without),
        "hardest": [asdict(task) for task in found.chosen],
        "others": [asdict(task) for task in found.found.tasks[found.most :]],
        "left_out": [{"task": one.task, "plays": dict(one.plays)} for one in found.found.left_out],
        "tied_out": found.found.tied_out(found.most),
        "missing": found.found.missing,
        "untold": {"plays": len(pool.untold), "tasks": list(found.untold_tasks)},
        "notes": list(pool.notes),
    }


def _nothing(found: Difficulties, agents: int) -> str:
    example = found.left_out[0]
    told = ", ".join(f"{agent} {n}" for agent, n in example.plays)
    return (
        f"no task has two scored episodes of each of {plural(agents, 'agent')}, which the spread "
        f"of scores requires (episodes on {example.task}: {told}); play with --repeats 2 or with "
        "several partners, or leave an agent out with --without"
    )


def hard_section(found: Hard, name: str, details: Sequence[Pool] = ()) -> Section:
    """The hardest tasks to print, or as a part of a page.

    `details`: the pools of the measures whose matrix of agents and partners is shown.
    """
    return Section(
        title=f"{name}: the hardest tasks for {found.found.target}",
        said=tuple(_said(found, name)),
        cautions=tuple(_cautions(found, name)),
        tables=(_hardest(found), _beside(found), _ingredients(found), *_pairs(found, details)),
        figures=(_reaches(found),),
    )


# ------------------------------------------------------------------ sentences


def _said(found: Hard, name: str) -> Iterator[str]:
    pool, target = found.pool, found.found.target
    low, high = (minus(f"{end:.3g}") for end in (pool.measure.low, pool.measure.high))
    yield (
        f"{name} holds the {len(found.chosen):,} hardest of "
        f"{plural(len(found.found.tasks), 'task')} for {target}, by {pool.title} ({low} to "
        f"{high}), judge {pool.judge}."
    )
    yield (
        f"Difficulty is how far some agent could score above the worst that {target} could: the "
        f"highest mean + 3 sd of any agent (at most {high}) minus {target}'s mean \N{MINUS SIGN} 3 "
        f"sd (at least {low}; SOTOPIA, section 7)."
    )
    on, off = scores(found, target, found.ids), scores(found, target, found.others())
    if on.value is not None and off.value is not None:
        yield (
            f"On these tasks {target} scored {figure(on.value, pool.measure)} on average, on the "
            f"other {len(found.others()):,} {figure(off.value, pool.measure)}."
        )
    if found.found.left_out:
        yield (
            f"Left out: {plural(len(found.found.left_out), 'task')} on which an agent has fewer "
            "than two scored episodes, so that there is no spread."
        )
    if pool.untold:
        yield _untold(found)
    if tied := found.found.tied_out(found.most):
        verb = "is" if tied == 1 else "are"
        yield (
            f"{plural(tied, 'more task')} {verb} as hard as the last of them, and not in the list: "
            f"of equals, those where {target} has the lower mean come first, then by name. The "
            "paper does not say how it chose."
        )


def _untold(found: Hard) -> str:
    """What the judge could not tell, and the tasks that are lost by it."""
    pool, lost = found.pool, found.untold_tasks
    tasks = len({value.task for value in pool.untold})
    told = (
        f"{pool.judge} could not tell {pool.title} of {plural(len(pool.untold), 'episode')} on "
        f"{plural(tasks, 'task')}"
    )
    if not lost:
        return f"{told}; they took no part."
    verb = "has" if len(lost) == 1 else "have"
    return (
        f"{told}; {len(lost):,} of these tasks {verb} no score at all, and so no difficulty: how "
        "hard they are is not known."
    )


def _cautions(found: Hard, name: str) -> Iterator[str]:
    pool, target = found.pool, found.found.target
    if found.others():
        yield (
            "The tasks were chosen from these same episodes, so part of their difficulty is bad "
            f"luck. To see how {target} really does on them, run it again (--tasks "
            f"{name})."
        )
    else:
        yield (
            f"The list holds every task that has a difficulty (--most {found.most}): nothing was "
            "chosen. Play more tasks, or ask for fewer."
        )
    fewest = min(reach.n for task in found.chosen for reach in task.models)
    if fewest < _FEW:
        yield (
            f"Some means and spreads are based on {fewest} episodes of an agent on a task. With "
            "so few, a task may seem hard by chance; play with more partners or repeats."
        )
    if found.ceiling:
        yield (
            f"{found.ceiling:,} of these {len(found.chosen):,} are as hard as the scale allows "
            f"(three standard deviations reach both of its ends), so their order says little."
        )
    own = sum(task.best.model == target for task in found.chosen)
    if len(found.agents) == 1:
        yield (
            f"Only {target} played: what is hard here is where its own scores vary most. Add runs "
            "of other agents on the same tasks."
        )
    elif own:
        yield (
            f"On {own:,} of them {target} itself has the highest: its scores vary widely there, "
            f"which need not mean that others do better."
        )
    if found.found.missing:
        yield (
            f"{plural(found.found.missing, 'episode')} without a score took no part. A task on "
            f"which {target} fails rather than scores low does not look hard here."
        )
    yield from judge_caution(pool)
    yield from pool.notes


# ------------------------------------------------------------------ tables


def _hardest(found: Hard) -> TextTable:
    measure, target = found.pool.measure, found.found.target
    rows = tuple(
        (
            str(place),
            task.task,
            figure(task.gap, measure),
            figure(task.best.high, measure),
            task.best.model,
            figure(task.target.low, measure),
            figure(task.target.mean, measure),
        )
        for place, task in enumerate(found.chosen, start=1)
    )
    heads = ("", "task", "difficulty", "highest", "agent", "lowest", "mean")
    notes = (
        "difficulty: highest minus lowest; highest: the best mean + 3 sd, and whose (the first by "
        "name if equal)",
        f"lowest: mean \N{MINUS SIGN} 3 sd of {target}; mean: of {target}",
    )
    return TextTable(f"Hardest tasks for {target}", heads, rows, notes, (1, 4))


def _beside(found: Hard) -> TextTable:
    """All agents on the hardest tasks, and on the others."""
    measure, on, off = found.pool.measure, frozenset(found.ids), found.others()

    def cells(agent: str, tasks: frozenset[str]) -> tuple[str, str]:
        one = scores(found, agent, tasks)
        return f"{figure(one.value, measure)} {span(one, measure)}".strip(), f"{one.n:,}"

    heads: tuple[str, ...] = ("agent", f"on these {len(on):,}", "n")
    if off:
        heads = (*heads, f"on the other {len(off):,}", "n")
    rows = tuple(
        (agent, *cells(agent, on), *(cells(agent, off) if off else ())) for agent in found.agents
    )
    note = (
        f"95 % intervals, clustered by {found.pool.clusters} and truncated at the ends of the "
        f"scale; from the same episodes by which the tasks were chosen"
    )
    return TextTable(f"{found.pool.title} on hard and on other tasks", heads, rows, (note,))


def _ingredients(found: Hard) -> TextTable:
    measure = found.pool.measure
    rows = tuple(
        (
            str(place),
            reach.model,
            f"{reach.n:,}",
            *(figure(value, measure) for value in (reach.mean, reach.sd, reach.low, reach.high)),
        )
        for place, task in enumerate(found.chosen, start=1)
        for reach in task.models
    )
    heads = ("", "agent", "plays", "mean", "sd", "low", "high")
    notes = (
        "numbered as above; over all scored episodes of the agent on the task: partners, seats and "
        "repeats together",
        "sd: sample standard deviation (n \N{MINUS SIGN} 1); low, high: mean \N{PLUS-MINUS SIGN} "
        "3 sd, truncated at the ends of the scale",
    )
    return TextTable("Components of the difficulties", heads, rows, notes, (1,))


def _pairs(found: Hard, details: Sequence[Pool]) -> Iterator[TextTable]:
    """Agents with partners on the hardest tasks, for each measure (as Figure F.5)."""
    for pool in details:
        cells = pair_means(found, pool)
        partners = sorted({partner for _, partner in cells})
        shown = {pair: f"{figure(mean, pool.measure)} ({n:,})" for pair, (mean, n) in cells.items()}
        rows = tuple(
            (agent, *(shown.get((agent, partner), NOTHING) for partner in partners))
            for agent in found.agents
            if any(one == agent for one, _ in cells)
        )
        title = f"{title_of(pool.measure)} on these tasks: agent (row) with partner (column)"
        note = "mean over episodes, and their number; no interval"
        yield TextTable(title, ("agent", *partners), rows, (note,))


def _reaches(found: Hard) -> Figure:
    """What each agent may reach on each task. Ids of tasks are long: they stand above their rows,
    whole."""
    measure = found.pool.measure
    headings = [
        f"{place}. {task.task} (difficulty {figure(task.gap, measure)})"
        for place, task in enumerate(found.chosen, start=1)
    ]
    rows = [
        {
            "task": heading,
            "who": reach.model,
            "value": reach.mean,
            "low": reach.low,
            "high": reach.high,
            "beside": f"{figure(reach.mean, measure)} ({reach.n:,})",
        }
        for heading, task in zip(headings, found.chosen, strict=True)
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
            "encoding": {"y": labels("who", found.agents)},
            "layer": interval_layers("value", measure.low, measure.high),
        },
    }
    title = f"{found.pool.title} on the hardest tasks for {found.found.target}"
    told = "; ".join(_told(found, task) for task in found.chosen)
    caption = (
        f"{title}, task by task: mean of each agent (dot), and 3 sd to both sides as far as the "
        "scale goes (line)."
    )
    return Figure(caption, Chart(title, told, spec))


def _told(found: Hard, task: Difficulty) -> str:
    measure = found.pool.measure
    return f"{task.task}: difficulty {figure(task.gap, measure)}, " + ", ".join(
        f"{one.model} {figure(one.mean, measure)} "
        f"({figure(one.low, measure)} to {figure(one.high, measure)})"
        for one in task.models
    )


def pair_means(found: Hard, pool: Pool) -> dict[tuple[str, str], tuple[float, int]]:
    """The mean and number of an agent's plays with a partner on the hardest tasks."""
    values: dict[tuple[str, str], list[float]] = {}
    for value in pool.values:
        if value.agent and value.partner and value.task in found.ids and value.value is not None:
            values.setdefault((value.agent, value.partner), []).append(value.value)
    return {
        pair: (sum(some) / len(some), len(some))
        for pair, some in values.items()
        if pair[0] in found.agents
    }
