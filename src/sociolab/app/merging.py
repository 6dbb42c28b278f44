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
    """What came of a merge: the run as it is now, and how many of the episodes that were in some
    part were new, or further on, in this."""

    run: RunRow
    seen: int
    taken: int


def merge(
    into: Path, parts: Sequence[Path], *, run: str | None = None, shard: Shard | None = None
) -> Merged:
    """Merge a run of several stores into one, which is made if it is not there.

    A part is taken as a whole or not at all; to merge it again takes what is new in it. `shard`:
    only these trials, so that one store can be taken apart. The run's wall time is that of the
    longest part. ConfigError where the parts are not of one run (each must hold the same plan,
    settings and code), and where an episode was played, or judged, in two parts and came out
    differently.
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
    """The name of the one run that the parts hold; ConfigError where they hold others."""
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
    """ConfigError, with what differs, where a part is of another run than what is there, or than
    the first part."""
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
    """What makes two runs of one name different ones, a clause each."""
    where, ours, other_run = f"in {other[0]}", first[1], other[1]
    was, new = (row.settings if isinstance(row.settings, dict) else {} for row in (ours, other_run))
    if ours.world != other_run.world:
        return [f"world {ours.world}, {where} {other_run.world}"]
    changed = changed_settings(was, new)
    different = [both_settings(changed, was, new, where)] if changed else []
    different += other_code(ours, new, other_run.agents.values())
    if not different and first[2] != other[2]:
        different.append(
            f"a plan of {plural(ours.trials, 'trial')}, {where} one of {other_run.trials:,}, and "
            "not the same ones"
        )
    return different


def _take_part(store: Store, part: Store, name: str, shard: Shard | None, trials: set[str]) -> int:
    """Take what is new in a part; how many trials had something. Adds those of it to `trials`."""
    _take_run(store, part, name)
    ids = None if shard is None else shard.of(part.trial_ids(name))
    new = 0
    for trial in begun_trials(part, name):
        if ids is None or trial in ids:
            trials.add(trial)
            new += take_trial(store, name, read_trial(part, name, trial)[0])
    if shard is None:
        take_calls(store, name, read_other_calls(part, name))
    return new


def _take_exam(store: Store, part: Store, name: str) -> None:
    """Take what judges answered in an exam; where one sat it in both stores, ours stands."""
    _take_run(store, part, name)
    for trial in begun_trials(part, name):
        with suppress(ConflictError):
            take_trial(store, name, read_trial(part, name, trial)[0])


def _take_run(store: Store, part: Store, name: str) -> None:
    """Have the run with its plan in the store, and what part of its facts comes from this part."""
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
