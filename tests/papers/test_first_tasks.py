"""The first tasks of each world, which a short run plays, are of all its kinds."""

from __future__ import annotations

import pytest

from sociolab.app import load_world
from sociolab.core import Task
from sociolab.runner import filter_tasks


def first(world: str, limit: int) -> tuple[Task, ...]:
    """What `--limit` takes."""
    return filter_tasks(load_world(world).world.tasks(), None, limit)


@pytest.mark.parametrize(("world", "kinds"), [("sotopia", 6), ("stss", 5), ("stss-talk", 5)])
def test_as_many_tasks_as_there_are_kinds_are_one_of_each(world: str, kinds: int) -> None:
    everything = {task.tags[0] for task in load_world(world).world.tasks()}
    assert len(everything) == kinds
    assert {task.tags[0] for task in first(world, kinds)} == everything


@pytest.mark.parametrize(("world", "clusters"), [("sotopia", 90), ("stss", 30), ("stss-talk", 30)])
def test_a_task_of_each_cluster_comes_before_a_second_of_any(world: str, clusters: int) -> None:
    assert len({task.cluster for task in first(world, clusters)}) == clusters


def test_sixty_talks_are_two_of_each_social_task() -> None:
    found = [task.cluster for task in first("stss-talk", 60)]
    assert all(found.count(cluster) == 2 for cluster in found)
