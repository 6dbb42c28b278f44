"""Participants: links, pseudonyms, completion codes, the exit survey, and deletion on request."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, ScoreFailure
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.rating_rules import rated_measures
from sociolab.studies.ratings import people_judge
from sociolab.studies.settings import ScreeningQuestion, StudySettings, SurveyQuestion

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without i, l, o, 0 and 1, which look alike in many fonts."""
_LENGTH = 6


def random_pseudonym(taken: Collection[str]) -> str:
    """A random name such as "p-7kq3fm", one of 887 million, that is not taken."""
    while (name := "p-" + "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))) in taken:
        pass
    return name


MOST_LINKS = 1000
"""Links created at a time."""


@dataclass(frozen=True, slots=True)
class Link:
    """A participant's link. Its secret is shown only when the link is created."""

    participant: str
    secret: str

    @property
    def path(self) -> str:
        return f"/join/{self.secret}"


def hash_secret(secret: str) -> bytes:
    """The SHA-256 of a secret, which is all that the store keeps."""
    return hashlib.sha256(secret.encode()).digest()


def invite(store: Store, study: str, count: int) -> tuple[Link, ...]:
    """Create links for `count` new participants; StoreError if there is no such study."""
    if not 1 <= count <= MOST_LINKS:
        raise ConfigError(f"1 to {MOST_LINKS} links are made at a time, found {count}")
    with store.transaction():
        pseudonyms = {row.id for row in store.studies.participants(study)}
        links = []
        for _ in range(count):
            link = Link(random_pseudonym(pseudonyms), _random_secret())
            pseudonyms.add(link.participant)
            store.studies.add_participant(study, link.participant, hash_secret(link.secret))
            links.append(link)
    return tuple(links)


def reissue(store: Store, study: str, participant: str) -> Link:
    """A new link for somebody who lost the browser or the link; the old one is void."""
    row = store.studies.participant(study, participant)
    link = Link(row.id, _random_secret())
    store.studies.reissue(row.pk, hash_secret(link.secret))
    return link


def _random_secret() -> str:
    return secrets.token_urlsafe(24)


EACH = "each"
"""As `completion_code`: a different code for each participant."""

_CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 10


def completion_code(settings: StudySettings, participant: str) -> str:
    """The code that is shown at the end; "" if the study has none.

    An individual code is computed from the study's key whenever it is needed: without the key
    nobody can guess it or tell whose it is.
    """
    if settings.completion_code != EACH:
        return settings.completion_code
    mac = hmac.new(settings.code_key.encode(), participant.encode(), hashlib.sha256).digest()
    number = int.from_bytes(mac)
    letters = []
    for _ in range(_CODE_LENGTH):
        number, rest = divmod(number, len(_CODE_LETTERS))
        letters.append(_CODE_LETTERS[rest])
    return "".join(letters)


WHOLE = ""
"""The item of answers on the whole study."""
INSTRUCTIONS = "frame.instructions"
SURVEY = "frame.survey"
REASON = "frame.reason"
WITHDRAWN = "frame.partner-withdrew"
SCREENING = "frame.screening"
CONDITION = "frame.condition"
OUTCOME = "frame.outcome"
"""Names of answers that the app records itself; no question of a survey has a dot in its name."""

LONGEST = 5000
"""Characters of a free-text answer."""


def declined(settings: StudySettings, who: ParticipantRow) -> bool:
    """Whether a participant refused consent. In a study without consent, "refused" means that they
    failed the test."""
    return who.state == "refused" and bool(settings.consent) and who.consented is None


def study_answers(store: Store, participant: ParticipantRow) -> Mapping[str, Json]:
    """A participant's answers on the whole study, by name."""
    rows = store.studies.answers(participant.study, participant.pk)
    return {row.name: row.value for row in rows if row.item == WHOLE}


def failed_checks(settings: StudySettings, answers: Mapping[str, Json]) -> int:
    """How many attention checks were answered otherwise than expected, or not at all."""
    return sum(
        str(answers.get(question.name, "")) != question.expected
        for question in settings.survey
        if question.expected
    )


def fails_checks(settings: StudySettings, answers: Mapping[str, Json]) -> bool:
    """Whether a recruit failed more attention checks than the study allows for."""
    plan = settings.recruit
    return plan is not None and failed_checks(settings, answers) > plan.allowed_failures


def earned_code(settings: StudySettings, who: ParticipantRow, answers: Mapping[str, Json]) -> str:
    """The completion code of somebody who finished and did not fail the attention checks; else
    ""."""
    if who.state != "finished" or fails_checks(settings, answers):
        return ""
    return completion_code(settings, who.id)


def survey_done(settings: StudySettings, answers: Mapping[str, Json]) -> bool:
    """Whether the survey is submitted, or there is none."""
    return not settings.survey or SURVEY in answers


@dataclass(frozen=True, slots=True)
class ReadSurvey:
    """Submitted answers: valid values, and problems, by the name of the question."""

    values: Mapping[str, Json]
    problems: Mapping[str, str]


def read_survey(
    questions: Iterable[SurveyQuestion | ScreeningQuestion], fields: Mapping[str, str]
) -> ReadSurvey:
    """Read the answers to these questions; one that was left out has no value."""
    values: dict[str, Json] = {}
    problems: dict[str, str] = {}
    for question in questions:
        text = fields.get(question.name, "").strip()
        problem = _find_problem(question, text)
        if problem:
            problems[question.name] = problem
        elif text:
            values[question.name] = int(text) if question.kind == "scale" else text
    return ReadSurvey(values, problems)


def keep_survey(store: Store, participant: ParticipantRow, values: Mapping[str, Json]) -> None:
    """Store the answers of a survey, and that it is done."""
    with store.transaction():
        for name, value in values.items():
            store.studies.answer(participant.pk, WHOLE, name, value)
        store.studies.answer(participant.pk, WHOLE, SURVEY, True)


def _find_problem(question: SurveyQuestion | ScreeningQuestion, text: str) -> str:
    if not text:
        return "Please answer this question." if question.required else ""
    match question.kind:
        case "text":
            too_long = len(text) > LONGEST
            return f"Please use at most {LONGEST} characters." if too_long else ""
        case "choice":
            return "" if text in question.choices else "Please choose one of these."
        case "scale":
            fits = text in map(str, range(1, question.points + 1))
            return "" if fits else f"Please choose a number from 1 to {question.points}."


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was deleted besides the participant's own rows, as counts; `ratings` are the
    participant's own and those of deleted episodes."""

    answers: int
    ratings: int
    episodes: int
    partners: int


def forget(store: Store, study: str, participant: str) -> Forgotten:
    """Delete a participant with answers, assignments, ratings and the episodes they played in.

    The trials of these episodes are planned again. Partners in them keep everything else, and their
    assignments are marked as given up. Make sure that nobody plays these trials meanwhile.
    StoreError if there is no such participant.
    """
    row = store.studies.get(study)
    who = store.studies.participant(study, participant)
    with store.erasing():
        return _forget(store, row, who)


def _forget(store: Store, row: StudyRow, who: ParticipantRow) -> Forgotten:
    answers = len(store.studies.answers(row.name, who.pk))
    ratings = _delete_ratings(store, row, who.id)
    trials = _played_trials(store, row, who.pk)
    ratings += sum(_count_ratings(store, row, trial) for trial in trials)
    partners = sum(_reset_trial(store, row, trial, who.pk) for trial in trials)
    store.studies.delete_participant(row.name, who.id)
    return Forgotten(answers, ratings, len(trials), partners)


@dataclass(frozen=True, slots=True)
class Expired:
    """What a study holds beyond the time that it states: participants, and others whose ids at a
    recruiting platform are due."""

    people: tuple[ParticipantRow, ...]
    ids: tuple[ParticipantRow, ...]


def expired(store: Store, study: StudyRow, now: float | None = None) -> Expired:
    """`now` is in seconds since 1970, by default the current time."""
    settings = StudySettings.model_validate(study.settings)
    moment = time.time() if now is None else now

    def past(who: ParticipantRow, days: int | None) -> bool:
        last = max(filter(None, (who.finished, who.consented, who.arrived, who.created)))
        return days is not None and moment - last > days * _DAY

    everybody = store.studies.participants(study.name)
    people = tuple(who for who in everybody if past(who, settings.retention_days))
    days = settings.recruit.ids_days if settings.recruit else None
    with_ids = () if days is None else store.recruits.who_has_ids(study.name)
    ids = tuple(who for who in everybody if who.pk in with_ids and past(who, days))
    return Expired(people, tuple(who for who in ids if who not in people))


_DAY = 24 * 3600.0


def delete_expired(store: Store, study: StudyRow, due: Expired) -> None:
    """Delete these participants and ids, as `forget` does. Nobody may play meanwhile."""
    with store.erasing():
        for who in due.people:
            _forget(store, study, who)
        for who in due.ids:
            store.recruits.delete_ids_of(who.pk)


def forget_study(store: Store, study: str) -> None:
    """Delete a study with its participants and answers, and the run that people played in it.

    Its participants' ratings of another run's episodes are deleted too; that run stays.
    """
    row = store.studies.get(study)
    with store.erasing():
        for who in store.studies.participants(study):
            _delete_ratings(store, row, who.id)
        store.studies.delete(study)
        if row.kind == "play" and row.run is not None:
            store.delete_run(row.run)


def _played_trials(store: Store, study: StudyRow, participant: int) -> tuple[str, ...]:
    if study.kind != "play" or study.run is None:
        return ()
    planned = {row.trial.id for row in store.trials(study.run)}
    assignments = store.studies.assignments(study.name, participant)
    return tuple(dict.fromkeys(each.item for each in assignments if each.item in planned))


def _reset_trial(store: Store, study: StudyRow, trial: str, participant: int) -> int:
    """Plan a trial again, and mark the assignments of others in it; returns the number of these.

    Raters' texts on it are deleted too, since they may quote it. A trial that failed stays failed:
    another one was planned in its place then.
    """
    assert study.run is not None
    before = next(row for row in store.trials(study.run) if row.trial.id == trial)
    store.reset_trial(study.run, trial)
    if before.status == "failed":
        store.set_status(study.run, trial, "failed", before.cause, "what was played is deleted")
    for other in store.studies.all():
        if other.run == study.run and other.kind != "play":
            store.studies.drop_item(other.name, trial)
    assignments = [
        each
        for each in store.studies.assignments(study.name)
        if each.item == trial and each.participant != participant
    ]
    for each in assignments:
        store.studies.set_progress(each.pk, "given up")
        store.studies.answer(each.participant, trial, WITHDRAWN, True)
    return len(assignments)


def _count_ratings(store: Store, study: StudyRow, trial: str) -> int:
    """How many ratings raters gave an episode."""
    assert study.run is not None
    measures = rated_measures(store, study.run)
    return sum(
        verdict.measure.name in measures
        for row in store.verdicts.judgings(study.run, trial=trial)
        for verdict in row.verdicts
        if not isinstance(verdict, ScoreFailure) and verdict.rated_by is not None
    )


def _delete_ratings(store: Store, study: StudyRow, participant: str) -> int:
    """Delete a participant's ratings; returns how many."""
    exam = StudySettings.model_validate(study.settings).exam_run
    runs = filter(None, (study.run, exam if exam and store.has_run(exam) else ""))
    return sum(
        _delete_ratings_in(store, run, people_judge(study.name), participant) for run in runs
    )


def _delete_ratings_in(store: Store, run: str, judge: JudgeId, participant: str) -> int:
    deleted, measures = 0, frozenset[str]()
    for row in tuple(store.verdicts.judgings(run, judge)):
        own = [
            verdict
            for verdict in row.verdicts
            if not isinstance(verdict, ScoreFailure)
            and verdict.rated_by is not None
            and verdict.rated_by.rater == participant
        ]
        if own:
            store.verdicts.delete(run, judge, trial=row.trial, cell=row.cell, judging=row.judging)
            measures = measures or frozenset(rated_measures(store, run))
            # The world's summary of a person's ratings is deleted, but is no rating.
            deleted += sum(verdict.measure.name in measures for verdict in own)
    return deleted
