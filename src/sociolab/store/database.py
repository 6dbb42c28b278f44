"""One connection to a store: statements, transactions, primary keys, and SQLite's errors in
words."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sociolab.core.errors import StorageError, StoreError, did_you_mean
from sociolab.core.redaction import redact
from sociolab.store.connect import FREE_SOME, FrozenConnection, storage_error

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task


Value: TypeAlias = int | float | str | bytes | None

BETWEEN_COMMITS = 0.005
"""Seconds between two commits of a busy run: some ten turns share one, which is much cheaper."""

ROOM_NEEDED = 16_000_000
"""Bytes that must be free on the disk before anything is paid for: the replies in flight are
stored in these, and so is the end of the run."""

_TOO_LARGE = "the store holds whole numbers below 2^63; found a larger one"


class Database:
    """A connection for one thread. Keys and passwords are blacked out of all text on its way in.

    Outside `transaction`, what `write` wrote is on disk when it returns, with all that waited.
    What `write_soon`, `begin` and `part` wrote may wait for its neighbours, see `commit_soon`.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._set_connection(connection)
        self._inside = False
        self._closed = False
        self._version: int | None = None
        self._caches: list[dict[Any, Any]] = []
        self._trials: dict[tuple[str, str], int] = self.new_cache()
        self._committed = 0.0
        self._due_in: AbstractEventLoop | None = None
        self._deferred_error: StoreError | None = None
        self._on_failure: Callable[[StorageError], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _set_connection(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._run_statement = connection.execute

    @property
    def connection(self) -> sqlite3.Connection:
        """The raw connection, for checks that read the file as a file."""
        return self._connection

    @property
    def frozen(self) -> bool:
        """Whether the file was opened read-only, without log and locks; see `connect`."""
        return isinstance(self._connection, FrozenConnection)

    def close(self) -> None:
        """Commit what is pending, and close; does nothing the second time."""
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
            return self._run_statement(statement, [*map(_clean, values)])
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged, as it is
            raise self._translate(sqlite3.DatabaseError("the file is damaged")) from error
        except UnicodeEncodeError:
            return self.execute(statement, [_storable(_clean(value)) for value in values])
        except OverflowError as error:
            raise StoreError(_TOO_LARGE) from error
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._translate(error) from error

    def execute_many(self, statement: str, values: Sequence[Sequence[Value]]) -> None:
        rows = [[_storable(_clean(value)) for value in row] for row in values]
        try:
            self._connection.executemany(statement, rows)
        except OverflowError as error:
            raise StoreError(_TOO_LARGE) from error
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except sqlite3.DatabaseError as error:
            raise self._translate(error) from error

    def rows(self, statement: str, values: Sequence[Value] = ()) -> list[Any]:
        """All rows of a query at once: an open cursor would hold up writers."""
        cursor = self.execute(statement, values)
        try:
            return cursor.fetchall()
        except sqlite3.DatabaseError as error:
            raise self._translate(error) from error

    def row(self, statement: str, values: Sequence[Value] = ()) -> Any:
        """The first row of a query, or None."""
        rows = self.rows(statement, values)
        return rows[0] if rows else None

    def insert(self, statement: str, values: Sequence[Value]) -> int:
        key = self.execute(statement, values).lastrowid
        assert key is not None
        return key

    def write(self, statement: str, values: Sequence[Value] = ()) -> None:
        """Run one statement and commit, with all that is pending."""
        self.execute(statement, values)
        self.commit()

    def write_soon(self, statement: str, values: Sequence[Value] = ()) -> None:
        """Run one statement, and commit it soon (see `commit_soon`).

        At once where the last commit was long ago: then no event loop comes round to do it, or
        nothing else is going on.
        """
        self.begin()
        self.execute(statement, values)
        if time.monotonic() - self._committed >= 2 * BETWEEN_COMMITS:
            self.commit()
        else:
            self.commit_soon()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing for everything inside; nested, it is a part of the outer one.

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
        except BaseException:  # Ctrl-C, too: all or nothing
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
        except BaseException:  # as above
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

        StoreError also where an earlier deferred commit failed.
        """
        self._raise_deferred()
        if not self._connection.in_transaction:
            self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit what is pending; inside `transaction`, that does it.

        Where that fails, pending writes are rolled back, so that nobody reads what is not on disk.
        """
        self._raise_deferred()
        if not self._inside and not self._closed and self._connection.in_transaction:
            try:
                self.execute("COMMIT")
            except BaseException:  # as above
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
            self._deferred_error = error
        except sqlite3.Error as error:
            self._deferred_error = self._translate(error)

    def changes(self) -> int:
        """How many rows this connection has inserted, deleted or updated so far."""
        return self._connection.total_changes

    def refresh(self) -> None:
        """Drop what is cached if another connection has written since the last call."""
        version = int(self.row("PRAGMA data_version")[0])
        if version != self._version:
            self._version = version
            self._forget()

    def _raise_deferred(self) -> None:
        error, self._deferred_error = self._deferred_error, None
        if error is not None:
            raise error

    @contextmanager
    def failing_fast(self) -> Iterator[None]:
        """While this is open, a failing store cancels the task that opened it, with StorageError.

        Commits come later than what they commit (see `commit_soon`): without this, model calls
        would start, and be paid for, whose replies cannot be stored.
        """
        task = _running_task()
        failures: list[StorageError] = []
        cancelled = False

        def stop(failure: StorageError) -> None:
            nonlocal cancelled
            failures.append(failure)
            # A task that met the failure itself is ended by the exception.
            if task is not None and not cancelled and task is not _running_task():
                cancelled = task.cancel()

        self._on_failure = stop
        try:
            yield
        except BaseException:  # what a failure of the store made of it, cancelling included
            if not failures:
                raise
        finally:
            self._on_failure = None
        if failures:
            self._deferred_error = None
            if task is not None and cancelled:
                task.uncancel()
            raise failures[0]

    def check_room(self) -> None:
        """StorageError where the disk is so full that a reply might not be stored.

        The log must also fit into the store when it is closed.
        """
        needed = ROOM_NEEDED
        try:
            with suppress(FileNotFoundError):
                needed += os.stat(f"{self.path}-wal").st_size
            disk = shutil.disk_usage(self.path.parent)
        except OSError:
            return  # nobody can tell: should it be full, the next commit fails
        if disk.total and disk.free < needed:
            raise StorageError(
                f"the disk of the store {self.path} is nearly full: expected {needed / 1e6:,.0f} "
                f"MB to be free, found {disk.free / 1e6:,.1f} MB; {FREE_SOME}",
                full=True,
            )

    def _translate(self, error: sqlite3.Error) -> StorageError:
        """Translate an error of SQLite and report it to `failing_fast`."""
        if not self._connection.in_transaction:  # a full disk undoes the whole group
            self._forget()
        failure = storage_error(self.path, error)
        if self._on_failure is not None:
            self._on_failure(failure)
        return failure

    def new_cache(self) -> dict[Any, Any]:
        """A new cache of values read from the store; emptied whenever the store may
        have changed.
        """
        cache: dict[Any, Any] = {}
        self._caches.append(cache)
        return cache

    def _forget(self) -> None:
        for cache in self._caches:
            cache.clear()

    # -------------------------------------------------------------- keys of runs and trials

    def run_pk(self, name: str) -> int:
        """StoreError, which names the runs of the store, if there is none of this name."""
        row = self.row("SELECT pk FROM runs WHERE name = ?", (name,))
        if row is not None:
            return int(row[0])
        names = [row[0] for row in self.rows("SELECT name FROM runs ORDER BY created DESC")]
        holds = "; it holds none yet"
        if names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            holds = f"{did_you_mean(name, names)}; it holds {', '.join(names[:10])}{more}"
        raise StoreError(f'there is no run "{name}" in {self.path}{holds}')

    def trial_pk(self, run: str, trial: str) -> int:
        """StoreError if the run has no such trial."""
        pk = self._trials.get((run, trial))
        if pk is not None:
            return pk
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


def _running_loop() -> AbstractEventLoop | None:
    """The event loop that runs in this thread; asyncio is not loaded to find that there is none."""
    asyncio = sys.modules.get("asyncio.events")
    return None if asyncio is None else asyncio._get_running_loop()


def _running_task() -> Task[Any] | None:
    return sys.modules["asyncio.tasks"].current_task() if _running_loop() else None


def _clean(value: Value) -> Value:
    return redact(value) if isinstance(value, str) else value


def _storable(value: Value) -> Value:
    return storable(value) if isinstance(value, str) else value


# ---------- text that UTF-8 cannot encode: half of a surrogate pair, as in a reply that was cut


def as_bytes(text: str) -> bytes:
    """Encode any text, also half a surrogate pair; `as_text` reverses it."""
    return text.encode("utf-8", "surrogatepass")


def storable(text: str) -> str | bytes:
    """The text, or its bytes where UTF-8 cannot encode it; `as_text` reverses it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return as_bytes(text)
    return text


def as_text(value: str | bytes) -> str:
    """The text that was stored, also where it had to be stored as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def replace_surrogates(text: str) -> str:
    """The text with U+FFFD three times for each lone surrogate, for files in UTF-8."""
    value = storable(text)
    return value if isinstance(value, str) else value.decode("utf-8", "replace")
