"""Open a store file: its path, whether it is ours and usable, and the lock that keeps two processes
off one run.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from sociolab.core import __version__
from sociolab.core.errors import StorageError, StoreError
from sociolab.core.user_files import atomic_file, data_home, is_alive
from sociolab.store.schema import (
    APPLICATION_ID,
    VERSION,
    bring_up_to_date,
    checksum,
    version_in,
)

VARIABLE = "SOCIOLAB_STORE"


def default_path() -> Path:
    """`$SOCIOLAB_STORE`, else `store.db` in `data_home()`.

    The environment is read at each call; nothing is created.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return data_home() / "store.db"


def store_path(path: Path | None) -> Path:
    """The given path, or the default one."""
    return path if path is not None else default_path()


_NAMES = {
    "run": "SELECT name FROM runs ORDER BY created DESC",
    "agent": "SELECT 'scripted' UNION SELECT DISTINCT json_extract(value, '$[0]') "
    "FROM runs, json_each(runs.settings, '$.agents')",
    "task": "SELECT DISTINCT id FROM tasks",
    "metric": "SELECT DISTINCT name FROM measures",
}


def names_in(path: Path, kind: str) -> list[str]:
    """The names of all runs, agents, tasks or metrics in a store, for shell completion.

    The store is opened read-only, without its usual checks. sqlite3.Error where that fails.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=0.2)) as store:
        return [str(name) for (name,) in store.execute(_NAMES[kind]) if name is not None]


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def checked_name(name: str, of: str = "run") -> str:
    """The name, if it may name a run (or whatever `of` is); else StoreError.

    Names serve as file names, too.
    """
    if _NAME.fullmatch(name):
        return name
    raise StoreError(
        f"the name of a {of} has 1 to 80 letters, digits, dots, underscores and hyphens and begins "
        f"with a letter or digit; found {name[:100]!r}"
    )


BUSY_SECONDS = 30.0
"""How long a write waits for another process that is writing."""

_PRAGMAS = (
    "PRAGMA wal_autocheckpoint = 10000",  # pages: about 40 MB, so that few commits wait for a disk
    "PRAGMA journal_size_limit = 50000000",
    "PRAGMA cache_size = -8000",  # KiB
    "PRAGMA foreign_keys = ON",
)


class FrozenConnection(sqlite3.Connection):
    """A read-only connection to a file that is taken as it lies there, without log or
    locks: it does not see what other processes write.
    """


def connect(path: Path, new: bool, *, synced: bool = False) -> sqlite3.Connection:
    """A connection to the store at `path`, with the current schema.

    A store of an earlier version is brought up to date; its copy stays beside it, as `store.db.v1`.

    A commit survives the death of the process, and a power cut only if `synced`: then SQLite waits
    for the disk at each commit; otherwise the last seconds may be lost, but no more. Where nothing
    can be written (a read-only medium, a full disk), the connection is read-only.

    StoreError if there is no store (unless `new`: then it is created), if the file is not ours, is
    of a version that this sociolab does not read, or cannot be opened.
    """
    _check_place(path, new)
    try:
        return _open_for_writing(path, synced)
    except OSError as error:  # of the copy
        raise _cannot_open(path, error) from error
    except sqlite3.Error as error:
        code = _code(error)
        if not {code, code & 0xFF} & _UNWRITABLE or not path.exists():
            raise _cannot_open(path, error) from error
        problem = error
    _check_closed(path, problem)
    try:
        return _open_frozen(path)
    except sqlite3.Error as error:
        raise _cannot_open(path, problem) from error


_UNWRITABLE = frozenset({
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP,
})  # fmt: skip
"""SQLite's errors where it cannot make a log beside the file."""


def _open_for_writing(path: Path, synced: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        _check_ours(connection, path)
        _use_wal(connection)
        connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}")
        connection.create_function("checksum", -1, checksum, deterministic=True)
        bring_up_to_date(connection, lambda version: _prepare_migration(connection, path, version))
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except UnicodeDecodeError as error:  # SQLite quotes what is damaged, as it is
        connection.close()
        raise _damaged(path) from error
    except BaseException:  # nobody else can close it
        connection.close()
        raise
    return connection


