"""What happened in each trial, event by event."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sociolab.core.codec import decode_event, encode_event
from sociolab.core.episode import Episode, Event
from sociolab.core.errors import Cause, StoreError
from sociolab.store.surrogates import as_text
from sociolab.store.trials import Status, TrialTable, decoded_trial


class EventTable(TrialTable):
    """The events of a store's trials."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._next: dict[tuple[str, str], tuple[int, int]] = {}

    def append(self, run: str, trial: str, event: Event) -> None:
        """Add an event to a trial: on disk soon, together with the reply that led to it.

        Only one process may append to a trial, see `lock_run`.
        """
        at = self._next.get((run, trial)) or self._end_of(run, trial)
        try:
            self.write_soon("INSERT INTO events VALUES (?, ?, ?)", (*at, encode_event(event)))
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f'another process appends to trial "{trial}" of run "{run}" too; '
                "let only one process play a run"
            ) from error
        self._next[run, trial] = (at[0], at[1] + 1)

    def play_anew(self, run: str, trial: str) -> None:
        """Remove what happened in a trial, which is played from its first turn from now on."""
        pk = self.trial_pk(run, trial)
        with self.transaction():
            self.execute("DELETE FROM events WHERE trial = ?", (pk,))
            self.set_status(run, trial, "playing")

    def set_status(
        self, run: str, trial: str, status: Status, cause: Cause | None = None, problem: str = ""
    ) -> None:
        """Note what became of a trial. What was played of a failed one stays."""
        super().set_status(run, trial, status, cause, problem)
        self._next.pop((run, trial), None)

    def events(self, run: str, trial: str) -> tuple[Event, ...]:
        """What happened in a trial so far, in order."""
        return self._events(self.trial_pk(run, trial))

    def episode(self, run: str, trial: str) -> Episode:
        """A trial with what happened in it so far."""
        pk = self.trial_pk(run, trial)
        body, task = self.row("SELECT body, task FROM trials WHERE pk = ?", (pk,))
        tasks = self._tasks(self.run_pk(run), task)
        return Episode(decoded_trial(body, tasks[task]), self._events(pk))

    def episodes(self, run: str, status: Status = "played") -> Iterator[Episode]:
        """The episodes whose trial has this status, in plan order, one at a time."""
        pk = self.run_pk(run)
        tasks = self._tasks(pk)
        rows = self.rows(
            "SELECT pk, body, task FROM trials WHERE run = ? AND status = ? ORDER BY pk",
            (pk, status),
        )
        for trial, body, task in rows:
            yield Episode(decoded_trial(body, tasks[task]), self._events(trial))

    def _events(self, trial: int) -> tuple[Event, ...]:
        rows = self.rows("SELECT body FROM events WHERE trial = ? ORDER BY n", (trial,))
        return tuple(decode_event(as_text(body)) for (body,) in rows)

    def _end_of(self, run: str, trial: str) -> tuple[int, int]:
        pk = self.trial_pk(run, trial)
        row = self.row("SELECT ifnull(max(n) + 1, 0) FROM events WHERE trial = ?", (pk,))
        return pk, row[0]

    def _forget(self) -> None:
        super()._forget()
        self._next.clear()
