"""The tasks to play: a world's own data, an imported set, a user's folder, or a stored list."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sociolab.app.registry import names, world_plugin, worlds_that
from sociolab.core.episode import Json, Task
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import Declared
from sociolab.core.ports import DataId, World, WorldKit
from sociolab.core.reading import json_record, read_text
from sociolab.core.seeding import digest
from sociolab.core.user_files import (
    data_home,
    find_data_folder,
    fresh_folder,
    imported_folder,
    write_atomically,
)
from sociolab.engine.scene import FailurePolicy
from sociolab.engine.setup import WorldSetup
from sociolab.report.words import plural
from sociolab.runner.plan import filter_tasks
from sociolab.store.connect import checked_name


def load_world(
    name: str,
    data: str | None = None,
    policy: FailurePolicy = FailurePolicy(),  # noqa: B008  frozen
    settings: Mapping[str, str] | None = None,
    seed: int = 0,
) -> WorldKit:
    """Load a world with its data; ConfigError if either is missing, or a setting is wrong."""
    plugin = world_plugin(name)
    folder = None if data is None else find_data_folder(name, data)
    return plugin(WorldSetup(folder, policy, settings or {}, seed))


def world_names() -> tuple[str, ...]:
    return names("sociolab.worlds")


@contextmanager
def new_data_set(kind: str, name: str, *, replace: bool) -> Iterator[Path]:
    """A new folder, which becomes the data set of this kind (a world, or "dnd") and name.

    An error within the context leaves everything as it was. ConfigError as in `free_place`, and
    where nothing can be written.
    """
    with fresh_folder(free_place(kind, name, replace=replace)) as fresh:
        yield fresh


def free_place(kind: str, name: str, *, replace: bool) -> Path:
    """The path for a data set of this kind and name.

    ConfigError for an invalid name, and for one that is taken and not to be replaced.
    """
    place = imported_folder(kind, checked_name(name, "data set"))
    if place.exists() and not replace:
        raise ConfigError(
            f'a data set called "{name}" is there already; choose another --name, or add --replace'
        )
    return place


def check_data_set(folder: Path, world: str) -> str:
    """Load a data set as a run would, and describe it in a line; ConfigError where it is wrong.

    Remarks of the world for its author follow, a line each.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; expected one with the files of a data set")
    kit = load_world(world, str(folder.resolve()))
    tasks = kit.world.tasks()
    if not tasks:
        raise ConfigError(f"{folder} holds no task of {world}")
    data = kit.world.data
    clusters = Counter(task.cluster for task in tasks)
    cluster = kit.declared.cluster
    clustered = f" in {plural(len(clusters), cluster)}" if cluster != "task" else ""
    first = (
        f"{data.name} {data.version} is in order: {plural(len(tasks), 'task')}{clustered}, "
        f"hash {data.hash}"
    )
    remarks = world_plugin(world).remarks
    return "\n".join((first, *(remarks(kit.world) if remarks else ())))


def cast_tasks(folder: Path, world: str, per_scenario: int, seed: int) -> str:
    """Write the tasks of a folder by casting its characters; ConfigError where the world does not
    support it. Returns a sentence on the outcome."""
    write = world_plugin(world).cast
    if write is None:
        worlds = " and ".join(worlds_that(lambda installed: installed.cast is not None))
        raise ConfigError(f'only the world {worlds} casts characters, found "{world}"')
    return write(folder, per_scenario, seed)


# ------------------------------------------------------------------ lists of tasks

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_SHOWN = 4
"""Number of tasks that a message names before it counts the rest."""


