"""Entries and other rows as CSV: comma, double quotes, UTF-8, a line feed after each row.

Words that a spreadsheet would take for a formula get an apostrophe before them; figures do not.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from sociolab.report.legible import legible
from sociolab.report.schema import RunResult, ScoreEntry

ENTRY_COLUMNS = (
    "run",
    "world",
    "agent",
    "by",
    "judge",
    "method",
    "measure",
    "value",
    "low",
    "high",
    "interval",
    "n",
    "clusters",
    "failures",
    "unscored",
    "failed_turns",
    "turns_asked",
    "disputed",
    "unconfirmed",
    "cannot_tell",
    "bounds_low",
    "bounds_high",
)
"""Of `entries_csv`, as in docs/result.md. `by` is written as "type=bargain; partner=scripted"."""

_FORMULA = re.compile(r"\s*[=+\-@|]")
_FIGURE = re.compile(r"-|[+-]?\d[\d,.]*(e[+-]?\d+)?( ?%)?")


def entries_csv(results: Iterable[RunResult]) -> str:
    """A row for each score entry of these runs; a missing figure is an empty cell."""
    return csv_text(
        ENTRY_COLUMNS,
        (_entry(result, entry) for result in results for entry in result.scores),
    )


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Rows under their heads; None is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_cell(title) for title in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue()


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = legible(value)
    harmless = _FIGURE.fullmatch(text) or not _FORMULA.match(text)
    return text if harmless else f"'{text}"


def _entry(result: RunResult, entry: ScoreEntry) -> tuple[str | float | None, ...]:
    return (
        result.run,
        result.world,
        entry.agent,
        "; ".join(f"{name}={value}" for name, value in entry.by.items()),
        entry.judge,
        entry.method,
        entry.measure,
        entry.value,
        entry.low,
        entry.high,
        entry.interval,
        entry.n,
        entry.clusters,
        entry.failures,
        entry.unscored,
        entry.failed_turns,
        entry.turns_asked,
        entry.disputed,
        entry.unconfirmed,
        entry.cannot_tell,
        *(entry.bounds or (None, None)),
    )
