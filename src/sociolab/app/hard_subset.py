"""The tasks that are hard for one agent, as a task list to play."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.analysis.hard_subset import Hard, hard
from sociolab.analysis.values import Pool, pool_runs, recorded_data, run_values
from sociolab.app.data.sets import TaskList, check_name, load_world
from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.stats.difficulty import HARDEST
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class HardSpec:
    """The agent (`target`) for which to find hard tasks, and the name of their list.

    `without` are agents to leave out, `most` is the maximum number of tasks.
    """

    runs: tuple[str, ...]
    target: str
    name: str
    most: int = HARDEST
    measure: str | None = None
    judge: str | None = None
    without: tuple[str, ...] = ()
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hard tasks, the pools of all metrics that the judge scored (first the one that defines
    difficulty), the list, and the command that plays it once it is saved."""

    hard: Hard
    pools: tuple[Pool, ...]
    tasks: TaskList
    command: str


def choose_hard(store: Store, spec: HardSpec) -> Chosen:
    """Find the hardest tasks; `data.sets.save_list` stores their list.

    ConfigError where there are none, or where the name of the list is taken or invalid.
    """
    values = run_values(store, spec.runs)
    world = values[0].world
    check_name(world, spec.name, _known_tasks(store, world, spec.runs), replace=spec.replace)
    subset = hard(
        pool_runs(values, spec.judge, spec.measure),
        spec.target,
        most=spec.most,
        without=spec.without,
    )
    main = subset.pool.measure.name
    scored = [
        {v.measure for v in run.values if v.judge == subset.pool.judge and v.value is not None}
        for run in values
    ]
    other_names = [
        name for name in values[0].measures if all(name in measured for measured in scored)
    ]
    names = dict.fromkeys([main, *other_names])
    pools = tuple(pool_runs(values, subset.pool.judge, name) for name in names)
    source = _data_source(store, spec.runs[0])
    data = [] if source is None else ["--data", source]
    command = shlex.join(["sociolab", "run", world, *data, "--tasks", spec.name])
    return Chosen(subset, pools, _task_list(store, spec, subset), command)


def _data_source(store: Store, run: str) -> str | None:
    """The data set or folder that a run named with --data; None for the world's own."""
    settings = store.run(run).settings
    source = settings.get("data_source") if isinstance(settings, dict) else None
    return None if source is None else str(source)


def _task_list(store: Store, spec: HardSpec, subset: Hard) -> TaskList:
    sources = (recorded_data(store.run(run).settings) for run in subset.pool.runs)
    data = next((source for source in sources if source is not None), None)
    if data is None:
        raise ConfigError(
            f"which data {', '.join(subset.pool.runs)} played is not known (imported episodes), so "
            "its tasks cannot be played by name"
        )
    origin = {
        "by": "sociolab hard",
        "runs": list(subset.pool.runs),
        "target": spec.target,
        "agents": list(subset.agents),
        "measure": subset.pool.measure.name,
        "judge": subset.pool.judge,
        "difficulties": {task.task: task.gap for task in subset.chosen},
    }
    return TaskList(
        name=spec.name, world=subset.pool.world, data=data, tasks=subset.ids, made=origin
    )


def _known_tasks(store: Store, world: str, runs: Sequence[str]) -> list[Task]:
    """The tasks whose ids and tags are no valid name of a list: those that the runs played, and
    those of their data, if that still exists."""
    tasks = [row.trial.task for run in dict.fromkeys(runs) for row in store.trials(run)]
    for run in dict.fromkeys(runs):
        try:
            tasks += load_world(world, _data_source(store, run)).world.tasks()
        except ConfigError:  # the data was moved or deleted since
            continue
    return tasks
