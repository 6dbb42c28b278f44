"""How far a study is: people, what they were given, and who dropped out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sociolab.app.rating.impressions import impression_study
from sociolab.app.rating.reviewing import review_study
from sociolab.app.rating.studies import rate_study
from sociolab.app.study.frame import REASON, WHOLE, WITHDRAWN
from sociolab.app.study.troubles import troubles
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store
from sociolab.store.studies import Progress, Standing, StudyRow

STATES: tuple[Standing, ...] = (
    "invited",
    "arrived",
    "consented",
    "finished",
    "refused",
    "left",
)


@dataclass(frozen=True, slots=True)
class DropOut:
    """Somebody who did not come to the end: how, and why where that is known."""

    participant: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Figures of a study.

    `people` counts participants by state, `given` assignments by state. `done` of `planned` plays,
    ratings of episodes, impressions or reviews (`unit`) are there, those beyond the plan (by one
    more rater in a dispute) not counted; `planned` is None where what is rated or reviewed cannot
    be told any more. Plays that failed are in neither: each is planned anew. `troubles` are
    sentences on what went wrong.
    """

    people: Mapping[Standing, int]
    given: Mapping[Progress, int]
    unit: str
    done: int
    planned: int | None
    dropped: tuple[DropOut, ...]
    withdrawn: int
    troubles: tuple[str, ...]

    @property
    def invited(self) -> int:
        """All who have a link, whatever became of them."""
        return sum(self.people.values())


_UNITS = {
    "play": "episodes",
    "rate": "ratings of episodes",
    "impressions": "impressions",
    "review": "reviews",
}


def progress_of(store: Store, study: str) -> StudyProgress:
    """The figures of a study now; StoreError if there is none of this name."""
    row = store.studies.get(study)
    participants = store.studies.participants(study)
    given = store.studies.assignments(study)
    people = Counter(who.state for who in participants)
    answers = store.studies.answers(study)
    reasons = {each.participant: str(each.value) for each in answers
               if (each.item, each.name) == (WHOLE, REASON)}  # fmt: skip
    done, planned = _done(store, row)
    return StudyProgress(
        {state: people[state] for state in STATES},
        Counter(each.state for each in given),
        _UNITS[row.kind],
        done,
        planned,
        tuple(
            DropOut(who.id, _how(who.state, who.consented), reasons.get(who.pk, ""))
            for who in participants
            if who.state in ("refused", "left")
        ),
        sum(each.name == WITHDRAWN for each in answers),
        troubles(store, row),
    )


def _how(state: Standing, consented: float | None) -> str:
    if state == "left":
        return "left"
    return "gave no consent" if consented is None else "did not qualify"


def _done(store: Store, row: StudyRow) -> tuple[int, int | None]:
    """What is done, and what is planned, in the study's own units."""
    if row.kind == "play" and row.run is not None:
        run = store.run(row.run)
        return run.played, run.trials - run.failed
    items, raters = _items(store, row)
    done = Counter(
        each.item for each in store.studies.assignments(row.name) if each.state == "done"
    )
    if items is None:
        return done.total(), None
    return sum(min(done[item], raters) for item in items), len(items) * raters


def _items(store: Store, row: StudyRow) -> tuple[Collection[str] | None, int]:
    """What is rated or reviewed, and by how many; None where it cannot be told any more, since
    its data set or its judgings are gone: what was done is there all the same."""
    try:
        match row.kind:
            case "rate":
                rated = rate_study(store, row)
                return frozenset(rated.episodes), rated.plan.raters
            case "impressions":
                read = impression_study(store, row)
                return frozenset(read.sessions), read.plan.raters
            case _:
                reviewed = review_study(row)
                return frozenset(reviewed.tasks), reviewed.plan.raters
    except ConfigError:
        return None, 0
