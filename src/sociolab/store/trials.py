"""The plan of a run: its trials in order, and what became of each."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from sociolab.core.codec import decode_trial, encode_trial
from sociolab.core.episode import Json, Task, Trial
from sociolab.core.errors import Cause, StoreError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text

Status: TypeAlias = Literal["planned", "playing", "played", "failed"]

_NO_TASK = Task("", (), "", "")
"""Stands in a stored trial for the task, which is stored once for all its trials."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial, its place in the plan (from 0), and what became of it.

    `cause` and `problem` say why it failed; None and "" otherwise.
    """

    trial: Trial
    index: int
    status: Status
    cause: Cause | None = None
    problem: str = ""


class TrialTable(RunTable):
    """The plans of a store's runs."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._trials: dict[tuple[str, str], int] = {}

    def create_run(
        self,
        name: str,
        world: str,
        settings: Json,
        trials: Sequence[Trial],
        declared: Declared = UNDECLARED,
        *,
        created: float | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Store a run with its plan, in order, and what its world declares.

        StoreError if the name is taken or is no name.

        `created` is now, if not given; `seconds` is the wall time that it took elsewhere.
        """
        began = time.time() if created is None else created
        with self.transaction():
            self._insert_plan(
                self._insert_run(name, world, settings, declared, began, seconds), trials
            )

    def add_trials(self, run: str, trials: Iterable[Trial]) -> None:
        """Add trials to the end of a run's plan; StoreError where one is there already."""
        with self.transaction():
            self._insert_plan(self.run_pk(run), trials)

    def trials(self, run: str) -> tuple[TrialRow, ...]:
        """All trials of a run, in plan order."""
        pk = self.run_pk(run)
        tasks = self._tasks(pk)
        rows = self.rows(
            "SELECT body, task, status, cause, problem FROM trials WHERE run = ? ORDER BY pk", (pk,)
        )
        return tuple(
            TrialRow(decoded_trial(body, tasks[task]), index, status, cause, as_text(problem))
            for index, (body, task, status, cause, problem) in enumerate(rows)
        )

    def trial_ids(self, run: str, status: Status | None = None) -> tuple[str, ...]:
        """The ids of a run's trials, or of those of one status, in plan order."""
        rows = self.rows(
            "SELECT id FROM trials WHERE run = ? AND status = ifnull(?, status) ORDER BY pk",
            (self.run_pk(run), status),
        )
        return tuple(as_text(found) for (found,) in rows)

    def set_status(
        self, run: str, trial: str, status: Status, cause: Cause | None = None, problem: str = ""
    ) -> None:
        """Note what became of a trial. What was played of a failed one stays."""
        self.write_soon(
            "UPDATE trials SET status = ?, cause = ?, problem = ? WHERE pk = ?",
            (status, cause, problem, self.trial_pk(run, trial)),
        )

    def trial_pk(self, run: str, trial: str) -> int:
        """The primary key of a trial; StoreError if the run has no such trial."""
        known = self._trials.get((run, trial))
        if known is not None:
            return known
        row = self.row(
            "SELECT trials.pk FROM trials JOIN runs ON runs.pk = trials.run "
            "WHERE runs.name = ? AND trials.id = ?",
            (run, trial),
        )
        if row is not None:
            self._trials[run, trial] = row[0]
            return int(row[0])
        self.run_pk(run)
        raise StoreError(f'run "{run}" has no trial "{trial}"; its plan lists those it has')

    def _forget(self) -> None:
        super()._forget()
        self._trials.clear()

    def _insert_plan(self, run: int, trials: Iterable[Trial]) -> None:
        tasks: dict[Task, int] = {}
        for trial in trials:
            task = tasks.get(trial.task)
            if task is None:
                task = tasks[trial.task] = self._insert_task(run, trial.task)
            body = encode_trial(replace(trial, task=_NO_TASK))
            try:
                self.execute(
                    "INSERT INTO trials (run, id, task, body) VALUES (?, ?, ?, ?)",
                    (run, trial.id, task, body),
                )
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f'the plan holds trial "{trial.id}" twice; each trial may be planned once'
                ) from error

    def _insert_task(self, run: int, task: Task) -> int:
        return self.insert(
            "INSERT INTO tasks (run, id, seats, cluster, content, tags) VALUES (?, ?, ?, ?, ?, ?)",
            (
                run,
                task.id,
                json.dumps(task.seats, ensure_ascii=False),
                task.cluster,
                task.content,
                json.dumps(task.tags, ensure_ascii=False),
            ),
        )

    def _tasks(self, run: int, only: int | None = None) -> Mapping[int, Task]:
        rows = self.rows(
            "SELECT pk, id, seats, cluster, content, tags FROM tasks "
            "WHERE run = ? AND pk = ifnull(?, pk)",
            (run, only),
        )
        return {
            pk: Task(
                as_text(id_),
                tuple(json.loads(as_text(seats))),
                as_text(cluster),
                as_text(content),
                tuple(json.loads(as_text(tags))),
            )
            for pk, id_, seats, cluster, content, tags in rows
        }


def decoded_trial(body: str | bytes, task: Task) -> Trial:
    """A stored trial with its task put back."""
    return decode_trial(as_text(body), task)
