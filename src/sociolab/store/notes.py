"""Notes that people wrote beside a run, or beside the comparison of two."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sociolab.core.errors import StoreError
from sociolab.store.database import Database, as_text


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note on a run, or on its comparison with the run `other`; `at` is in seconds since 1970,
    UTC."""

    pk: int
    run: str
    other: str | None
    text: str
    at: float


class Notes:
    """The notes of a store."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, run: str, text: str, other: str | None = None, *, at: float | None = None) -> int:
        """Store a note and return its primary key; `at` is now by default.

        The same note of the same time is stored once. StoreError if there is no such run, or if
        both are one.
        """
        if run == other:
            raise StoreError(f'a comparison is of two runs; found "{run}" twice')
        values = (
            self._db.run_pk(run),
            None if other is None else self._db.run_pk(other),
            text,
            time.time() if at is None else at,
        )
        with self._db.transaction():
            same = self._db.row(
                "SELECT pk FROM notes WHERE run = ? AND other IS ? AND text = ? AND at = ?", values
            )
            if same is not None:
                return int(same[0])
            return self._db.insert(
                "INSERT INTO notes (run, other, text, at) VALUES (?, ?, ?, ?)", values
            )

    def of(self, run: str, other: str | None = None) -> tuple[NoteRow, ...]:
        """The notes on a run and its comparisons, or on that with `other` only, oldest first.

        StoreError if there is no such run.
        """
        pks = (self._db.run_pk(run), None if other is None else self._db.run_pk(other))
        rows = self._db.rows(
            "SELECT notes.pk, runs.name, others.name, text, at FROM notes "
            "JOIN runs ON runs.pk = notes.run LEFT JOIN runs AS others ON others.pk = notes.other "
            "WHERE ?1 IN (notes.run, notes.other) "
            "AND (?2 IS NULL OR ?2 IN (notes.run, notes.other)) ORDER BY at, notes.pk",
            pks,
        )
        return tuple(NoteRow(pk, of, to, as_text(text), at) for pk, of, to, text, at in rows)

    def delete(self, pk: int) -> None:
        """StoreError if there is no such note."""
        with self._db.transaction():
            if not self._db.execute("DELETE FROM notes WHERE pk = ?", (pk,)).rowcount:
                raise StoreError(f"there is no note {pk} in {self._db.path}")
