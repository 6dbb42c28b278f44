"""Scores and turns of runs as tables for Python: plain rows, or a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from sociolab.app.finding.pooled import each_once
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.store.parquet import SCORES, TURNS, Row, score_rows, turn_rows
from sociolab.store.store import Store


class Rows(list[dict[str, Any]]):
    """A list of plain dicts which all have the same keys, `columns`, also where it is empty."""

    def __init__(self, columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame; ConfigError where pandas is not installed."""
        try:
            pandas = import_module("pandas")  # no dependency, and half a second
        except ImportError as error:
            raise ConfigError(
                "a data frame needs pandas, which is not installed; run: pip install pandas"
            ) from error
        return pandas.DataFrame(list(self), columns=list(self.columns))


def scores_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """A row for each verdict of these runs: a score, a score that failed, or that a judge cannot
    tell; docs/python.md has the columns. StoreError for a run that is not there."""
    return _table(store, runs, SCORES, score_rows)


def turns_table(store: Store, runs: str | Sequence[str]) -> Rows:
    """A row for each thing that happened in the episodes of these runs: an action (a turn may have
    several), an answer, a reply that could not be used, an end. StoreError as `scores_table`."""
    return _table(store, runs, TURNS, turn_rows)


def _table(
    store: Store,
    runs: str | Sequence[str],
    columns: Mapping[str, str],
    read: Callable[[Store, str, Mapping[str, Trial]], Iterator[Row]],
) -> Rows:
    names = (runs,) if isinstance(runs, str) else each_once(runs)

    def rows() -> Iterator[dict[str, Any]]:
        for name in names:
            trials = {row.trial.id: row.trial for row in store.trials(name)}
            for row in read(store, name, trials):
                yield {column: row.get(column) for column in columns}

    return Rows(tuple(columns), rows())