class TaskList(BaseModel):
    """A named list of tasks of a data set, stored as JSON.

    `data` is the data set's name, version and hash; `made` records how the list was made.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    name: str
    world: str
    data: tuple[str, str, str]
    tasks: tuple[str, ...] = Field(min_length=1)
    made: dict[str, Any] = Field(default_factory=dict)

    @property
    def hash(self) -> str:
        """Hash of the data set and the tasks, regardless of their order."""
        return digest(self.data[2], *sorted(self.tasks))


def select_tasks(name: str, world: World, text: str | None, limit: int | None) -> tuple[Task, ...]:
    """The tasks that a filter names; the names of stored lists may be used like tags.

    `name` is the name of the world. ConfigError as in `runner.plan.select`, and for a list that was
    made for other data than `world` has.
    """
    lists = {
        task_list.name: frozenset(task_list.tasks) for task_list in named_lists(name, world, text)
    }
    return filter_tasks(world.tasks(), text, limit, lists)


def declare_clusters(kit: WorldKit, world: str, text: str | None) -> Declared:
    """What the kit declares, with how many clusters a filter names, whatever the limit of a run."""
    if kit.declared.clusters is not None:
        return kit.declared
    tasks = select_tasks(world, kit.world, text, None)
    return replace(kit.declared, clusters=len({task.cluster for task in tasks}))


def list_hashes(name: str, world: World, text: str | None) -> dict[str, Json]:
    """By name, the hash of each stored list that a filter names: a run can only be resumed with the
    same lists."""
    return {task_list.name: task_list.hash for task_list in named_lists(name, world, text)}


RESERVED = ("public-hard",)
"""Tags of imported data, which must not be names of lists even while that data is not loaded."""


def named_lists(name: str, world: World, text: str | None) -> tuple[TaskList, ...]:
    """The stored lists that a filter names; ConfigError for one that does not fit the world."""
    words = dict.fromkeys(word.strip() for word in re.split("[,+]", text or ""))
    paths = [_path(name, word) for word in words if _NAME.fullmatch(word)]
    lists = tuple(_read(path) for path in paths if path.is_file())
    for task_list in lists:
        _check_fits(task_list, world.data, world.tasks())
    return lists


def stored_lists(worlds: Sequence[str]) -> tuple[TaskList, ...]:
    """All lists of these worlds, by world and name."""
    return tuple(_read(path) for world in worlds for path in sorted(_folder(world).glob("*.json")))


def check_name(world: str, name: str, tasks: Iterable[Task], *, replace: bool) -> None:
    """ConfigError for an invalid name of a list, one that another list has (unless it may be
    replaced), and one that is the id or a tag of one of these tasks."""
    checked_name(name, "task list")
    if name in RESERVED or any(name == task.id or name in task.tags for task in tasks):
        raise ConfigError(
            f'--name: "{name}" is already a task or tag of {world}, which --tasks would mean; '
            "choose another name"
        )
    if _path(world, name).is_file() and not replace:
        raise ConfigError(
            f'--name: there is a task list "{name}" already; choose another name, or write it '
            "anew with --replace"
        )


def save_list(tasks: TaskList) -> Path:
    """Store a list, replacing one of the same name, and return its file."""
    path = _path(tasks.world, tasks.name)
    text = json.dumps(tasks.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _check_fits(task_list: TaskList, data: DataId, tasks: Sequence[Task]) -> None:
    if any(task_list.name == task.id or task_list.name in task.tags for task in tasks):
        raise ConfigError(
            f'--tasks: "{task_list.name}" is a stored task list and also a task or tag of '
            f"{data.name}; make the list under another name, and delete "
            f"{_path(task_list.world, task_list.name)}"
        )
    if task_list.data[2] == data.hash:
        return
    ids = {task.id for task in tasks}
    missing = [task for task in task_list.tasks if task not in ids]
    more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    lost = "it has tasks of the same ids, which may not be the same tasks"
    if missing:
        lost = (
            f"{len(missing)} of its {len(task_list.tasks)} tasks are missing: "
            f"{', '.join(missing[:_SHOWN])}{more}"
        )
    raise ConfigError(
        f'--tasks: the list "{task_list.name}" was made for the data {task_list.data[0]} '
        f"{task_list.data[1]} ({task_list.data[2]}), and --data is {data.name} "
        f"{data.version} ({data.hash}); {lost}"
    )


def _folder(world: str) -> Path:
    return data_home() / "tasks" / world


def _path(world: str, name: str) -> Path:
    return _folder(world) / f"{name}.json"


def _read(path: Path) -> TaskList:
    return json_record(f"{path} is no task list", TaskList, read_text(path))
