"""Which episodes of a run were played, and why others were not: every page of a study asks."""

from __future__ import annotations

from collections import Counter

from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text


def played_ids(store: RunTable, run: str) -> tuple[str, ...]:
    """The ids of the trials that were played, in plan order; StoreError if there is no such run."""
    rows = store.rows(
        "SELECT id FROM trials WHERE run = ? AND status = 'played' ORDER BY pk",
        (store.run_pk(run),),
    )
    return tuple(as_text(name) for (name,) in rows)


def failed_causes(store: RunTable, run: str) -> Counter[str]:
    """How many trials failed from each cause; StoreError if there is no such run."""
    rows = store.rows(
        "SELECT ifnull(cause, 'unknown'), count(*) FROM trials "
        "WHERE run = ? AND status = 'failed' GROUP BY cause ORDER BY cause",
        (store.run_pk(run),),
    )
    return Counter(dict(rows))
