"""Merge stores: the runs and studies of several become those of one, and the shards of a run one
run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sociolab.app.run.session import both_settings, changed_settings, other_code, resumed
from sociolab.core.errors import ConfigError
from sociolab.report.exam import EXAM
from sociolab.report.words import plural
from sociolab.runner.plan import Shard
from sociolab.store.checking import verify_runs
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


@dataclass(slots=True)
class MergedRun:
    """A run after a merge; of the episodes that any part had `begun`, `taken` were new or had more
    turns than in the store."""

    run: RunRow
    begun: set[str] = field(default_factory=set)
    taken: int = 0


def merge(
    into: Path, parts: Sequence[Path], *, run: str | None = None, shard: Shard | None = None
) -> tuple[MergedRun, ...]:
    """Merge all runs and studies of several stores, or the one `run`, into one store, which is
    created if it does not exist. Returns the runs with episodes.

    Runs of one name must be one run: each with the same plan, settings and code. A part is taken as
    a whole or not at all; merging it again adds what is new in it. With `shard`, only these trials
    are taken, so that one store can be divided. A run's wall time becomes that of the longest part.
    ConfigError where runs, or studies, of one name differ (then nothing is taken), and where an
    episode was played or judged in two parts with different results. StoreError where a part is
    damaged.
    """
    if any(path.resolve() == into.resolve() for path in parts):
        raise ConfigError(f"PART: expected stores other than {into}, found it itself; leave it out")
    names = _check_parts(into, parts, run)
    merged: dict[str, MergedRun] = {}
    with Store.open(into) as store, ExitStack() as locks:
        for name in names:
            locks.enter_context(lock_run(into, name))
        for path in parts:
            with Store.open(path, create=False) as part:
                try:
                    with store.transaction():
                        for name in filter(part.has_run, names):
                            _take_part(store, part, name, shard, merged)
                        if run is None and shard is None:
                            _take_studies(store, part)
                except ConflictError as error:
                    raise ConfigError(
                        f"{path} cannot be merged into {into}: {error}; nothing of it was taken: "
                        "remove the run from one of them, or leave that part out"
                    ) from error
        for name, result in merged.items():
            result.run = store.run(name)
    return tuple(result for result in merged.values() if not result.run.keeps)


_OpenedRun: TypeAlias = tuple[Path, RunRow, set[str]]


def _check_parts(into: Path, parts: Sequence[Path], run: str | None) -> list[str]:
    """The names of the runs to merge.

    ConfigError, naming all that differs, where a run, or a study, of a part is not that of the same
    name in the store or in an earlier part.
    """
    first: dict[str, _OpenedRun] = {}
    studies: dict[str, tuple[Path, float]] = {}
    in_parts: dict[str, None] = {}
    different = []
    for path in (into, *parts) if into.exists() else parts:
        with Store.open(path, create=False) as store:
            names = [run] if run else [row.name for row in store.runs()]
            if path == into:
                names = [*filter(store.has_run, names)]
            elif not names:
                raise ConfigError(f"{path} holds no run: leave that part out")
            for name in names:
                current = (path, store.run(name), {*store.trial_ids(name)})
                if clauses := _differences(first.setdefault(name, current), current):
                    different.append(
                        f'the run "{name}" of {path} is not the one in '
                        f"{first[name][0]}: {'; '.join(clauses)}"
                    )
            for study in () if run else store.studies.all():
                where, created = studies.setdefault(study.name, (path, study.created))
                if created != study.created:
                    different.append(
                        f'the study "{study.name}" of {path} is not the one in {where}'
                    )
            in_parts |= dict.fromkeys(names if path != into else ())
    if different:
        raise ConfigError(
            f"{'; '.join(different)}; nothing was merged: `sociolab rename` a run that only has "
            "the same name, or merge one run at a time with --run"
        )
    return [*in_parts]


def _differences(first: _OpenedRun, other: _OpenedRun) -> list[str]:
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


def _take_part(
    store: Store, part: Store, name: str, shard: Shard | None, merged: dict[str, MergedRun]
) -> None:
    """Take what is new of a run, with its notes and the exams of its world."""
    verify_runs(part, name)
    row = part.run(name)
    if row.keeps == EXAM:
        _take_exam(store, part, name)
        return
    _take_run(store, part, name)
    result = merged.setdefault(name, MergedRun(row))
    ids = None if shard is None else shard.pick(part.trial_ids(name))
    for trial in begun_trials(part, name):
        if ids is None or trial in ids:
            result.begun.add(trial)
            result.taken += take_trial(store, name, read_trial(part, name, trial)[0])
    if shard is None:
        take_calls(store, name, read_other_calls(part, name))
    for exam in part.runs_keeping(EXAM, row.world):
        _take_exam(store, part, exam)
    for note in part.notes.of(name):
        if store.has_run(note.run) and (note.other is None or store.has_run(note.other)):
            store.notes.add(note.run, note.text, note.other, at=note.at)


def _take_studies(store: Store, part: Store) -> None:
    """Take what is new in the studies of a part, and the looks at its comparisons."""
    for study in part.studies.all():
        store.studies.take(part.studies, study.name)
    for run, other, about, pairs in part.looks():
        store.record_look((run, other), about, pairs)


def _take_exam(store: Store, part: Store, name: str) -> None:
    """Take a judge's exam; where it sat one in both stores, that in `store` stays."""
    verify_runs(part, name)
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
    if isinstance(was, dict) and isinstance(new, dict):
        store.set_settings(name, resumed(was, new))
    store.set_times(name, row.created, row.seconds)
