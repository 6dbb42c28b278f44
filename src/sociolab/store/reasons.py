"""All that one judge scored in a run, with its reasons, in one query.

Studies ask for it at every hand-in, while others wait for the store.
"""

from __future__ import annotations

from typing import NamedTuple

from sociolab.core.score import JudgeId
from sociolab.store.runs import RunTable
from sociolab.store.surrogates import as_text


class Reasoned(NamedTuple):
    """A score of an episode; `judging` is the number of its judging, `seat` "" of the whole."""

    trial: str
    judging: int
    measure: str
    seat: str
    value: float
    reason: str


def reasoned(store: RunTable, run: str, judge: JudgeId) -> tuple[Reasoned, ...]:
    """The scores of this judge, episode by episode in plan order; no failures."""
    values = (store.run_pk(run), judge.name, judge.method, judge.settings)
    return tuple(
        Reasoned(trial, number, as_text(measure), as_text(seat), value, as_text(text))
        for trial, number, measure, seat, value, text in store.rows(_SCORES, values)
    )


_SCORES = """
    SELECT trials.id, number, measures.name, ifnull(seat, ''), value, text
    FROM judgings
    JOIN judges ON judges.pk = judge
    JOIN trials ON trials.pk = trial
    JOIN verdicts ON verdicts.judging = judgings.pk
    JOIN measures ON measures.pk = measure
    WHERE judgings.run = ? AND judges.name = ? AND method = ? AND judges.settings = ?
        AND kind = 'score'
    ORDER BY trial, number, n
"""
