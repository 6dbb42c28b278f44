"""Open a store file: ours, of the schema that we read, or a sentence that says why not."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from sociolab.core.errors import StorageError, StoreError
from sociolab.store.schema import APPLICATION_ID, VERSION, create, schema_version

BUSY_SECONDS = 30.0
"""How long a write waits for another process that is writing."""

_PRAGMAS = (
    "PRAGMA wal_autocheckpoint = 10000",  # pages: about 40 MB, so that few commits wait for a disk
    "PRAGMA journal_size_limit = 50000000",
    "PRAGMA cache_size = -8000",  # KiB
    "PRAGMA foreign_keys = ON",
)


class FrozenConnection(sqlite3.Connection):
    """A connection to a file that is read as it lies there: no log, no locks, and no change by
    anybody else is noticed."""


def connect(path: Path, new: bool, *, synced: bool = False) -> sqlite3.Connection:
    """A connection to the store at `path`, with the current schema.

    A commit survives the death of the process. Only where it is `synced` does it survive a power
    cut as well: SQLite waits for the disk at each commit then; else the last seconds may be lost,
    and never more than that. Where nothing can be written (a read-only medium, a full disk), the
    connection can only read.

    StoreError if the store is not there (and not to be made: `new`), not ours, of another schema
    than this version of sociolab reads, or cannot be opened.
    """
    _check_place(path, new)
    try:
        return _writing(path, synced)
    except sqlite3.Error as error:
        code = _code(error)
        if not {code, code & 0xFF} & _UNWRITABLE or not path.exists():
            raise _cannot_open(path, error) from error
        problem = error
    _check_closed(path, problem)
    try:
        return _frozen(path)
    except sqlite3.Error as error:
        raise _cannot_open(path, problem) from error


_UNWRITABLE = frozenset({
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP,
})  # fmt: skip
"""What SQLite says where it cannot make a log beside the file."""


def _writing(path: Path, synced: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _check_ours(connection, path)
        _use_wal(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        create(connection)
    except BaseException as error:
        connection.close()
        if isinstance(error, UnicodeDecodeError):  # SQLite quotes what is damaged, as it is
            raise StoreError(
                f"the store {path} is damaged: SQLite cannot read its schema; restore a copy of "
                "it, or name another --store"
            ) from error
        raise
    return connection


def _frozen(path: Path) -> sqlite3.Connection:
    where = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(where, uri=True, isolation_level=None, factory=FrozenConnection)
    try:
        _check_ours(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_closed(path: Path, problem: sqlite3.Error) -> None:
    """Refuse to read a file without its log: that lacks the newest turns, and may be torn."""
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        return
    if (failure := storage_error(path, problem)).full:
        raise failure from problem
    raise StoreError(
        f"the newest turns of the store {path} are in {log.name} still, which can only be read in "
        "a place where you may write; copy both files to one, and name the copy with --store"
    )


def storage_error(path: Path, error: Exception) -> StorageError:
    """What an error of SQLite means for whoever uses the store."""
    code = _code(error)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE):
        return StorageError(f"the disk of the store {path} is full; {FREE_SOME}", full=True)
    if code & 0xFF == sqlite3.SQLITE_READONLY:
        return StorageError(
            f"the store {path} can only be read: it is on a read-only medium or a full disk, or "
            "you may not write there; copy it to a place where you may, and name that with --store"
        )
    return StorageError(
        f"the store {path} could not be used ({error}); "
        "check the disk and who else uses the store, then run the same command again"
    )


FREE_SOME = "free some space, then run the same command again; a run resumes where it stopped"


def _check_place(path: Path, new: bool) -> None:
    try:
        if path.is_dir():
            raise StoreError(
                f"the store must be a file, but {path} is a directory; name a file in it, "
                f"such as {path / 'store.db'}"
            )
        if path.exists():
            return
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # what people said is in it; SQLite's -wal and -shm follow it
            return
    except OSError as error:
        raise _cannot_open(path, error) from error
    raise StoreError(f"there is no store at {path}; play a run first, or name another --store")


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not ours before anything is written; an empty file may become a store.

    Read as one: another process may be making this store in between.
    """
    connection.execute("BEGIN")
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema_version(connection)
    finally:
        connection.rollback()
    if owner != APPLICATION_ID:
        if owner or version or tables:
            raise _not_ours(path, "it belongs to another program")
    elif version != VERSION:
        raise StoreError(
            f"the store {path} has schema {version} and this sociolab reads schema {VERSION}; "
            "use the version of sociolab that wrote it, or name another --store"
        )


def _use_wal(connection: sqlite3.Connection) -> None:
    """Readers and one writer at the same time; a setting that stays with the file.

    SQLite does not wait here when another process does the same to a new store, so we do.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _not_ours(path: Path, why: str) -> StoreError:
    return StoreError(f"{path} is not a sociolab store: {why}; name another --store")


def _cannot_open(path: Path, error: Exception) -> StoreError:
    if _code(error) == sqlite3.SQLITE_NOTADB:
        return _not_ours(path, "it is no SQLite file")
    if (failure := storage_error(path, error)).full:
        return failure
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(
        f"the store {path} cannot be opened ({why}); it needs a place where you may write, "
        "or name another --store"
    )


def _code(error: Exception) -> int:
    """SQLite's extended code; 0 where Python itself raised the error."""
    return getattr(error, "sqlite_errorcode", 0)
