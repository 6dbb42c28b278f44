"""Put the shards of a run together: the stores that hold its parts become one run in one store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.run.session import MADE_WITH, both_settings, changed_settings, other_code, resumed
from sociolab.core.errors import ConfigError
from sociolab.report.exam import EXAM
from sociolab.report.words import plural
from sociolab.runner.plan import Shard
from sociolab.store.connect import lock_run
from sociolab.store.store import RunRow, Store
from sociolab.store.trial_rows import (
    ConflictError,
    begun_trials,
    read_other_calls,
    read_trial,
    take_calls,
    take_trial,
)


@dataclass(frozen=True, slots=True)
class Merged:
    """The run after a merge; of the `seen` episodes that any part had begun, `taken` were new or
    had more turns than in the store."""

    run: RunRow
    seen: int
    taken: int


def merge(
    into: Path, parts: Sequence[Path], *, run: str | None = None, shard: Shard | None = None
) -> Merged:
    """Merge a run of several stores into one, which is created if it does not exist.

    A part is taken as a whole or not at all; merging it again adds what is new in it. With `shard`,
    only these trials are taken, so that one store can be divided. The run's wall time becomes that
    of the longest part. ConfigError where the parts are not of one run (each must hold the same
    plan, settings and code), and where an episode was played or judged in two parts with different
    results.
    """
    name = run or _common_name(parts)
    _check_parts(into, parts, name)
    new = 0
    trials = set[str]()
    with Store.open(into) as store, lock_run(into, name):
        for path in parts:
            with Store.open(path, create=False) as part:
                try:
                    with store.transaction():
                        new += _take_part(store, part, name, shard, trials)
                        for exam in part.runs_keeping(EXAM, part.run(name).world):
                            _take_exam(store, part, exam)
                except ConflictError as error:
                    raise ConfigError(
                        f"{path} cannot be merged into {into}: {error}; nothing of it was taken: "
                        "remove the run from one of them, or leave that part out"
                    ) from error
        return Merged(store.run(name), len(trials), new)


def _common_name(parts: Sequence[Path]) -> str:
    """The name of the single run that every part holds; ConfigError where they hold others."""
    paths: dict[str, Path] = {}
    for path in parts:
        with Store.open(path, create=False) as part:
            names = [row.name for row in part.runs() if row.trials and not row.keeps]
        if len(names) != 1:
            held = f"the runs {', '.join(names[:10])}" if names else "no run with episodes"
            raise ConfigError(f"{path} holds {held}: say which run is meant by --run NAME")
        paths.setdefault(names[0], path)
    if len(paths) > 1:
        runs = ", ".join(f'"{name}" ({path})' for name, path in paths.items())
        raise ConfigError(
            f"these parts are of different runs: {runs}; shards of one run have one --name"
        )
    return next(iter(paths))


def _check_parts(into: Path, parts: Sequence[Path], name: str) -> None:
    """ConfigError, naming what differs, where a part is of another run than the store, or than the
    first part."""
    first: tuple[Path, RunRow, set[str]] | None = None
    for path in (into, *parts) if into.exists() else parts:
        with Store.open(path, create=False) as store:
            if path == into and not store.has_run(name):
                continue
            current = (path, store.run(name), {*store.trial_ids(name)})
        first = first or current
        if different := _differences(first, current):
            raise ConfigError(
                f'the run "{name}" of {path} is another run than that of {first[0]}: '
                f"{'; '.join(different)}"
            )


def _differences(
    first: tuple[Path, RunRow, set[str]], other: tuple[Path, RunRow, set[str]]
) -> list[str]:
    """What tells two runs of one name apart, a clause for each difference; [] if they are one."""
    where, run, other_run = f"in {other[0]}", first[1], other[1]
    was, new = (row.settings if isinstance(row.settings, dict) else {} for row in (run, other_run))
    if run.world != other_run.world:
        return [f"world {run.world}, {where} {other_run.world}"]
    changed = changed_settings(was, new)
    different = [both_settings(changed, was, new, where)] if changed else []
    different += other_code(run, new, other_run.agents.values())
    if not different and first[2] != other[2]:
        different.append(
            f"a plan of {plural(run.trials, 'trial')}, {where} one of {other_run.trials:,}, and "
            "not the same ones"
        )
    return different


def _take_part(store: Store, part: Store, name: str, shard: Shard | None, trials: set[str]) -> int:
    """Take what is new in a part, and count its trials that had something new; `trials` gets the
    ids of all that were begun there."""
    _take_run(store, part, name)
    ids = None if shard is None else shard.pick(part.trial_ids(name))
    new = 0
    for trial in begun_trials(part, name):
        if ids is None or trial in ids:
            trials.add(trial)
            new += take_trial(store, name, read_trial(part, name, trial)[0])
    if shard is None:
        take_calls(store, name, read_other_calls(part, name))
    for note in part.notes.of(name):
        if store.has_run(note.run) and (note.other is None or store.has_run(note.other)):
            store.notes.add(note.run, note.text, note.other, at=note.at)
    return new


def _take_exam(store: Store, part: Store, name: str) -> None:
    """Take a judge's exam; where it sat one in both stores, that in `store` stays."""
    _take_run(store, part, name)
    for trial in begun_trials(part, name):
        with suppress(ConflictError):
            take_trial(store, name, read_trial(part, name, trial)[0])


def _take_run(store: Store, part: Store, name: str) -> None:
    """Create the run with its plan unless it is in the store, and merge versions and times."""
    row = part.run(name)
    if not store.has_run(name):
        plan = [trial_row.trial for trial_row in part.trials(name)]
        store.create_run(
            name,
            row.world,
            row.settings,
            plan,
            row.declared,
            keeps=row.keeps,
            created=row.created,
            seconds=0.0,
        )
    was, new = store.run(name).settings, row.settings
    if isinstance(was, dict) and isinstance(new, dict) and MADE_WITH in new:
        store.set_settings(name, resumed(was, new))
    store.set_times(name, row.created, row.seconds)
