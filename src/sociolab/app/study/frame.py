"""What participants are asked around what a study does: instructions, exit survey, leaving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sociolab.app.study.settings import StudySettings, SurveyQuestion
from sociolab.core.episode import Json
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow

WHOLE = ""
"""The item of answers that are about the whole study."""
INSTRUCTIONS = "frame.instructions"
SURVEY = "frame.survey"
REASON = "frame.reason"
WITHDRAWN = "frame.partner-withdrew"
"""Names of what the frame notes; no question of a survey has a dot in its name."""

LONGEST = 5000
"""Characters of an answer in one's own words."""


def said(store: Store, participant: ParticipantRow) -> Mapping[str, Json]:
    """What a participant said of the whole study, by name."""
    rows = store.studies.answers(participant.study, participant.pk)
    return {row.name: row.value for row in rows if row.item == WHOLE}


def survey_done(settings: StudySettings, answers: Mapping[str, Json]) -> bool:
    """Whether there is nothing to ask any more."""
    return not settings.survey or SURVEY in answers


@dataclass(frozen=True, slots=True)
class Filled:
    """A survey as it was sent: what can be kept, and what is wrong, by the name of the question."""

    values: Mapping[str, Json]
    problems: Mapping[str, str]


def filled(settings: StudySettings, fields: Mapping[str, str]) -> Filled:
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
    return Filled(values, problems)


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