def _open_frozen(path: Path) -> sqlite3.Connection:
    where = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(where, uri=True, isolation_level=None, factory=FrozenConnection)
    try:
        connection.create_function("checksum", -1, checksum, deterministic=True)
        if _check_ours(connection, path) < VERSION:
            raise StoreError(
                f"the store {path} is of an earlier sociolab: it must be brought up to date first, "
                "which needs a writable directory with room for a copy of it; copy it to one, and "
                "name the copy with --store"
            )
    except BaseException:  # as above
        connection.close()
        raise
    return connection


def _check_closed(path: Path, problem: sqlite3.Error) -> None:
    """Refuse to read a file without its log: it lacks the newest turns, and may be torn."""
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        return
    if (failure := storage_error(path, problem)).full:
        raise failure from problem
    raise StoreError(
        f"the latest turns of the store {path} are still in {log.name}, which can only be read in "
        f"a writable directory; copy both files to one, and name the copy with --store"
    )


def storage_error(path: Path, error: Exception) -> StorageError:
    """SQLite's error with its cause and what the user can do about it."""
    code = _code(error)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE):
        return StorageError(f"the disk of the store {path} is full; {FREE_SOME}", full=True)
    if code & 0xFF == sqlite3.SQLITE_READONLY:
        return StorageError(
            f"the store {path} can only be read: its disk is read-only or full, or you may not "
            f"write there; copy it to a writable directory, and name the copy with --store"
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


def _check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """Refuse a foreign file before anything is written; an empty one may become a store.

    Returns the store's version. Read in one transaction: another process may be creating this
    store meanwhile.
    """
    connection.execute("BEGIN")
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = version_in(connection)
        if owner != APPLICATION_ID:
            if owner or version != 0 or tables:
                raise _not_ours(path, "it belongs to another program")
        elif version is None:
            raise StoreError(
                f"the store {path} was written by sociolab 0.1.0 before its release, with tables "
                "that no other version reads: export its runs there (`sociolab export`) and import "
                "the files here (`sociolab import run`), or name another --store"
            )
        elif version > VERSION:
            newest = "SELECT sociolab FROM versions ORDER BY version DESC LIMIT 1"
            (its_sociolab,) = connection.execute(newest).fetchone()
            raise StoreError(
                f"the store {path} is of version {version}, and this sociolab, {__version__}, "
                f"reads versions up to {VERSION}: use sociolab {its_sociolab} or a later one, or "
                "name another --store"
            )
        return version
    finally:
        connection.rollback()


def _prepare_migration(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Make sure that nobody plays a run in this version of the store, and copy it."""
    for (name,) in connection.execute("SELECT name FROM runs"):
        if run_is_locked(path, name):
            raise StoreError(
                f'the store {path} is of an earlier sociolab, which is using the run "{name}"; '
                "wait until that has ended: then the store is brought up to date"
            )
    endings = (f".v{version}" + f"-{number}" * (number > 1) for number in itertools.count(1))
    copies = (path.with_name(path.name + ending) for ending in endings)
    copy = next(copy for copy in copies if not copy.exists())
    with closing(sqlite3.connect(path)) as reader:  # SQLite copies no connection that may write
        back_up(reader, path, copy)


def back_up(connection: sqlite3.Connection, path: Path, file: Path) -> None:
    """Copy the store at `path`, as it is at this moment; others may go on writing.

    `file` appears when it is complete. OSError or sqlite3.Error where it cannot be written.
    """
    with atomic_file(file) as part:
        part.touch(mode=0o600)
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
        part.chmod(path.stat().st_mode & 0o777)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Allow readers beside one writer; the setting stays with the file.

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


def _damaged(path: Path) -> StoreError:
    return StoreError(
        f"the store {path} is damaged: SQLite cannot read its schema; restore a copy of it, or "
        "name another --store"
    )


def _cannot_open(path: Path, error: Exception) -> StoreError:
    if _code(error) & 0xFF == sqlite3.SQLITE_CORRUPT or "malformed database" in str(error):
        return _damaged(path)
    if _code(error) == sqlite3.SQLITE_NOTADB:
        return _not_ours(path, "it is not an SQLite file")
    if (failure := storage_error(path, error)).full:
        return failure
    why = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(
        f"the store {path} cannot be opened ({why}); it needs a writable directory; or name "
        f"another --store"
    )


def _code(error: Exception) -> int:
    """SQLite's extended error code; 0 where Python itself raised the error."""
    return getattr(error, "sqlite_errorcode", 0)


_RACES = 100
"""Tries to open the lock file: another process may remove it between our opening and locking."""


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def lock_run(path: Path, name: str, *, on_full_disk: bool = False) -> Iterator[None]:
    """Lock the run `name` of the store at `path`; StoreError with the holder's process id.

    The lock file lies in `<store>-locks/` and is removed afterwards; a file that a killed process
    left holds nothing. `on_full_disk`: go on without a lock where the disk has no room for a file:
    then nobody else has the lock, and nobody can take it until there is room.
    """
    store = path.resolve()
    file = store.with_name(f"{store.name}-locks") / f"{checked_name(name)}.lock"
    descriptor = _take(file, name, on_full_disk)
    if descriptor is None:
        yield
        return
    try:
        yield
    finally:
        # Removed while still held: whoever opened it meanwhile finds that it is gone.
        with suppress(OSError):
            file.unlink()
        os.close(descriptor)
        with suppress(OSError):
            file.parent.rmdir()


def run_is_locked(path: Path, name: str) -> bool:
    """Whether a living process holds this run.

    The lock is not tried: that would block a run that is just about to start.
    """
    store = path.resolve()
    file = store.with_name(f"{store.name}-locks") / f"{name}.lock"
    try:
        holder = file.read_text("ascii")
    except (OSError, UnicodeDecodeError, ValueError):
        return False
    return holder.isdecimal() and len(holder) < 12 and is_alive(int(holder))


def _take(file: Path, name: str, on_full_disk: bool) -> int | None:
    problem: OSError | None = None
    for _ in range(_RACES):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except (FileNotFoundError, FileExistsError) as error:
            problem = error  # the folder was removed just now, or can never be made
            continue
        except OSError as error:
            if on_full_disk and error.errno in _NO_ROOM:
                return None
            raise _cannot_lock(file, error) from error
        if _hold(descriptor, file, name):
            return descriptor
        os.close(descriptor)
    raise _cannot_lock(file, problem)


def _hold(descriptor: int, file: Path, name: str) -> bool:
    """Lock the open file and write our process id into it; False if its path was removed."""
    try:
        if not _locked(descriptor):
            pid = os.read(descriptor, 20).decode(errors="replace")
            holder = f"process {pid}" if pid.isdigit() else "another process"
            raise StoreError(
                f'run "{name}" is in use by {holder}; '
                "wait until that has ended, or play under another --name"
            )
        try:
            if not os.path.samestat(os.fstat(descriptor), file.stat()):
                return False
        except FileNotFoundError:
            return False
        os.ftruncate(descriptor, 0)
        try:
            os.write(descriptor, str(os.getpid()).encode())
        except OSError as error:  # unsigned, it is held all the same
            if error.errno not in _NO_ROOM:
                raise
    except OSError as error:
        os.close(descriptor)
        raise _cannot_lock(file, error) from error
    except StoreError:
        os.close(descriptor)
        raise
    return True


if sys.platform == "win32":
    import msvcrt

    _BEYOND = 1 << 20
    """Windows lets nobody read a locked byte, so the byte that is locked lies past the text."""

    def _locked(descriptor: int) -> bool:
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _cannot_lock(file: Path, error: OSError | None) -> StoreError:
    if error is not None and error.errno in _NO_ROOM:
        return StorageError(f"the disk has no room for {file}; {FREE_SOME}", full=True)
    why = error.strerror if error else "it keeps disappearing"
    return StoreError(
        f"the lock file {file} cannot be used ({why}); the store needs a writable local disk"
    )
