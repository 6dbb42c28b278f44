"""`sociolab list`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.data.sets import (
    imported_names,
    load_world,
    stored_lists,
    wanted_tasks,
    world_names,
)
from sociolab.app.queries import EpisodeQuery, asked_episodes, open_store, runs_with
from sociolab.app.registry import names
from sociolab.cli.list_rows import Rows, Table, episode_table, run_table
from sociolab.cli.options import refuse
from sociolab.cli.output import console, endless, print_json, say
from sociolab.core.errors import ConfigError
from sociolab.report.result import kept_work, run_of_episodes
from sociolab.report.words import plural

_WHOLE = ("episode", "run", "played", "cost")
"""Columns that are not folded, unless they leave no room for the others."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is listed, and of which run, world (None: sotopia), data and tasks; `everything`: of
    runs, those that only keep replies, too. `tags`: of runs, those with all of them. `asked`: which
    episodes; its agent also which runs."""

    what: str
    run: str | None
    world: str | None
    data: str | None
    tasks: str | None
    everything: bool
    asked: EpisodeQuery
    tags: tuple[str, ...] = ()


def _refuse_others(sought: Sought) -> None:
    """ConfigError for a flag that has nothing to do with what is listed."""
    asked = sought.asked
    flags: dict[tuple[str, ...], dict[str, object]] = {
        ("episodes",): {
            "--run": sought.run, "--partner": asked.partner, "--task": asked.task,
            "--failed": asked.failed, "--score": asked.scores, "--sort": asked.sort,
            "--judge": asked.judge, "--limit": asked.limit,
        },
        ("runs", "episodes"): {"--agent": asked.agent},
        ("runs",): {"--tag": sought.tags, "--all": sought.everything},
        ("tasks", "agents"): {"--world": sought.world},
        ("tasks",): {"--data": sought.data, "--tasks": sought.tasks},
    }  # fmt: skip
    for listed, given in flags.items():
        if sought.what not in listed:
            where = " and ".join(f"`sociolab list {what}`" for what in listed)
            refuse(given, f"is for {where}: leave it out")


def show_list(sought: Sought, store: Path | None, *, as_json: bool) -> None:
    """Print a table, or the same as JSON with all that a program may want."""
    what, world = sought.what, sought.world or "sotopia"
    lists: dict[str, Callable[[], Rows]] = {
        "tasks": lambda: _tasks(world, sought.data, sought.tasks),
        "task-lists": _task_lists,
        "worlds": lambda: [{"world": name} for name in world_names()],
        "agents": lambda: _agents(world),
        "data": lambda: [
            {"world": w, "data": d} for w in (*world_names(), "dnd") for d in imported_names(w)
        ],
    }
    if what not in ("runs", "episodes", *lists):
        names_ = ", ".join(("runs", "episodes", *lists))
        raise ConfigError(f'expected one of {names_}, found "{what}"')
    _refuse_others(sought)
    if what in lists:
        rows = lists[what]()
        table = Table(rows, rows, {})
    else:
        table = _runs(store, sought) if what == "runs" else _episodes(store, sought)
    if as_json:
        print_json({"schema": 1, **table.head, what: table.objects})
    elif table.cells:
        _print(table.cells)
    else:
        say(f"no {what}")


def _runs(store: Path | None, sought: Sought) -> Table:
    """A row for each run of episodes; if everything is sought, also for others."""
    with open_store(store) as opened:
        runs = opened.runs()
        shown = [row for row in runs if sought.everything or not kept_work(row)]
        shown = runs_with(shown, sought.asked.agent, sought.tags)
        table = run_table(opened, shown, everything=sought.everything, whole=endless())
    hidden = 0 if sought.everything else sum(bool(kept_work(row)) for row in runs)
    if hidden:
        told = f"{plural(hidden, 'run')} of replies only, such as an audit's"
        say(f"not shown: {told}; --all shows them")
    return table


def _episodes(store: Path | None, sought: Sought) -> Table:
    with open_store(store) as opened:
        runs = [row for row in opened.runs() if not kept_work(row)]
        if sought.run is None and len(runs) != 1:
            known = ", ".join(row.name for row in runs) or "none"
            raise ConfigError(f"whose episodes? expected --run NAME; there is: {known}")
        name = run_of_episodes(opened, sought.run or runs[0].name).name
        answer = asked_episodes(opened, name, sought.asked)
    if len(answer.listed) < answer.fit:
        say(f"{len(answer.listed):,} of {answer.fit:,} episodes: --limit")
    return episode_table(answer, whole=endless())


def _tasks(world: str, data: str | None, wanted: str | None) -> Rows:
    kit = load_world(world, data)
    return [
        {"task": task.id, "scenario": task.cluster, "tags": " ".join(task.tags)}
        for task in wanted_tasks(world, kit.world, wanted, None)
    ]


def _task_lists() -> Rows:
    return [
        {
            "task-list": one.name,
            "world": one.world,
            "data": f"{one.data[0]} {one.data[1]}",
            "tasks": len(one.tasks),
            "made for": one.made.get("target", ""),
            "by": " ".join(str(one.made[key]) for key in ("measure", "judge") if key in one.made),
        }
        for one in stored_lists(world_names())
    ]


def _agents(world: str) -> Rows:
    kit = load_world(world)
    own = [{"agent": name, "from": world} for name in kit.players]
    plugins = [{"agent": name, "from": "plugin"} for name in names("sociolab.agents")]
    models = [{"agent": f"{name}/MODEL", "from": "models"} for name in names("sociolab.models")]
    return [*own, *plugins, *models]


def _print(rows: Rows) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    shown = console()
    table = Grid(box=None, pad_edge=False)
    for column in rows[0]:
        widest = max(len(line) for row in rows for line in str(row[column]).splitlines() or [""])
        whole = column in _WHOLE and widest <= shown.width // 2
        table.add_column(column, overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    shown.print(table)
