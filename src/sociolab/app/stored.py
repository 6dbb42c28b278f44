"""What is in the store, for the verbs that look at it: runs, episodes, worlds of old runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.data import load_world
from sociolab.app.session import store_path
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.core.ports import World
from sociolab.store.sqlite import Store


@contextmanager
def open_store(path: Path | None) -> Iterator[Store]:
    """The store, which must be there."""
    with Store.open(store_path(path), create=False) as store:
        yield store


@dataclass(frozen=True, slots=True)
class Found:
    """An episode and where it was found."""

    run: str
    episode: Episode
    status: str
    problem: str = ""


def find_episode(store: Store, wanted: str, run: str | None) -> Found:
    """The episode whose id begins so; ConfigError if none or several do.

    The same trial may have been played in several runs: then `run` must say which one is meant.
    """
    runs = [run] if run else [row.name for row in store.runs()]
    hits = [
        (name, row)
        for name in runs
        for row in store.trials(name)
        if row.trial.id.startswith(wanted)
    ]
    if not hits:
        where = f'the run "{run}"' if run else "the store"
        raise ConfigError(
            f'no episode in {where} has an id that begins with "{wanted}"; '
            "`sociolab list episodes --run NAME` names them"
        )
    if len({row.trial.id for _, row in hits}) > 1:
        some = ", ".join(sorted({row.trial.id for _, row in hits})[:4])
        raise ConfigError(f'several episodes begin with "{wanted}": {some}; give more of the id')
    if len(hits) > 1:
        names = ", ".join(name for name, _ in hits)
        raise ConfigError(f"several runs hold the episode {wanted} ({names}); add --run NAME")
    name, row = hits[0]
    return Found(
        name, Episode(row.trial, store.events(name, row.trial.id)), row.status, row.problem
    )


def world_of(name: str) -> World:
    """A world to show old episodes with: each carries its own task, so any data set serves."""
    return load_world(name).world
