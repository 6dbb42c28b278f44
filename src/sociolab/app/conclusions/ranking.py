"""The ranking of the agents of some runs in a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sociolab.analysis.pooled import pooled
from sociolab.analysis.ranking import Ranking, ranking
from sociolab.app.conclusions.comparable import check_no_smoke
from sociolab.app.finding.agent_names import agent_names
from sociolab.app.finding.pooled import agent_settings, run_values
from sociolab.core.code_mark import without_code
from sociolab.report.result import outline_of, turns_asked
from sociolab.store.sqlite import Store


def rank_runs(
    store: Store, runs: Sequence[str], judge: str | None = None, measure: str | None = None
) -> Ranking:
    """Rank the agents of these runs together; ConfigError where they cannot be compared."""
    check_no_smoke([outline_of(store, run, store.trials(run)) for run in runs])
    values, names = run_values(store, runs), agent_names(store, runs)
    settings = {
        run: {names.name(run, label): without_code(hash_) for label, hash_ in agents.items()}
        for run, agents in agent_settings(store, runs).items()
    }
    pool = pooled([names.values(one) for one in values], judge, measure, settings)
    asked = {run: turns_asked(store, run) for run in runs}
    return ranking(replace(pool, notes=(*pool.notes, *names.notes)), asked)
