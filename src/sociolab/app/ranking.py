"""The ranking of the agents of some runs in a store."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.analysis.pooled import pooled
from sociolab.analysis.ranking import Ranking, ranking
from sociolab.app.pooled import agent_settings, run_values
from sociolab.store.sqlite import Store


def rank_runs(
    store: Store, runs: Sequence[str], judge: str | None = None, measure: str | None = None
) -> Ranking:
    """Rank the agents of these runs together; ConfigError where they cannot be compared."""
    values = run_values(store, runs)
    return ranking(pooled(values, judge, measure, agent_settings(store, runs)))
