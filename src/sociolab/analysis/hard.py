"""Which tasks are hard for one agent, and how all agents did on these and on the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

from sociolab.analysis.figures import listed
from sociolab.analysis.pooled import Pool
from sociolab.core.errors import ConfigError
from sociolab.report.words import plural
from sociolab.stats.difficulty import HARDEST, Difficulties, Difficulty, Play, difficulties
from sociolab.stats.intervals import Estimate, mean
from sociolab.stats.scale import on_scale


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
                raise ConfigError(f'{flag}: no play of "{agent}" has a score{pool.hint}')
            raise ConfigError(f'{flag}: "{agent}" played nothing here; the agents are: {known}')
    if target in without:
        raise ConfigError(f"--without: {target} is the target")
    values, untold = (
        tuple(v for v in some if v.agent is not None and v.agent not in without)
        for some in (pool.values, pool.untold)
    )
    found = difficulties(
        [Play(value.task, str(value.agent), value.value) for value in values],
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
    whole = mean([value.value for value in mine], [value.cluster for value in mine])
    return on_scale(whole, found.pool.measure.low, found.pool.measure.high)


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
        f"no task has two scored plays of each of {plural(agents, 'agent')}, which the spread of "
        f"scores takes (plays on {example.task}: {told}); play with --repeats 2 or with several "
        "partners, or do without an agent by --without"
    )
