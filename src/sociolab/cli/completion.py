"""What a shell offers after TAB: runs, worlds, agents, tasks and metrics; never an error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from urllib.parse import quote

import typer

_AT_MOST = 200

_AGENTS = (
    "SELECT DISTINCT json_extract(value, '$[0]') FROM runs, json_each(runs.settings, '$.agents')"
)
_STORED = {
    "run": "SELECT name FROM runs ORDER BY created DESC",
    "agent": f"SELECT 'scripted' UNION {_AGENTS}",
    "task": "SELECT DISTINCT tasks.id FROM tasks JOIN runs ON runs.pk = tasks.run",
    "metric": "SELECT DISTINCT measures.name FROM measures JOIN runs ON runs.pk = measures.run",
}
_FLAGS = {
    "--run": "run", "--agent": "agent", "--with": "agent", "--partner": "agent",
    "--target": "agent", "--metric": "metric", "--task": "task", "--tasks": "task",
}  # fmt: skip


def completed(flags: str, metavar: str) -> Callable[[typer.Context, str], list[str]] | None:
    """What completes an option or, without flags, an argument; None where nothing is known."""
    kind = _FLAGS.get(flags.split()[0] if flags else "")
    if kind is None:
        words = metavar.strip("[]").split()
        kind = {"RUN": "run", "WORLD": "world"}.get(words[0]) if words else None
    if kind is None:
        return None

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        with suppress(Exception):  # a shell shows whatever goes wrong in the middle of a line
            found = _worlds() if kind == "world" else _stored(ctx, _STORED[kind])
            return [name for name in found if name.startswith(incomplete)][:_AT_MOST]
        return []

    return complete


def _worlds() -> list[str]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group="sociolab.worlds").names)


def _stored(ctx: typer.Context, query: str) -> list[str]:
    """Names in the store of this command line, which is only read."""
    import sqlite3

    from sociolab.store.connect import store_path

    path = store_path(ctx.params.get("store"))
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=0.2)) as store:
        return [str(row[0]) for row in store.execute(query) if row[0] is not None]
