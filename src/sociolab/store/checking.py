"""Check that a store is as it was written: its pages, its indexes, and the checksum of every
row."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sociolab.core.errors import StoreError
from sociolab.store.schema import CHECKED, MIGRATIONS, Undecoded, checksum, statements
from sociolab.store.store import Store

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)  # SQLite quotes what is damaged, as it is

MOST_NAMED = 20
"""Changed rows of a table that are named; the others are counted."""


def find_damage(store: Store) -> Iterator[str]:
    """Each damage as a clause; nothing where the store is intact.

    Every row is read and its checksum computed again. Primary keys have no checksum: their indexes
    show damage. A write-ahead log (`-wal`) that is not merged yet has SQLite's own checksums, and
    ends for SQLite at the first frame that was changed.
    """
    with _undecoded(store.connection) as connection:
        for check in (_check_pages, _check_schema, _check_search_index):
            try:
                yield from check(connection)
            except _UNREADABLE as error:
                yield f"the file: {_describe(error)}"
        for table in CHECKED:
            yield from _check_rows(connection, table, "true")


def verify_runs(store: Store, *runs: str) -> None:
    """StoreError, in the words of `find_damage`, unless all rows of these runs are as written.

    Whoever publishes what a run holds calls this first. Until the file changes, a process reads a
    run once.
    """
    for run in runs:
        pk, stamp = store.run_pk(run), _stamp(store.path)
        if _verified.get((store.path, pk)) == stamp:
            continue
        for table in CHECKED.keys() - _OF_NO_RUN:
            where = _OF_RUN.get(table, "run = {}").format(pk)
            if damage := _damage_in(store.connection, table, where):
                raise StoreError(
                    f"the store {store.path} is damaged: {damage}; go back to an earlier "
                    "backup, or leave that run out (`sociolab store check` names all damage)"
                )
        _verified[store.path, pk] = stamp


_verified: dict[tuple[Path, int], list[tuple[int, int]]] = {}
"""What the files were like when a run, by its store and primary key, was found to be sound."""


def _stamp(path: Path) -> list[tuple[int, int]]:
    files = (path, path.with_name(f"{path.name}-wal"))  # each connection makes the log, empty
    stats = [file.stat() for file in files if file.exists()]
    return [(stat.st_size, stat.st_mtime_ns) for stat in stats if stat.st_size]


def _damage_in(connection: sqlite3.Connection, table: str, where: str) -> str | None:
    changed = f"SELECT 1 FROM {table} WHERE {where} AND sum IS NOT checksum({CHECKED[table]})"
    with suppress(*_UNREADABLE):  # texts that are no UTF-8: read below
        if connection.execute(f"{changed} LIMIT 1").fetchone() is None:
            return None
    with _undecoded(connection):
        return next(_check_rows(connection, table, where), None)


_OF_NO_RUN = {"salt", "versions", "audit_log"}

_OF_STUDIES = "SELECT participants.pk FROM participants JOIN studies ON studies.pk = study"
_OF_TRIALS = "trial IN (SELECT pk FROM trials WHERE run = {})"
_OF_RUN = {
    "runs": "pk = {}",
    "events": _OF_TRIALS,
    "attachments": _OF_TRIALS,
    "tool_calls": "call IN (SELECT pk FROM calls WHERE run = {})",
    **dict.fromkeys(
        ("verdicts", "outcomes"), "judging IN (SELECT pk FROM judgings WHERE run = {})"
    ),
    **dict.fromkeys(
        ("participants", "recruiting"), "study IN (SELECT pk FROM studies WHERE run = {})"
    ),
    **dict.fromkeys(
        ("assignments", "answers", "recruits", "platform_ids"),
        f"participant IN ({_OF_STUDIES} WHERE run = {{}})",
    ),
}
"""Which rows belong to a run; of most tables, those that name it."""


@contextmanager
def _undecoded(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Have the connection return texts as they lie in the file: damaged ones may be no UTF-8."""
    made_text, connection.text_factory = connection.text_factory, Undecoded
    try:
        yield connection
    finally:
        connection.text_factory = made_text


