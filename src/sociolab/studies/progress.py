"""How far is a study? People, assignments, drop-outs, troubles, and each rater's progress."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sociolab.core.errors import ConfigError
from sociolab.core.score import ScoreFailure
from sociolab.report.words import counted, plural
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, Progress, Standing, StudyRow
from sociolab.studies.impressions import impression_study
from sociolab.studies.participants import REASON, WHOLE, WITHDRAWN, declined
from sociolab.studies.rating_study import (
    QualifyingResult,
    RateStudy,
    exam_results,
    failed_annotations,
    qualifying_result,
    rate_study,
)
from sociolab.studies.ratings import Rating
from sociolab.studies.reviews import review_study
from sociolab.studies.settings import PlayPlan, StudySettings

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
    assignments = store.studies.assignments(study)
    people = Counter(who.state for who in participants)
    answers = store.studies.answers(study)
    reasons = {each.participant: str(each.value) for each in answers
               if (each.item, each.name) == (WHOLE, REASON)}  # fmt: skip
    done, planned = _done(store, row)
    settings = StudySettings.model_validate(row.settings)
    return StudyProgress(
        {state: people[state] for state in STATES},
        Counter(each.state for each in assignments),
        _UNITS[row.kind],
        done,
        planned,
        tuple(
            DropOut(who.id, _how(settings, who), reasons.get(who.pk, ""))
            for who in participants
            if who.state in ("refused", "left")
        ),
        sum(each.name == WITHDRAWN for each in answers),
        troubles(store, row),
    )


def _how(settings: StudySettings, who: ParticipantRow) -> str:
    if who.state == "left":
        return "left"
    return "gave no consent" if declined(settings, who) else "did not qualify"


def _done(store: Store, row: StudyRow) -> tuple[int, int | None]:
    """What is done, and what is planned, in the study's own units."""
    if row.kind == "play" and row.run is not None:
        run = store.run(row.run)
        return run.played, run.trials - run.failed
    items, raters = _items(store, row)
    done = Counter(
        each.item for each in store.studies.assignments(row.name) if each.state == "done"
    )
    done.subtract(item for _, item in failed_annotations(store, row.name))
    if items is None:
        return done.total(), None
    return sum(min(done[item], raters) for item in items), len(items) * raters


def room(store: Store, row: StudyRow) -> str:
    """How many people a study has something to do for, in a sentence; "" if it cannot be told."""
    settings = StudySettings.model_validate(row.settings)
    plan = settings.play or settings.rate or settings.impressions or settings.review
    _, places = _done(store, row)
    if settings.play and row.run and places:
        items = len({trial_row.trial.task.id for trial_row in store.trials(row.run)})
        places *= settings.play.people
        unit = "episode" if settings.play.people == 1 else "seat"
    else:
        items, unit = len(_items(store, row)[0] or ()), "assignment"
    if not plan or not places:
        return ""
    each = min(plan.each, items)
    people = plural(-(-places // each), "person", "people")
    return (
        f"The plan has room for {people}: {plural(places, unit)}, {each} per person. Anyone who "
        f"comes later will find nothing left to do."
    )


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
    test: QualifyingResult | None
    seconds: float | None


def rating_progress(
    store: Store, study: RateStudy, ratings: Sequence[Rating]
) -> tuple[tuple[EpisodeProgress, ...], tuple[RaterProgress, ...]]:
    """The progress of every episode in the study and of every participant."""
    rows = store.studies.assignments(study.name)
    done = Counter(row.item for row in rows if row.state == "done")
    done.subtract(item for _, item in failed_annotations(store, study.name))
    at_it = Counter(row.item for row in rows if row.state == "open")
    episodes = tuple(EpisodeProgress(t, done[t], at_it[t]) for t in study.episodes)
    items = set(study.episodes)
    took: dict[str, list[float]] = {}
    for rating in ratings:
        if rating.seconds is not None:
            took.setdefault(rating.rater, []).append(rating.seconds)
    raters, exams = [], exam_results(store, study)
    for who in store.studies.participants(study.name):
        counts = Counter(r.state for r in rows if r.participant == who.pk and r.item in items)
        result = qualifying_result(store, study, who, exams) if study.test else None
        seconds = median(took[who.id]) if who.id in took else None
        raters.append(
            RaterProgress(who.id, who.state, counts["done"], counts["open"], result, seconds)
        )
    return episodes, tuple(raters)


def troubles(store: Store, study: StudyRow) -> tuple[str, ...]:
    """The sentences; none where all is well, or nothing is played in the study."""
    plan = StudySettings.model_validate(study.settings).play
    if plan is None or study.run is None:
        return ()
    causes = store.failed_causes(study.run)
    sentences = (
        _spent(plan, causes),
        _broken(causes),
        unjudged(store, study.run, plan, is_open=study.open),
    )
    return tuple(sentence for sentence in sentences if sentence)


def _spent(plan: PlayPlan, causes: Counter[str]) -> str:
    if plan.budget is None or not causes["budget"]:
        return ""
    return (
        f"The budget of ${plan.budget:,.2f} is spent: no new conversation starts, and newcomers "
        f"are told so. To continue, set up another study like this one with a larger budget."
    )


def _broken(causes: Counter[str]) -> str:
    """Plays that ended since the other side failed; who gave up is counted elsewhere."""
    broken = Counter({cause: count for cause, count in causes.items() if cause != "gave up"})
    if not broken:
        return ""
    fate = "are not replaced, since the budget is spent" if causes["budget"] else "will be replaced"
    return (
        f"{plural(broken.total(), 'episode')} ended early because the partner failed: "
        f"{counted(broken)}. Such episodes count for the participant but not for the study, and "
        f"{fate}."
    )


def unjudged(store: Store, run: str, plan: PlayPlan, *, is_open: bool) -> str:
    """A sentence on the plays of a run that lack scores; "" where none does."""
    episodes = set(store.trial_ids(run, "played"))
    failed = list[tuple[str | None, str, ScoreFailure]]()
    some = False
    for row in store.verdicts.judgings(run):
        failures = [verdict for verdict in row.verdicts if isinstance(verdict, ScoreFailure)]
        if failures and row.trial in episodes:
            failed.append((row.trial, row.judge.label, failures[0]))
            some |= len(failures) < len(row.verdicts)
    if not failed:
        return ""
    causes: Counter[str] = Counter(failure.cause for *_, failure in failed)
    plays = len({trial for trial, *_ in failed})
    _, judge, first = failed[0]
    return (
        f"{plays} of {plural(len(episodes), 'episode')} could not be judged{' in full' * some}: "
        f"{counted(causes)} (the first: {judge}: {_short(first.problem)}); "
        f"{_again(run, plan, is_open=is_open)}."
    )


def _again(run: str, plan: PlayPlan, *, is_open: bool) -> str:
    if not plan.judges:
        return "it is tried again when the study is reopened"
    judges = " ".join(f"--judge {shlex.quote(judge)}" for judge in plan.judges)
    first = "close the study, then " if is_open else ""
    return f"{first}`sociolab judge {run} {judges}` judges them again"


def _short(problem: str) -> str:
    return problem if len(problem) <= _LONGEST else problem[: _LONGEST - 1] + "…"


_LONGEST = 200
"""Characters of a problem; the episode's page has all of it."""
