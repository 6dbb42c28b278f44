"""Open a store file: ours, of the schema that we read, or a sentence that says why not."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from sociolab.core.errors import StoreError
from sociolab.store.schema import APPLICATION_ID, VERSION, create, schema_version

BUSY_SECONDS = 30.0
"""How long a write waits for another process that is writing."""

_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",  # with WAL: a killed process loses nothing, nor does a crash
    "PRAGMA wal_autocheckpoint = 10000",  # pages: about 40 MB, so that few commits wait for a disk
    "PRAGMA journal_size_limit = 50000000",
    "PRAGMA cache_size = -8000",  # KiB
    "PRAGMA foreign_keys = ON",
)


def connect(path: Path, new: bool) -> sqlite3.Connection:
    """A connection to the store at `path`.

    StoreError if it is not there (and not to be made: `new`), not ours, of another schema than
    this version of sociolab reads, or cannot be opened.
    """
    _check_place(path, new)
    try:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise _cannot_open(path, error) from error
    try:
        _check_ours(connection, path)
        _use_wal(connection)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        create(connection)
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise _not_ours(path, "it is no SQLite file") from error
        raise _cannot_open(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes bytes of the file that are no text
        connection.close()
        raise StoreError(
            f"the store {path} is damaged: SQLite cannot read its schema; restore a copy of it, or "
            "name another --store"
        ) from error
    except StoreError:
        connection.close()
        raise
    return connection


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
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(
        f"the store {path} cannot be opened ({why}); it needs a place where you may write, "
        "or name another --store"
    )
