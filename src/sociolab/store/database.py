"""One connection to a store: statements, transactions, and SQLite's errors as sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sociolab.core.errors import StoreError
from sociolab.store.surrogates import storable

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

Value: TypeAlias = int | float | str | bytes | None

_TOO_LARGE = "the store holds whole numbers below 2^63; found a larger one"


class Database:
    """A connection for one thread.

    Outside `transaction`, what `write` wrote is on disk when it returns. `begin` leaves a
    transaction open until the next `write` or `commit`, for what may wait for its neighbour.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._run_statement = connection.execute
        self._inside = False
        self._closed = False
        self._version: int | None = None
        self.commit_due_in: AbstractEventLoop | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Commit what waits, and close; a second time does nothing."""
        if self._closed:
            return
        try:
            self.commit()
        finally:
            self._closed = True
            self._connection.close()

    def execute(self, statement: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        """Run one statement; StoreError where SQLite cannot (locked, full, damaged).

        A broken constraint passes through as IntegrityError: the caller knows what it means.
        """
        try:
            return self._run_statement(statement, values)
        except UnicodeEncodeError:
            return self.execute(statement, tuple(_storable(value) for value in values))
        except OverflowError as error:
            raise StoreError(_TOO_LARGE) from error
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def execute_many(self, statement: str, values: Sequence[Sequence[Value]]) -> None:
        """Run one statement for each of `values`, whose text must be `storable`."""
        try:
            self._connection.executemany(statement, values)
        except OverflowError as error:
            raise StoreError(_TOO_LARGE) from error
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Any]:
        """All rows of a query, at once: a reading that stays open would hold up the writing."""
        cursor = self.execute(statement, values)
        try:
            return cursor.fetchall()
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def row(self, statement: str, values: Sequence[Value] = ()) -> Any:
        """The first row of a query; None if it has none."""
        rows = self.rows(statement, values)
        return rows[0] if rows else None

    def insert(self, statement: str, values: Sequence[Value]) -> int:
        """Insert one row, as `execute`; its primary key."""
        key = self.execute(statement, values).lastrowid
        assert key is not None
        return key

    def write(self, statement: str, values: Sequence[Value] = ()) -> None:
        """Run one statement, and put it on disk with all that waits.

        Where a commit is due at the end of the event loop's round already, that does it.
        """
        self.execute(statement, values)
        due = self.commit_due_in is not None and self.commit_due_in.is_running()
        if self._connection.in_transaction and not due:
            self.commit()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, for everything inside; within another transaction, a part of that.

        Do not await inside: what other tasks write would become a part of it.
        """
        if self._inside:
            yield
            return
        self.commit()
        self.execute("BEGIN IMMEDIATE")
        self._inside = True
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            self._connection.rollback()
            self._forget()
            raise
        finally:
            self._inside = False

    def begin(self) -> None:
        """Open a transaction that the next `commit` closes, unless one is open."""
        if not self._connection.in_transaction:
            self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Put what waits on disk; inside `transaction`, that does it.

        Where that fails, what waited is gone, so that nobody reads what is not on disk.
        """
        if not self._inside and not self._closed and self._connection.in_transaction:
            try:
                self.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                self._forget()
                raise

    def renew(self) -> None:
        """Drop what was remembered, if another connection has written since this was last asked."""
        version = int(self.row("PRAGMA data_version")[0])
        if version != self._version:
            self._version = version
            self._forget()

    def _unusable(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"the store {self.path} could not be used ({error}); "
            "check the disk and who else uses the store, then run the same command again"
        )

    def _forget(self) -> None:
        """Drop what was remembered of the store: it may not be so any more."""


def _storable(value: Value) -> Value:
    """The value; text that UTF-8 cannot say as bytes."""
    return storable(value) if isinstance(value, str) else value
