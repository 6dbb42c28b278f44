"""Check and complete a data set that a user writes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from sociolab.app.data.sets import load_world
from sociolab.core.errors import ConfigError
from sociolab.core.ports import World


def check(folder: Path, world: str) -> str:
    """Load a data set as a run would, and say what is in it; ConfigError where it is wrong.

    Of sotopia's data also what its author should know, a line each.
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
    return "\n".join((first, *_remarks(kit.world)))


def _remarks(world: World) -> tuple[str, ...]:
    from sociolab.worlds.sotopia.dataset import remarks
    from sociolab.worlds.sotopia.world import Sotopia

    return remarks(world.dataset) if isinstance(world, Sotopia) else ()


def cast_sotopia(folder: Path, per_scenario: int, seed: int) -> str:
    """Write tasks.jsonl for the scenarios of a folder; ConfigError if it is there already."""
    from sociolab.worlds.sotopia.build import cast_tasks
    from sociolab.worlds.sotopia.dataset import read_lines
    from sociolab.worlds.sotopia.scenarios import Character, Relationship, Scenario

    target = folder / "tasks.jsonl"
    if target.exists():
        raise ConfigError(f"{target} is there already; move it away to cast anew")
    characters = {c.id: c for _, c in read_lines(folder / "characters.jsonl", Character)}
    pairs = [r for _, r in read_lines(folder / "relationships.jsonl", Relationship)]
    scenarios = [s for _, s in read_lines(folder / "scenarios.jsonl", Scenario)]
    rows = cast_tasks(scenarios, characters, pairs, per_scenario=per_scenario, seed=seed)
    text = "".join(
        json.dumps({"id": r.id, "scenario": r.scenario, "characters": r.characters}) + "\n"
        for r in rows
    )
    target.write_text(text, "utf-8")
    return f"wrote {target}: {len(rows)} tasks"
