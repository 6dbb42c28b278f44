"""Who takes part? Links, pseudonyms, completion codes, the exit survey, and being forgotten."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, ScoreFailure
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.rating_rules import rated_measures
from sociolab.studies.ratings import people_judge
from sociolab.studies.settings import StudySettings, SurveyQuestion

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without i, l, o, 0 and 1, which look alike in many types."""
_LENGTH = 6


def pseudonym() -> str:
    """A name such as "p-7kq3fm", one of 887 million; it says nothing about anybody."""
    return "p-" + "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


MOST = 1000
"""Links made at a time."""


@dataclass(frozen=True, slots=True)
class Link:
    """A participant's link. Its secret is told now or never."""

    participant: str
    secret: str

    @property
    def path(self) -> str:
        """Where the app takes it."""
        return f"/join/{self.secret}"


def digest(secret: str) -> bytes:
    """What the store knows of a secret: its SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


def invite(store: Store, study: str, count: int) -> tuple[Link, ...]:
    """Links for as many new participants; StoreError if there is no such study."""
    if not 1 <= count <= MOST:
        raise ConfigError(f"1 to {MOST} links are made at a time, found {count}")
    with store.transaction():
        pseudonyms = {row.id for row in store.studies.participants(study)}
        links = []
        for _ in range(count):
            link = Link(_fresh(pseudonyms), _secret())
            store.studies.add_participant(study, link.participant, digest(link.secret))
            links.append(link)
    return tuple(links)


def reissue(store: Store, study: str, participant: str) -> Link:
    """A new link for somebody who lost the browser or the link; the old one opens nothing now."""
    row = store.studies.participant(study, participant)
    link = Link(row.id, _secret())
    store.studies.reissue(row.pk, digest(link.secret))
    return link


def _secret() -> str:
    return secrets.token_urlsafe(24)


def _fresh(pseudonyms: set[str]) -> str:
    while (candidate := pseudonym()) in pseudonyms:
        pass
    pseudonyms.add(candidate)
    return candidate


EACH = "each"
"""As `completion_code`: a different code for each participant."""

_CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 10


def completion_code(settings: StudySettings, participant: str) -> str:
    """The code that is shown at the end; "" if the study has none.

    A participant's own is computed from the study's key whenever it is needed: who does not know
    the key can neither guess it nor tell whose it is.
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
"""The item of answers that are about the whole study."""
INSTRUCTIONS = "frame.instructions"
SURVEY = "frame.survey"
REASON = "frame.reason"
WITHDRAWN = "frame.partner-withdrew"
"""Names of what the frame notes; no question of a survey has a dot in its name."""

LONGEST = 5000
"""Characters of an answer in one's own words."""


def declined(settings: StudySettings, who: ParticipantRow) -> bool:
    """Whether somebody refused consent. Where none is asked for, who is "refused" did not pass a
    test."""
    return who.state == "refused" and bool(settings.consent) and who.consented is None


def study_answers(store: Store, participant: ParticipantRow) -> Mapping[str, Json]:
    """What a participant said of the whole study, by name."""
    rows = store.studies.answers(participant.study, participant.pk)
    return {row.name: row.value for row in rows if row.item == WHOLE}


def survey_done(settings: StudySettings, answers: Mapping[str, Json]) -> bool:
    """Whether there is nothing to ask any more."""
    return not settings.survey or SURVEY in answers


@dataclass(frozen=True, slots=True)
class ReadSurvey:
    """A survey as it was sent: what can be kept, and what is wrong, by the name of the question."""

    values: Mapping[str, Json]
    problems: Mapping[str, str]


def read_survey(settings: StudySettings, fields: Mapping[str, str]) -> ReadSurvey:
    """Read a survey that was sent; a question that was left out has no value."""
    values: dict[str, Json] = {}
    problems: dict[str, str] = {}
    for question in settings.survey:
        text = fields.get(question.name, "").strip()
        problem = _problem(question, text)
        if problem:
            problems[question.name] = problem
        elif text:
            values[question.name] = int(text) if question.kind == "scale" else text
    return ReadSurvey(values, problems)


def keep_survey(store: Store, participant: ParticipantRow, values: Mapping[str, Json]) -> None:
    """Keep the answers of a survey, which is then done."""
    with store.transaction():
        for name, value in values.items():
            store.studies.answer(participant.pk, WHOLE, name, value)
        store.studies.answer(participant.pk, WHOLE, SURVEY, True)


def _problem(question: SurveyQuestion, text: str) -> str:
    """What is wrong with an answer; "" if nothing is."""
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
    with store.erasing():
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
    with store.erasing():
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
    assignments = store.studies.assignments(study.name, participant)
    return tuple(dict.fromkeys(each.item for each in assignments if each.item in planned))


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
    assignments = [
        each
        for each in store.studies.assignments(study.name)
        if each.item == trial and each.participant != participant
    ]
    for each in assignments:
        store.studies.set_progress(each.pk, "given up")
        store.studies.answer(each.participant, trial, WITHDRAWN, True)
    return len(assignments)


def _ratings(store: Store, study: StudyRow, participant: str) -> int:
    """Delete the ratings that a participant gave; how many these were."""
    exam = StudySettings.model_validate(study.settings).exam_run
    runs = filter(None, (study.run, exam if exam and store.has_run(exam) else ""))
    return sum(_ratings_in(store, run, people_judge(study.name), participant) for run in runs)


def _ratings_in(store: Store, run: str, judge: JudgeId, participant: str) -> int:
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
            # The overall is made of a person's ratings, and is none.
            deleted += sum(verdict.measure.name in measures for verdict in own)
    return deleted
