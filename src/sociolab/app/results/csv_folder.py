"""Some runs as CSV: their entries as one file, or a folder that holds every play as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sociolab.analysis.values import values_of
from sociolab.core.errors import ConfigError
from sociolab.report.export import csv_text, entries_csv, write_whole
from sociolab.report.result import RunResult
from sociolab.store.store import Store

_PLAYS = (
    "run",
    "world",
    "trial",
    "task",
    "cluster",
    "type",
    "repeat",
    "seat",
    "agent",
    "partner",
    "judge",
    "method",
    "measure",
    "value",
)
_RUNS = (
    "run",
    "world",
    "data",
    "data_version",
    "data_hash",
    "seed",
    "created",
    "trials",
    "played",
    "failed",
    "calls",
    "estimated_calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost_usd",
    "seconds",
)


def write_csv(store: Store, results: Sequence[RunResult], path: Path) -> tuple[Path, ...]:
    """Write the entries to a file that ends in .csv; or scores.csv, plays.csv and runs.csv to a
    folder. ConfigError where it cannot be written. Returns what was written."""
    if path.suffix.lower() == ".csv" and not path.is_dir():
        write_whole(path, entries_csv(results))
        return (path,)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the folder {path} cannot be made ({error.strerror}); name another, or a .csv file"
        ) from error
    texts = {
        "scores.csv": entries_csv(results),
        "plays.csv": csv_text(_PLAYS, _plays(store, results)),
        "runs.csv": csv_text(_RUNS, (_run(result) for result in results)),
    }
    for name, text in texts.items():
        write_whole(path / name, text)
    return tuple(path / name for name in texts)


def _plays(store: Store, results: Iterable[RunResult]) -> Iterable[tuple[str | float | None, ...]]:
    """A row for each play, judge and measure; a missing value, which was due, is an empty cell."""
    for result in results:
        found = values_of(store, result.run)
        for value in found.values:
            row = value._asdict() | {"method": found.judges[value.judge].method}
            yield tuple(row[name] for name in _PLAYS)


def _run(result: RunResult) -> tuple[str | float | None, ...]:
    data = result.data
    return (
        result.run,
        result.world,
        data.name if data else None,
        data.version if data else None,
        data.hash if data else None,
        result.seed,
        result.created,
        result.trials,
        result.played,
        result.failed,
        result.calls,
        result.estimated_calls,
        result.tokens.prompt,
        result.tokens.completion,
        result.tokens.cached,
        result.cost_usd,
        result.seconds,
    )
