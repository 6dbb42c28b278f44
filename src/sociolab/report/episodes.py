"""Runs that hold episodes, told from those that only keep what models replied to other work."""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.core.errors import ConfigError
from sociolab.store.store import RunRow, Store

_WORK: Mapping[str, str] = {"audit": "an audit", "gap": "a gap", "write": "a writer"}
"""What keeps its replies in a run without trials, by the key of that run's settings."""


def kept_work(row: RunRow) -> str:
    """Whose replies a run keeps and nothing else, such as "an audit"; "" of a run of episodes."""
    if row.trials or not isinstance(row.settings, dict):
        return ""
    return next((said for kind, said in _WORK.items() if kind in row.settings), "")


def run_of_episodes(store: Store, run: str) -> RunRow:
    """The run; StoreError if there is none, ConfigError if it keeps replies and no episodes."""
    row = store.run(run)
    if work := kept_work(row):
        raise ConfigError(
            f"expected a run of episodes, found {run}, which only keeps the replies of {work}; "
            "`sociolab list runs` names those of episodes"
        )
    return row
