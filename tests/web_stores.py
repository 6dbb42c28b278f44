"""Stores for tests of the web app: something of everything in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sociolab import RunConfig, run
from sociolab.store.sqlite import Store


@dataclass(frozen=True)
class Names:
    """What is in a store, by the names that addresses use; and cookies (name, path, value) of
    participants."""

    run: tuple[str, ...]
    trial: tuple[str, ...]
    seat: tuple[str, ...]
    study: tuple[str, ...] = ()
    participant: tuple[str, ...] = ()
    cookies: tuple[tuple[str, str, str], ...] = ()

    def of(self, parameter: str) -> tuple[str, ...]:
        """Names that a parameter of this name may take; none if it is none of these."""
        found = getattr(self, parameter, ())
        return found if isinstance(found, tuple) else ()


def filled_store(path: Path) -> Names:
    """A store with a run of every world."""
    runs = []
    for world, limit in (("sotopia", 3), ("anteval-information", 1), ("stss-talk", 2), ("stss", 1)):
        runs.append(run(RunConfig(world=world, limit=limit, store=path, name=world)).run)
    with Store.open(path) as store:
        trials = [row.trial for name in runs for row in store.trials(name)[:2]]
    seats = {seat for trial in trials for seat in trial.task.seats[:2]}
    return Names(tuple(runs), tuple(trial.id for trial in trials), tuple(sorted(seats)))
