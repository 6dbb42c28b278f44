"""`sociolab list`: which runs, episodes, tasks, task lists, worlds, agents and data there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolab.cli.options import (
    EpisodeLimit,
    Json,
    OneJudge,
    OptText,
    OptTexts,
    StoreFile,
    TaskFilter,
    argument,
    option,
    refuse,
)
from sociolab.cli.output import console, endless, print_json, say
from sociolab.core.errors import ConfigError
from sociolab.plugin.options import FIRST_WORLD

if TYPE_CHECKING:
    from sociolab.app.queries import EpisodeQuery
    from sociolab.cli.list_rows import Rows, Table

verbs = typer.Typer()

_HIDDEN = ("scenario",)
"""Columns that a terminal is spared: ids begin with them."""


@verbs.command(
    "list", epilog='Example: sociolab list episodes --run first --score "goal_checked<3"'
)
def list_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT", help="runs, episodes, tasks, task-lists, worlds, agents or data."
        ),
    ] = "runs",
    name: Annotated[
        OptText, argument("NAME", "For episodes the run, for tasks and agents the world.")
    ] = None,
    run: Annotated[OptText, option("--run", "RUN", "The run whose episodes to list.")] = None,
    agent: Annotated[
        OptText, option("--agent", "LABEL", "Only episodes or runs with this agent.")
    ] = None,
    tag: Annotated[OptTexts, option("--tag", "WORD", "Runs with this tag. Repeatable.")] = None,
    partner: Annotated[
        OptText, option("--partner", "LABEL", "Only episodes with this partner.")
    ] = None,
    task: Annotated[
        OptText, option("--task", "ID", "Only episodes whose task id starts with this.")
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only episodes that failed or have invalid turns.")
    ] = False,
    score: Annotated[
        OptTexts,
        option(
            "--score", "RULE", 'Only episodes with "goal<4" or "goal_checked=disputed". Repeatable.'
        ),
    ] = None,
    sort: Annotated[
        OptText, option("--sort", "METRIC", "Sort episodes by this metric, lowest first.")
    ] = None,
    judge: OneJudge = None,
    limit: EpisodeLimit = None,
    world: Annotated[
        OptText, option("--world", "WORLD", f"Whose tasks or agents; default {FIRST_WORLD}.")
    ] = None,
    data: Annotated[OptText, option("--data", "NAME|DIR", "Tasks of this data set.")] = None,
    tasks: TaskFilter = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also runs without episodes, such as audits.")
    ] = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """List runs, episodes, tasks, task lists, worlds, agents or data."""
    from sociolab.app.data.sets import world_names
    from sociolab.app.queries import EpisodeQuery
    from sociolab.app.registry import about_world, data_kinds
    from sociolab.cli.list_rows import Table, aligned, tabbed
    from sociolab.core.user_files import imported_names

    if name is not None:
        if what not in ("episodes", "tasks", "agents"):
            raise ConfigError(f'list {what} takes no name, found "{name}"')
        flag_value = run if what == "episodes" else world
        if flag_value not in (None, name):
            raise ConfigError(f'expected one name, found "{name}" and "{flag_value}"')
        run, world = (name, world) if what == "episodes" else (run, name)
    world_name = world or FIRST_WORLD
    lists: dict[str, Callable[[], Rows]] = {
        "tasks": lambda: task_rows(world_name, data, tasks),
        "task-lists": _task_lists,
        "worlds": lambda: [{"world": w, "about": about_world(w)} for w in world_names()],
        "agents": lambda: agent_rows(world_name),
        "data": lambda: [{"world": w, "data": d} for w in data_kinds() for d in imported_names(w)],
    }
    if what not in ("runs", "episodes", *lists):
        names = ", ".join(("runs", "episodes", *lists))
        raise ConfigError(f'expected one of {names}, found "{what}"')
    flags: dict[tuple[str, ...], dict[str, object]] = {
        ("episodes",): {
            "--run": run, "--partner": partner, "--task": task, "--failed": failed,
            "--score": score, "--sort": sort, "--judge": judge, "--limit": limit,
        },
        ("runs", "episodes"): {"--agent": agent},
        ("runs",): {"--tag": tag, "--all": everything},
        ("tasks", "agents"): {"--world": world},
        ("tasks",): {"--data": data, "--tasks": tasks},
    }  # fmt: skip
    for kinds, values in flags.items():
        if what not in kinds:
            where = " and ".join(f"`sociolab list {kind}`" for kind in kinds)
            refuse(values, f"is for {where}: leave it out")
    if what in lists:
        rows = lists[what]()
        hidden = () if endless() else _HIDDEN
        cells = [{name: row[name] for name in row if name not in hidden} for row in rows]
        table = Table(rows, cells, {})
    elif what == "runs":
        table = _runs(store, agent, tuple(tag or ()), everything=everything)
    else:
        query = EpisodeQuery(agent, partner, task, failed, tuple(score or ()), sort, judge, limit)
        table = _episodes(store, run, query)
    if json:
        print_json({"schema": 1, **table.head, what: table.objects})
    elif table.cells:
        uncut = endless()
        lines = tabbed(table.cells) if uncut else aligned(table.cells, console().width)
        for line in lines:
            typer.echo(line)
    else:
        say(f"no {what}")


def _runs(
    store: Path | None, agent: str | None, tags: tuple[str, ...], *, everything: bool
) -> Table:
    """A row for each run with episodes; with `everything`, for those of cached replies, too."""
    from sociolab.app.queries import runs_with
    from sociolab.cli.list_rows import run_table
    from sociolab.report.words import plural
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        runs = opened.runs()
        rows = [row for row in runs if everything or not row.keeps]
        rows = runs_with(rows, agent, tags)
        table = run_table(opened, rows, everything=everything)
    hidden = 0 if everything else sum(bool(row.keeps) for row in runs)
    if hidden:
        count = f"{plural(hidden, 'run')} without episodes (cached replies)"
        say(f"not shown: {count}; --all shows them")
    return table


def _episodes(store: Path | None, run: str | None, query: EpisodeQuery) -> Table:
    from sociolab.app.queries import query_episodes
    from sociolab.cli.list_rows import episode_table
    from sociolab.report.result import run_of_episodes
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        runs = [row for row in opened.runs() if not row.keeps]
        if run is None and len(runs) != 1:
            names = ", ".join(row.name for row in runs) or "none"
            raise ConfigError(f"whose episodes? expected --run NAME; there is: {names}")
        name = run_of_episodes(opened, run or runs[0].name).name
        answer = query_episodes(opened, name, query)
    if len(answer.episodes) < answer.total:
        say(f"first {len(answer.episodes):,} of {answer.total:,} episodes (--limit)")
    return episode_table(answer)


def task_rows(world: str, data: str | None, tasks: str | None) -> Rows:
    from sociolab.app.data.sets import load_world, select_tasks
    from sociolab.app.transcripts import task_title

    kit = load_world(world, data)
    return [
        {
            "task": task.id,
            "title": task_title(kit.world, task),
            "scenario": task.cluster,
            "tags": " ".join(task.tags),
        }
        for task in select_tasks(world, kit.world, tasks, None)
    ]


def _task_lists() -> Rows:
    from sociolab.app.data.sets import stored_lists, world_names

    return [
        {
            "task-list": task_list.name,
            "world": task_list.world,
            "data": f"{task_list.data[0]} {task_list.data[1]}",
            "tasks": len(task_list.tasks),
            "made for": task_list.made.get("target", ""),
            "by": " ".join(
                str(task_list.made[key]) for key in ("measure", "judge") if key in task_list.made
            ),
        }
        for task_list in stored_lists(world_names())
    ]


def agent_rows(world: str) -> Rows:
    from sociolab.app.data.sets import load_world
    from sociolab.app.players.models import ready_endpoints
    from sociolab.app.registry import names
    from sociolab.core.episode import HUMAN

    kit = load_world(world)
    own = [(name, world, "rule-based player, offline") for name in kit.players]
    plugins = [
        (name, "plugin", "agent of an installed package")
        for name in names("sociolab.agents")
        if name != HUMAN
    ]
    models = [
        (f"{name}/MODEL", "models", "model at an endpoint")
        for name in ("openai", *ready_endpoints())
    ]
    builtin = [
        (HUMAN, "terminal", "a person who types"),
        ("python:MODULE:CLASS", "your code", "a Python class"),
    ]
    agents = [*own, *plugins, *models, *builtin]
    return [dict(zip(("agent", "from", "about"), agent, strict=True)) for agent in agents]
