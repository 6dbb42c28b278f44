"""Comparisons and rankings as plain records, for Python; the command line prints the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sociolab.analysis.ranking import ranking_document
from sociolab.app.conclusions.comparing import Wanted, compare_runs
from sociolab.app.conclusions.ranking import rank_runs
from sociolab.store.store import Store


def compare(
    store: Store,
    runs: str | Sequence[str],
    *,
    agent: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    measures: Sequence[str] = (),
) -> dict[str, Any]:
    """What `sociolab compare --json` prints of two runs, or of two agents of one (`agent` and
    `other`), without its pairs of episodes: see docs/compare.md.

    ConfigError where they cannot be compared, or an agent or a judge must be named.
    """
    names = _names(runs)
    return compare_runs(store, Wanted(names, agent, other, judge, tuple(measures))).document()


def rank(
    store: Store,
    runs: str | Sequence[str],
    *,
    judge: str | None = None,
    measure: str | None = None,
) -> dict[str, Any]:
    """What `sociolab rank --json` prints of the agents of these runs: see docs/ranking.md.

    ConfigError where they cannot be ranked together.
    """
    return ranking_document(rank_runs(store, _names(runs), judge, measure))


def _names(runs: str | Sequence[str]) -> tuple[str, ...]:
    return (runs,) if isinstance(runs, str) else tuple(runs)
