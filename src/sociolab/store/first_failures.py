"""The first score that each judge failed to give, by cause, in words: what a report shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.errors import Cause
from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text


@dataclass(frozen=True, slots=True)
class FirstFailedScore:
    """The first failure of a judge from one cause, and how many there are; `trial` is None where
    only verdicts on cells or on the run failed so."""

    judge: str
    cause: Cause
    count: int
    problem: str
    trial: str | None


def first_failed_scores(store: RunTable, run: str) -> tuple[FirstFailedScore, ...]:
    """Of each judge and cause the first in plan order, the judges in the order of their names.

    StoreError if there is no such run.
    """
    return tuple(
        FirstFailedScore(
            as_text(judge),
            cause,
            count,
            as_text(problem),
            None if trial is None else as_text(trial),
        )
        for judge, cause, count, problem, trial, _ in store.rows(_FIRST, (store.run_pk(run),))
    )


# Of the columns that are not grouped by, SQLite gives those of the row with the least place.
_FIRST = """
    SELECT judges.name, verdicts.cause, count(*), verdicts.text, trials.id,
        min(ifnull(judgings.trial, 1 << 40) * 1024 + verdicts.n)
    FROM judgings JOIN verdicts ON verdicts.judging = judgings.pk AND verdicts.kind = 'failure'
        JOIN judges ON judges.pk = judgings.judge LEFT JOIN trials ON trials.pk = judgings.trial
    WHERE judgings.run = ?
    GROUP BY judgings.judge, verdicts.cause
    ORDER BY judges.name, count(*) DESC, verdicts.cause
"""