def _check_rows(connection: sqlite3.Connection, table: str, where: str) -> Iterator[str]:
    changed: list[tuple[object, ...]] = []
    try:
        changed += _changed_keys(connection, table, where)
    except _UNREADABLE as error:
        yield f"{_NAMES.get(table, table)}: {_describe(error)}"
    for keys in changed[:MOST_NAMED]:
        yield _describe_row(connection, table, keys)
    if len(changed) > MOST_NAMED:
        more = len(changed) - MOST_NAMED
        yield f"{_NAMES.get(table, table)}: {more:,} more rows were changed"


def _describe(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _check_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (message,) in connection.execute("PRAGMA integrity_check(10)"):
        if (text := _text(message)) != "ok":
            yield f"the file: {text}"


def _check_schema(connection: sqlite3.Connection) -> Iterator[str]:
    """The tables must be ours to the letter: SQLite reads rows by their definition."""
    present = {_text(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql}
    for statement in statements("".join(MIGRATIONS)):
        text = statement.strip().removesuffix(";")
        if text.startswith("CREATE") and text not in present:
            yield f"the schema: {text.split('(')[0].strip()} was changed"


def _check_search_index(connection: sqlite3.Connection) -> Iterator[str]:
    """FTS5 compares its index with the text; a mismatch is an sqlite3.Error."""
    try:
        connection.execute("INSERT INTO episode_words (episode_words) VALUES ('integrity-check')")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
            raise
    yield from ()  # a generator, as the other checks are


def _changed_keys(
    connection: sqlite3.Connection, table: str, where: str
) -> Iterator[tuple[object, ...]]:
    """The keys of the rows that do not match their checksum."""
    keys = _KEYS.get(table, "rowid")
    count = keys.count(",") + 1
    for row in connection.execute(
        f"SELECT {keys}, sum, {CHECKED[table]} FROM {table} WHERE {where}"
    ):
        if row[count] != checksum(*row[count + 1 :]):
            yield row[:count]


def _describe_row(connection: sqlite3.Connection, table: str, keys: tuple[object, ...]) -> str:
    """Name a row by its run and episode, where these can be read."""
    name = f"{_NAMES.get(table, table)}, row {', '.join(map(str, keys))}"
    of = _OF.get(table)
    where = " AND ".join(f"{key} = ?" for key in _KEYS.get(table, "rowid").split(", "))
    try:
        row = of and connection.execute(f"SELECT {of} FROM {table} WHERE {where}", keys).fetchone()
    except _UNREADABLE:
        row = None
    return f"{name}{f' ({_text(row[0])})' if row and row[0] else ''} was changed"


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


_KEYS = {
    "events": "trial, n",
    **dict.fromkeys(("verdicts", "outcomes"), "judging, n"),
    "answers": "participant, item, name",
}

_NAMES = {"attempts": "failed attempts", "call_failures": "failed calls", "verdicts": "scores"}

_RUN = "(SELECT 'run ' || name FROM runs WHERE pk = run)"
_CALL = f"{_RUN} || ', episode ' || trial"
_TRIAL = """(SELECT 'run ' || runs.name || ', episode ' || trials.id FROM trials
    JOIN runs ON runs.pk = trials.run WHERE trials.pk = {})"""

_OF = {
    "runs": "'run ' || name",
    **dict.fromkeys(("tasks", "agents", "schemas", "judges", "measures", "notes", "looks"), _RUN),
    "trials": f"{_RUN} || ', episode ' || id",
    **dict.fromkeys(("calls", "call_failures", "attempts"), _CALL),
    **dict.fromkeys(("events", "attachments", "judgings"), _TRIAL.format("trial")),
    "verdicts": _TRIAL.format("(SELECT trial FROM judgings WHERE pk = judging)"),
    "tool_calls": f"(SELECT {_CALL} FROM calls WHERE calls.pk = call)",
}
