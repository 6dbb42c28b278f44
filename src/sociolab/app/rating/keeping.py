"""Ratings in the run: stored and read as `sociolab import ratings` does, see docs/ratings.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.analysis.rated_signature import moment, signature, signed, unsigned
from sociolab.app.rating.rating_set import Placed, Standing, people_judge
from sociolab.core.score import Score
from sociolab.store.sqlite import Store
from sociolab.store.verdicts import Reasoned, reasoned
from sociolab.worlds.sotopia.evaluation import DIMENSIONS

RESEARCHER = "researcher"
"""Who signs a decision on a disagreement."""

MEASURES = {measure.name: measure for measure in DIMENSIONS}


@dataclass(frozen=True, slots=True)
class Given:
    """What one rater gave one seat of an episode on one dimension, and why.

    `seconds` were spent on it; `when` it was given is in UTC, as in docs/ratings.md.
    """

    trial: str
    seat: str
    rater: str
    dimension: str
    value: float
    reason: str
    seconds: float | None = None
    when: str = ""


def keep_ratings(store: Store, run: str, study: str, given: Sequence[Given]) -> None:
    """Store ratings in the study's set, all or none; what a rater gave before stands.

    Each rater has one number of judgings in the set, and SOTOPIA's overall is added for each seat
    whose seven dimensions are there. The run is not locked, since nothing is played here: that two
    raters never take one number is the transaction's doing.
    """
    judge = people_judge(study)
    raters = {one.rater for one in given}
    with store.transaction():
        standing = Standing()
        for row in reasoned(store, run, judge):
            before = _given(row)
            standing.numbers[before.rater] = row.judging
            if before.rater in raters and before.dimension in MEASURES:
                place = (before.trial, before.seat, before.rater, before.dimension)
                standing.scores[place] = _score(before)
        placed = [
            Placed(number, one.trial, one.rater, _score(one)) for number, one in enumerate(given, 1)
        ]
        fresh = [rating for rating in placed if rating.place not in standing.scores]
        standing.add(store, run, judge, fresh)


def ratings_in(store: Store, run: str, study: str) -> tuple[Given, ...]:
    """The ratings of the study's set, in the order of the plan; no overalls."""
    return tuple(
        _given(row) for row in reasoned(store, run, people_judge(study)) if row.measure in MEASURES
    )


def _given(row: Reasoned) -> Given:
    rater, seconds = signature(row.reason)
    return Given(
        row.trial,
        row.seat,
        rater or str(row.judging + 1),
        row.measure,
        row.value,
        unsigned(row.reason),
        seconds,
        moment(row.reason),
    )


def _score(one: Given) -> Score:
    reason = signed(one.rater, one.reason, one.seconds, one.when)
    return Score(MEASURES[one.dimension], one.seat, one.value, reason)
