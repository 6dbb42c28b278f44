"""A participant's wish to be forgotten: everything that was said, rated and played is deleted."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.analysis.rated_signature import signature
from sociolab.app.rating.keeping import MEASURES
from sociolab.app.rating.rating_set import people_judge
from sociolab.app.study.frame import WITHDRAWN
from sociolab.core.score import Score
from sociolab.store.store import Store
from sociolab.store.studies import StudyRow


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was deleted beside the participant's own rows: how many of each."""

    answers: int
    ratings: int
    episodes: int
    partners: int


def forget(store: Store, study: str, participant: str) -> Forgotten:
    """Delete a participant with answers, assignments, ratings and the episodes played in.

    The trials of these episodes are laid out anew, to be played by others. Who played them with
    the participant keeps the rest, and the assignment is marked as given up. See to it that nobody
    plays these trials meanwhile. StoreError if there is no such participant.
    """
    row = store.studies.get(study)
    who = store.studies.participant(study, participant)
    with store.thoroughly():
        answers = len(store.studies.answers(study, who.pk))
        ratings = _ratings(store, row, participant)
        trials = _played(store, row, who.pk)
        partners = sum(_trial(store, row, trial, who.pk) for trial in trials)
        store.studies.delete_participant(study, participant)
    return Forgotten(answers, ratings, len(trials), partners)


def forget_study(store: Store, study: str) -> None:
    """Delete a study: its participants and all they said, and the run that people played in it.

    Ratings of a run's episodes by the study's participants are deleted too; the run stays.
    """
    row = store.studies.get(study)
    with store.thoroughly():
        for who in store.studies.participants(study):
            _ratings(store, row, who.id)
        store.studies.delete(study)
        if row.kind == "play" and row.run is not None:
            store.delete_run(row.run)


def _played(store: Store, study: StudyRow, participant: int) -> tuple[str, ...]:
    """The trials in which a participant had a seat."""
    if study.kind != "play" or study.run is None:
        return ()
    planned = {row.trial.id for row in store.trials(study.run)}
    given = store.studies.assignments(study.name, participant)
    return tuple(dict.fromkeys(each.item for each in given if each.item in planned))


def _trial(store: Store, study: StudyRow, trial: str, participant: int) -> int:
    """Lay a trial out anew, and mark the assignments of others in it; how many these are.

    What raters have written of it goes too, since they may have quoted it. In the place of a trial
    that failed another was planned then: it stays failed.
    """
    assert study.run is not None
    before = next(row for row in store.trials(study.run) if row.trial.id == trial)
    store.reset_trial(study.run, trial)
    if before.status == "failed":
        store.set_status(study.run, trial, "failed", before.cause, "what was played is deleted")
    for other in store.studies.all():
        if other.run == study.run and other.kind != "play":
            store.studies.drop_item(other.name, trial)
    others = [
        each
        for each in store.studies.assignments(study.name)
        if each.item == trial and each.participant != participant
    ]
    for each in others:
        store.studies.progress(each.pk, "given up")
        store.studies.answer(each.participant, trial, WITHDRAWN, True)
    return len(others)


def _ratings(store: Store, study: StudyRow, participant: str) -> int:
    """Delete the ratings that a participant signed; how many these were."""
    if study.run is None:
        return 0
    judge = people_judge(study.name)
    deleted = 0
    for row in tuple(store.verdicts.judgings(study.run, judge)):
        mine = [
            verdict
            for verdict in row.verdicts
            if isinstance(verdict, Score) and signature(verdict.reason)[0] == participant
        ]
        if mine:
            store.verdicts.delete(
                study.run, judge, trial=row.trial, cell=row.cell, judging=row.judging
            )
            # The overall is made of a person's ratings, and is none.
            deleted += sum(verdict.measure.name in MEASURES for verdict in mine)
    return deleted
