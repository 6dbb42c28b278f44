"""Runs: what they are called, what they play, and how far they are."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from sociolab.core.episode import Json
from sociolab.core.errors import StorageError, StoreError
from sociolab.core.metrics import Declared, declared_from
from sociolab.store.connect import connect, storage_error
from sociolab.store.database import Database
from sociolab.store.lock import lock_run
from sociolab.store.names import checked_name
from sociolab.store.surrogates import as_text


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run, and how many of its trials are in which state.

    `declared` is what its world declared when it was begun, and what its agents are. `created` is
    in seconds since 1970 (UTC), `seconds` the wall time of all its parts.
    """

    name: str
    world: str
    settings: Json
    declared: Declared
    created: float
    seconds: float
    planned: int
    playing: int
    played: int
    failed: int

    @property
    def trials(self) -> int:
        """How many trials the plan has."""
        return self.planned + self.playing + self.played + self.failed

    @property
    def finished(self) -> bool:
        """Whether every trial was played or failed."""
        return not self.planned and not self.playing


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How many bytes a store takes, and how many of them hold nothing."""

    bytes: int
    free: int


_DELETE = "DELETE FROM runs WHERE pk = ?"

_ROWS = """
    SELECT name, world, settings, declared, created, seconds,
        sum(status IS 'planned'), sum(status IS 'playing'),
        sum(status IS 'played'), sum(status IS 'failed')
    FROM runs LEFT JOIN trials ON trials.run = runs.pk
"""


class RunTable(Database):
    """The runs of a store."""

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, the oldest first."""
        rows = self.rows(f"{_ROWS} GROUP BY runs.pk ORDER BY created, runs.pk")
        return tuple(_run_row(row) for row in rows)

    def run(self, name: str) -> RunRow:
        """The run of this name; StoreError if there is none."""
        pk = self.run_pk(name)
        row = self.row(f"{_ROWS} WHERE runs.pk = ? GROUP BY runs.pk", (pk,))
        return _run_row(row)

    def has_run(self, name: str) -> bool:
        """Whether there is a run of this name."""
        found = self.row("SELECT 1 FROM runs WHERE name = ?", (name,))
        return found is not None

    def run_pk(self, name: str) -> int:
        """The primary key of a run; StoreError, naming the runs that there are, if it is none."""
        row = self.row("SELECT pk FROM runs WHERE name = ?", (name,))
        if row is not None:
            return int(row[0])
        raise StoreError(f'there is no run "{name}" in {self.path}; {self._known_runs()}')

    def set_settings(self, name: str, settings: Json) -> None:
        """Store other settings of a run, if they are other ones."""
        text, pk = json.dumps(settings, ensure_ascii=False), self.run_pk(name)
        row = self.row("SELECT settings FROM runs WHERE pk = ?", (pk,))
        if as_text(row[0]) != text:
            self.write("UPDATE runs SET settings = ? WHERE pk = ?", (text, pk))

    def rename_run(self, old: str, new: str) -> None:
        """Give a run another name; StoreError if that is taken or the run is being played."""
        pk = self.run_pk(old)
        checked_name(new)
        with lock_run(self.path, old):
            try:
                self.write("UPDATE runs SET name = ? WHERE pk = ?", (new, pk))
            except sqlite3.IntegrityError as error:
                raise _taken(new) from error
        self._forget()

    def delete_run(self, name: str) -> None:
        """Remove a run and all that belongs to it; StoreError if it is being played."""
        pk = self.run_pk(name)
        with lock_run(self.path, name, on_full_disk=True):
            try:
                self.write(_DELETE, (pk,))
            except StorageError as error:
                if not (error.full or self.frozen):
                    raise
                self._delete_in_place(pk)
        self._forget()

    def _delete_in_place(self, pk: int) -> None:
        """Remove a run where the disk has no room left for the log of that.

        What SQLite needs to undo a change is in memory only: a process that is killed within it
        leaves a damaged store. Nobody else may have the store open. StorageError where a log that a
        killed process left finds no room in the store.
        """
        self._connection.close()
        self._closed = True
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = MEMORY")  # takes in what is in the log
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(_DELETE, (pk,))
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            raise storage_error(self.path, error) from error
        finally:
            connection.close()
        self._use(connect(self.path, new=False))
        self._closed = False

    def size(self) -> StoreSize:
        """What the store takes on disk, its log included, and how much of it holds nothing."""
        self.commit()
        pages, free = (
            int(self.row(f"PRAGMA {what}")[0]) for what in ("page_size", "freelist_count")
        )
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return StoreSize(sum(f.stat().st_size for f in files if f.exists()), pages * free)

    def vacuum(self) -> None:
        """Write the store anew without the room that deleted runs left; nothing else changes.

        It takes as much room on the disk meanwhile as it will take then. StoreError while a run is
        being played (one that begins meanwhile waits), or where others read for so long that the
        log cannot be emptied.
        """
        for run in self.runs():
            with lock_run(self.path, run.name):
                pass
        self.commit()
        self.execute("VACUUM")
        if self.row("PRAGMA wal_checkpoint(TRUNCATE)")[0]:
            raise StoreError(
                f"another program is reading {self.path}, whose log keeps its size until that has "
                "ended; run the same command again then"
            )

    def add_seconds(self, run: str, seconds: float) -> None:
        """Add the wall time of one part of a run."""
        self.write(
            "UPDATE runs SET seconds = seconds + ? WHERE pk = ?", (seconds, self.run_pk(run))
        )

    def _insert_run(
        self,
        name: str,
        world: str,
        settings: Json,
        declared: Declared,
        created: float,
        seconds: float,
    ) -> int:
        text = json.dumps(settings, ensure_ascii=False)
        try:
            return self.insert(
                "INSERT INTO runs (name, world, settings, declared, created, seconds) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (checked_name(name), world, text, declared.as_json(), created, seconds),
            )
        except sqlite3.IntegrityError as error:
            raise _taken(name) from error

    def _known_runs(self) -> str:
        names = [row[0] for row in self.rows("SELECT name FROM runs ORDER BY created DESC")]
        if not names:
            return "it holds none yet"
        more = f" and {len(names) - 10} more" if len(names) > 10 else ""
        return f"it holds {', '.join(names[:10])}{more}"


def _taken(name: str) -> StoreError:
    return StoreError(f'there is a run "{name}" already; choose another name, or delete that run')


def _run_row(row: tuple[Any, ...]) -> RunRow:
    name, world, settings, declared, *rest = row
    return RunRow(
        name, world, json.loads(as_text(settings)), declared_from(as_text(declared)), *rest
    )
