"""Check and complete a data set that a user writes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sociolab.app.data.sets import load_world
from sociolab.app.registry import world_plugin, worlds_that
from sociolab.core.errors import ConfigError


def check(folder: Path, world: str) -> str:
    """Load a data set as a run would, and say what is in it; ConfigError where it is wrong.

    Also what its author should know, a line each, where the world says so.
    """
    if not folder.is_dir():
        raise ConfigError(f"{folder} is no folder; expected one with the files of a data set")
    kit = load_world(world, str(folder.resolve()))
    tasks = kit.world.tasks()
    if not tasks:
        raise ConfigError(f"{folder / 'tasks.jsonl'} holds no task")
    data = kit.world.data
    clusters = Counter(task.cluster for task in tasks)
    first = (
        f"{data.name} {data.version} is in order: {len(tasks)} tasks in {len(clusters)} scenarios, "
        f"hash {data.hash}"
    )
    remarks = world_plugin(world).remarks
    return "\n".join((first, *(remarks(kit.world) if remarks else ())))


def cast(folder: Path, world: str, per_scenario: int, seed: int) -> str:
    """Write the tasks of a folder; ConfigError where its world casts nobody."""
    write = world_plugin(world).cast
    if write is None:
        known = " and ".join(worlds_that(lambda one: one.cast is not None))
        raise ConfigError(f'only the world {known} casts characters, found "{world}"')
    return write(folder, per_scenario, seed)
