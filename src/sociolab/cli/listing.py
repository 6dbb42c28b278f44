"""`sociolab list`, `rename` and `delete`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from sociolab.app.data import imported_names, load_world, world_names
from sociolab.app.registry import names
from sociolab.app.stored import open_store
from sociolab.app.task_lists import stored_lists, wanted_tasks
from sociolab.cli.output import print_json, say
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.report.episodes import kept_work, run_of_episodes
from sociolab.report.words import plural
from sociolab.store.runs import RunRow

Rows = list[dict[str, Any]]
_FEW_SEATS = 6


def show_list(
    what: str,
    *,
    run: str | None,
    world: str,
    data: str | None,
    tasks: str | None,
    everything: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Print a table, or the same as JSON; `everything`: runs that only keep replies, too."""
    lists: dict[str, Callable[[], Rows]] = {
        "runs": lambda: _runs(store, everything=everything),
        "episodes": lambda: _episodes(store, run),
        "tasks": lambda: _tasks(world, data, tasks),
        "task-lists": _task_lists,
        "worlds": lambda: [{"world": name} for name in world_names()],
        "agents": lambda: _agents(world),
        "data": lambda: [
            {"world": w, "data": d} for w in (*world_names(), "dnd") for d in imported_names(w)
        ],
    }
    if what not in lists:
        raise ConfigError(f'expected one of {", ".join(lists)}, found "{what}"')
    rows = lists[what]()
    if as_json:
        print_json({"schema": 1, what: rows})
    elif rows:
        _print(rows)
    else:
        say(f"no {what}")


def rename(old: str, new: str, *, store: Path | None) -> None:
    """Rename a run."""
    with open_store(store) as opened:
        opened.rename_run(old, new)
    say(f"{old} is now {new}")


def delete(run: str, *, yes: bool, store: Path | None) -> None:
    """Delete a run; asks first."""
    with open_store(store) as opened:
        row = opened.run(run)
        what = f"{row.trials} trials" if not kept_work(row) else "replies"
        for study in opened.studies():
            if study.run == run:
                people = plural(len(opened.participants(study.name)), "participant")
                what += f" and the study {study.name} ({people})"
        if not yes and not typer.confirm(f"delete {run} with its {what}?", err=True):
            raise typer.Exit(1)
        opened.delete_run(run)
    say(f"deleted {run} with its {what}")


def _runs(store: Path | None, *, everything: bool) -> Rows:
    """A row for each run of episodes; `everything`: with what is kept there, also for others."""
    with open_store(store) as opened:
        runs = opened.runs()
    shown = [row for row in runs if everything or not kept_work(row)]
    if hidden := len(runs) - len(shown):
        told = f"{plural(hidden, 'run')} of replies only, such as an audit's"
        say(f"not shown: {told}; --all shows them")
    return [_run_row(row, everything=everything) for row in shown]


def _run_row(row: RunRow, *, everything: bool) -> dict[str, Any]:
    return {
        "run": row.name,
        "world": row.world,
        "created": f"{datetime.fromtimestamp(row.created, UTC):%Y-%m-%d %H:%M}",
        "trials": row.trials,
        "played": row.played,
        "failed": row.failed,
        **({"holds": _holds(row)} if everything else {}),
    }


def _holds(row: RunRow) -> str:
    """What is in a run, in words."""
    work = kept_work(row)
    return f"the replies of {work}" if work else "episodes"


def _episodes(store: Path | None, run: str | None) -> Rows:
    with open_store(store) as opened:
        runs = [row for row in opened.runs() if not kept_work(row)]
        if run is None and len(runs) != 1:
            known = ", ".join(row.name for row in runs) or "none"
            raise ConfigError(f"whose episodes? expected --run NAME; there is: {known}")
        name = run_of_episodes(opened, run or runs[0].name).name
        return [
            {
                "episode": row.trial.id,
                "task": row.trial.task.id,
                "agents": _cast(row.trial),
                "repeat": row.trial.repeat,
                "status": row.status if not row.cause else f"{row.status}: {row.cause}",
            }
            for row in opened.trials(name)
        ]


def _cast(trial: Trial) -> str:
    """Who sits where; in a large cast, neighbours that one agent plays are counted."""
    agents = [member.agent for member in trial.cast]
    if len(agents) <= _FEW_SEATS:
        return " / ".join(agents)
    counted = ((agent, len(list(seats))) for agent, seats in groupby(agents))
    return " / ".join(f"{agent} x {count}" if count > 1 else agent for agent, count in counted)


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


def _print(rows: Sequence[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in rows[0]:
        table.add_column(column, overflow="fold", no_wrap=column in ("episode", "run"))
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    Console().print(table)
