"""Social tasks of several towns lived at once, in as many processes as there are processors."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import TypeAlias

from sociolab.worlds.stss.dataset import TownData, own_town, read_town
from sociolab.worlds.stss.talk.freezing import frozen_talks
from sociolab.worlds.stss.talk.scenario import TalkScenario

Watch: TypeAlias = Callable[[int, int, int], object]
"""Told how many tasks have been lived, of how many, and how many talks were frozen."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One task to be lived: what a process is given."""

    folder: Path | None
    seed: int
    task: str


def candidates(units: list[Unit], watch: Watch) -> list[TalkScenario]:
    """What all froze: by task, then in the order of the units, however many processes there are."""
    found: list[TalkScenario] = []
    watch(0, len(units), 0)
    with _mapped(units) as frozen:
        for number, talks in enumerate(frozen, 1):
            found += talks
            watch(number, len(units), len(found))
    return sorted(found, key=_task_order(units))


def _task_order(units: list[Unit]) -> Callable[[TalkScenario], int]:
    """Tasks as they come in the town, whichever seed had one of them first."""
    order = {task: number for number, task in enumerate(dict.fromkeys(u.task for u in units))}
    return lambda one: order[one.task.id]


@contextmanager
def _mapped(units: list[Unit]) -> Iterator[Iterator[tuple[TalkScenario, ...]]]:
    """The units lived by as many processes as there are processors."""
    processes = min(len(units), _processors())
    if processes < 2:
        yield map(_frozen, units)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _follow_parent)
    try:
        yield pool.map(_frozen, units)
    finally:
        pool.shutdown(cancel_futures=True)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _follow_parent() -> None:
    """Ctrl-C reaches all processes of a terminal: leave it to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _frozen(unit: Unit) -> tuple[TalkScenario, ...]:
    town = town_of(unit.folder, unit.seed)
    task = next(one for one in town.tasks if one.id == unit.task)
    return frozen_talks(town, task, unit.seed)


@lru_cache(maxsize=1)
def town_of(folder: Path | None, seed: int) -> TownData:
    """The town of a folder, or our own with the tasks of a seed."""
    return own_town(seed) if folder is None else read_town(folder)
