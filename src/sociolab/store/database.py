"""One connection to a store: statements, transactions, and SQLite's errors as sentences."""

from __future__ import annotations

import sqlite3
import sys
import time
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

BETWEEN_COMMITS = 0.005
"""Seconds between two commits of a busy run: some ten turns share one, which is much cheaper."""

_TOO_LARGE = "the store holds whole numbers below 2^63; found a larger one"


class Database:
    """A connection for one thread.

    Outside `transaction`, what `write` wrote is on disk when it returns, with all that waited.
    What `write_soon`, `begin` and `part` wrote may wait for its neighbours, see `commit_soon`.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._run_statement = connection.execute
        self._inside = False
        self._closed = False
        self._version: int | None = None
        self._committed = 0.0
        self._due_in: AbstractEventLoop | None = None
        self._unsaid: StoreError | None = None

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
        """Run one statement, and put it on disk with all that waits."""
        self.execute(statement, values)
        self.commit()

    def write_soon(self, statement: str, values: Sequence[Value] = ()) -> None:
        """Run one statement, and put it on disk soon.

        At once where the last commit was long ago: no event loop comes round to do it, or nothing
        else is going on.
        """
        self.begin()
        self.execute(statement, values)
        if time.monotonic() - self._committed >= 2 * BETWEEN_COMMITS:
            self.commit()
        else:
            self.commit_soon()

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

    @contextmanager
    def part(self) -> Iterator[None]:
        """All or nothing, for everything inside, and on disk soon. Do not await inside."""
        if self._inside:
            yield
            return
        self.begin()
        self.execute("SAVEPOINT part")
        self._inside = True
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # a full disk has undone all of it already
                self.execute("ROLLBACK TO part")
            self._forget()
            raise
        finally:
            self._inside = False
            if self._connection.in_transaction:
                self.execute("RELEASE part")
                self.commit_soon()

    def begin(self) -> None:
        """Open a transaction that the next `commit` closes, unless one is open.

        StoreError also where what was written before could not be put on disk.
        """
        self._say_what_failed()
        if not self._connection.in_transaction:
            self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Put what waits on disk; inside `transaction`, that does it.

        Where that fails, what waited is gone, so that nobody reads what is not on disk.
        """
        self._say_what_failed()
        if not self._inside and not self._closed and self._connection.in_transaction:
            try:
                self.execute("COMMIT")
            except BaseException:
                self._connection.rollback()
                self._forget()
                raise
            self._committed = time.monotonic()

    def commit_soon(self) -> None:
        """Put what waits on disk when the event loop has finished its present round or, on a busy
        run, `BETWEEN_COMMITS` after the last commit; at once where no event loop runs."""
        loop = _running_loop()
        if loop is None:
            self.commit()
            return
        if self._due_in is loop:
            return
        self._due_in = loop
        wait = self._committed + BETWEEN_COMMITS - time.monotonic()
        if wait > 0:
            loop.call_later(wait, self._commit_now)
        else:
            loop.call_soon(self._commit_now)

    def _commit_now(self) -> None:
        self._due_in = None
        try:
            self.commit()
        except StoreError as error:  # nobody waits for this: the next to write hears of it
            self._unsaid = error
        except sqlite3.Error as error:
            self._unsaid = self._unusable(error)

    def renew(self) -> None:
        """Drop what was remembered, if another connection has written since this was last asked."""
        version = int(self.row("PRAGMA data_version")[0])
        if version != self._version:
            self._version = version
            self._forget()

    def _say_what_failed(self) -> None:
        error, self._unsaid = self._unsaid, None
        if error is not None:
            raise error

    def _unusable(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"the store {self.path} could not be used ({error}); "
            "check the disk and who else uses the store, then run the same command again"
        )

    def _forget(self) -> None:
        """Drop what was remembered of the store: it may not be so any more."""


def _running_loop() -> AbstractEventLoop | None:
    """The event loop that runs in this thread; asyncio is not loaded to find that there is none."""
    asyncio = sys.modules.get("asyncio.events")
    return None if asyncio is None else asyncio._get_running_loop()


def _storable(value: Value) -> Value:
    """The value; text that UTF-8 cannot say as bytes."""
    return storable(value) if isinstance(value, str) else value
