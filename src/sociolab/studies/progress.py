"""The progress of a study: people, assignments, drop-outs, failures, and each rater's ratings."""

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
from sociolab.studies.play_records import seats_of_people, shares_by_condition
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
    """A participant who did not finish: in which state, and the reason if known."""

    participant: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Figures of a study.

    `people` counts participants by state, `assignments` assignments by state. `done` and `planned`
    count episodes, ratings of episodes, impressions or reviews (`unit`); `done` leaves out those
    beyond the plan (by one more rater in a dispute), and `planned` is None where the items are not
    available any more. Failed episodes are in neither, since each is planned again. `troubles` are
    sentences on what went wrong.
    """

    people: Mapping[Standing, int]
    assignments: Mapping[Progress, int]
    unit: str
    done: int
    planned: int | None
    dropped: tuple[DropOut, ...]
    withdrawn: int
    troubles: tuple[str, ...]

    @property
    def invited(self) -> int:
        return sum(self.people.values())


_UNITS = {
    "play": "episodes",
    "rate": "ratings of episodes",
    "impressions": "impressions",
    "review": "reviews",
}


def progress_of(store: Store, study: str) -> StudyProgress:
    """The current figures; StoreError if there is no study of this name."""
    row = store.studies.get(study)
    participants = store.studies.participants(study)
    assignments = store.studies.assignments(study)
    people = Counter(who.state for who in participants)
    answers = store.studies.answers(study)
    reasons = {each.participant: str(each.value) for each in answers
               if (each.item, each.name) == (WHOLE, REASON)}  # fmt: skip
    done, planned = _count_done(store, row)
    settings = StudySettings.model_validate(row.settings)
    return StudyProgress(
        {state: people[state] for state in STATES},
        Counter(each.state for each in assignments),
        _UNITS[row.kind],
        done,
        planned,
        tuple(
            DropOut(who.id, _describe_dropout(settings, who), reasons.get(who.pk, ""))
            for who in participants
            if who.state in ("refused", "left")
        ),
        sum(each.name == WITHDRAWN for each in answers),
        describe_troubles(store, row),
    )


def _describe_dropout(settings: StudySettings, who: ParticipantRow) -> str:
    if who.state == "left":
        return "left"
    return "gave no consent" if declined(settings, who) else "did not qualify"


def _count_done(store: Store, row: StudyRow) -> tuple[int, int | None]:
    """How many items are done and how many are planned, in the study's own units."""
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


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many people a study has work for, with what: `items` of a `unit`, `each` per person."""

    people: int
    items: int
    unit: str
    each: int


def capacity_of(store: Store, row: StudyRow) -> Capacity | None:
    """None where that is unknown."""
    settings = StudySettings.model_validate(row.settings)
    plan = settings.play or settings.rate or settings.impressions or settings.review
    _, places = _count_done(store, row)
    if settings.play and row.run and places:
        items = len({trial_row.trial.task.id for trial_row in store.trials(row.run)})
        places = _seats_for_people(store, settings, row.run)
        unit = "episode" if settings.sizes == (1,) else "seat"
    else:
        items, unit = len(_items(store, row)[0] or ()), "assignment"
    if not plan or not places:
        return None
    each = min(plan.each, items)
    return Capacity(-(-places // each), places, unit, each)


def _seats_for_people(store: Store, settings: StudySettings, run: str) -> int:
    """The seats that people can have, until the first condition has none left: each gets as many
    people, and conditions that play the same share its trials."""
    shares = shares_by_condition(settings, store.run(run))
    of_conditions = Counter(share for name, share in shares.items() if name or len(shares) == 1)
    trials = [row.trial for row in store.trials(run) if row.status != "failed"]
    least = min(
        sum(len(seats_of_people(trial)) for trial in trials if trial in share) / alike
        for share, alike in of_conditions.items()
    )
    return int(least * of_conditions.total())


def describe_capacity(store: Store, row: StudyRow) -> str:
    """A sentence on how many people the study has work for, and whether more have links; "" if that
    is unknown."""
    room = capacity_of(store, row)
    if room is None:
        return ""
    people, gone = plural(room.people, "person", "people"), ("refused", "left")
    count = sum(who.state not in gone for who in store.studies.participants(row.name))
    beyond = f" {plural(count - room.people, 'participant')} more than that are invited."
    return (
        f"The plan has room for {people}: {plural(room.items, room.unit)}, {room.each} per person. "
        f"Anyone who comes later will find nothing left to do.{beyond * (count > room.people)}"
    )


def _items(store: Store, row: StudyRow) -> tuple[Collection[str] | None, int]:
    """The items that are rated or reviewed, and by how many people each; None where they are not
    available any more, since the data set or the scores are gone."""
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
    """How many people have rated an episode, and how many are rating it."""

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
    rows = store.studies.assignments(study.name)
    done = Counter(row.item for row in rows if row.state == "done")
    done.subtract(item for _, item in failed_annotations(store, study.name))
    in_progress = Counter(row.item for row in rows if row.state == "open")
    episodes = tuple(EpisodeProgress(t, done[t], in_progress[t]) for t in study.episodes)
    items = set(study.episodes)
    seconds_by_rater: dict[str, list[float]] = {}
    for rating in ratings:
        if rating.seconds is not None:
            seconds_by_rater.setdefault(rating.rater, []).append(rating.seconds)
    raters, exams = [], exam_results(store, study)
    for who in store.studies.participants(study.name):
        counts = Counter(r.state for r in rows if r.participant == who.pk and r.item in items)
        result = qualifying_result(store, study, who, exams) if study.test else None
        seconds = median(seconds_by_rater[who.id]) if who.id in seconds_by_rater else None
        raters.append(
            RaterProgress(who.id, who.state, counts["done"], counts["open"], result, seconds)
        )
    return episodes, tuple(raters)


def describe_troubles(store: Store, study: StudyRow) -> tuple[str, ...]:
    """What went wrong in a study with episodes, in sentences; empty where all is well."""
    plan = StudySettings.model_validate(study.settings).play
    if plan is None or study.run is None:
        return ()
    causes = store.failed_causes(study.run)
    sentences = []
    if plan.budget is not None and causes["budget"]:
        sentences.append(
            f"The budget of ${plan.budget:,.2f} is spent: no new conversation starts, and "
            f"newcomers are told so. To continue, set up another study like this one with a larger "
            f"budget."
        )
    # People who gave up are counted as drop-outs.
    broken = Counter({cause: count for cause, count in causes.items() if cause != "gave up"})
    if broken:
        spent = "are not replaced, since the budget is spent"
        fate = spent if causes["budget"] else "will be replaced"
        sentences.append(
            f"{plural(broken.total(), 'episode')} ended early because the partner failed: "
            f"{counted(broken)}. Such episodes count for the participant but not for the study, "
            f"and {fate}."
        )
    if sentence := unjudged(store, study.run, plan, is_open=study.open):
        sentences.append(sentence)
    return tuple(sentences)


def unjudged(store: Store, run: str, plan: PlayPlan, *, is_open: bool) -> str:
    """A sentence on the episodes of a run that lack scores; "" where none does."""
    episodes = set(store.trial_ids(run, "played"))
    failed = list[tuple[str | None, str, ScoreFailure]]()
    partly = False
    for row in store.verdicts.judgings(run):
        failures = [verdict for verdict in row.verdicts if isinstance(verdict, ScoreFailure)]
        if failures and row.trial in episodes:
            failed.append((row.trial, row.judge.label, failures[0]))
            partly |= len(failures) < len(row.verdicts)
    if not failed:
        return ""
    causes: Counter[str] = Counter(failure.cause for *_, failure in failed)
    affected = len({trial for trial, *_ in failed})
    _, judge, first = failed[0]
    problem = first.problem
    if len(problem) > _LONGEST:
        problem = problem[: _LONGEST - 1] + "…"
    remedy = "it is tried again when the study is reopened"
    if plan.judges:
        judges = " ".join(f"--judge {shlex.quote(judge)}" for judge in plan.judges)
        closing = "close the study, then " if is_open else ""
        remedy = f"{closing}`sociolab judge {run} {judges}` judges them again"
    return (
        f"{affected} of {plural(len(episodes), 'episode')} could not be judged"
        f"{' in full' * partly}: {counted(causes)} (the first: {judge}: {problem}); {remedy}."
    )


_LONGEST = 200
"""Characters of a problem; the episode's page has all of it."""
