"""How far a study of ratings has come, by episode and by rater."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sociolab.app.rating.keeping import Given
from sociolab.app.rating.qualifying import TestResult, qualified, references_of, test_result
from sociolab.app.rating.studies import RateStudy
from sociolab.store.store import Store
from sociolab.store.studies import Standing


@dataclass(frozen=True, slots=True)
class EpisodeProgress:
    """How many people have rated an episode, and how many are at it."""

    trial: str
    done: int
    open: int


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """What a rater has done; `test` is None before the end of the test, and where there is none.

    `seconds`: the median time of a rating.
    """

    rater: str
    state: Standing
    done: int
    open: int
    test: TestResult | None
    passed: bool
    seconds: float | None


def progress_of(
    store: Store, study: RateStudy, ratings: Sequence[Given]
) -> tuple[tuple[EpisodeProgress, ...], tuple[RaterProgress, ...]]:
    """The progress of every episode in the study and of every participant."""
    rows = store.studies.assignments(study.name)
    done = Counter(row.item for row in rows if row.state == "done")
    at_it = Counter(row.item for row in rows if row.state == "open")
    episodes = tuple(EpisodeProgress(t, done[t], at_it[t]) for t in study.episodes)
    items = set(study.episodes)
    took: dict[str, list[float]] = {}
    for one in ratings:
        if one.seconds is not None:
            took.setdefault(one.rater, []).append(one.seconds)
    raters = []
    for who in store.studies.participants(study.name):
        mine = Counter(r.state for r in rows if r.participant == who.pk and r.item in items)
        passed = (
            qualified(store, study.name, study.plan, who) if references_of(study.plan) else None
        )
        result = None if passed is None else test_result(store, study.name, study.plan, who)
        seconds = median(took[who.id]) if who.id in took else None
        raters.append(
            RaterProgress(
                who.id, who.state, mine["done"], mine["open"], result, bool(passed), seconds
            )
        )
    return episodes, tuple(raters)
