"""What the researcher changes in a study: open, texts, links, people, and the end of it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from sociolab.core.errors import ConfigError
from sociolab.studies.participants import MOST, forget, forget_study, invite, reissue
from sociolab.studies.settings import StudySettings
from sociolab.studies.setup import TEXTS, change_texts, consented
from sociolab.web.pages import page
from sociolab.web.site import site_of, store_of
from sociolab.web.study.fields import Fields
from sociolab.web.study.floor import set_aside, stopped
from sociolab.web.study.names import ParticipantName, StudyName, participant_row, study_row

router = APIRouter(prefix="/studies/{study}", tags=["studies"])


@router.post("/state", response_class=RedirectResponse)
def set_state(
    request: Request, name: StudyName, state: Annotated[Literal["open", "closed"], Form()]
) -> Response:
    """Let participants in, or keep them out."""
    store = store_of(request)
    row = study_row(store, name)
    store.studies.change(row.name, open=state == "open")
    return RedirectResponse(f"/studies/{row.name}", 303)


@router.get("/texts")
def texts(request: Request, name: StudyName) -> Response:
    """The texts of a study, to be worded anew."""
    row = study_row(store_of(request), name)
    settings = StudySettings.model_validate(row.settings)
    values = {text: getattr(settings, text) for text in TEXTS}
    return _texts(request, row.name, values, "")


@router.post("/texts")
def change(request: Request, name: StudyName, fields: Fields) -> Response:
    """Word the texts anew, or show what is wrong with all that was written."""
    store = store_of(request)
    row = study_row(store, name)
    given = {text: fields[text].replace("\r\n", "\n") for text in TEXTS if text in fields}
    try:
        change_texts(store, row.name, given)
    except ConfigError as error:
        settings = StudySettings.model_validate(row.settings)
        values = {text: given.get(text, getattr(settings, text)) for text in TEXTS}
        made = _texts(request, row.name, values, str(error))
        made.status_code = 422
        return made
    return RedirectResponse(f"/studies/{row.name}", 303)


@router.post("/links")
def make_links(
    request: Request, name: StudyName, count: Annotated[int, Form(ge=1, le=MOST)]
) -> Response:
    """Make links for new participants, and show them this once."""
    store = store_of(request)
    row = study_row(store, name)
    made = invite(store, row.name, count)
    address = site_of(request).settings.address
    links = [(link.participant, address + link.path) for link in made]
    return page(request, "study/links.html", study=row, links=links, again="")


@router.post("/people/{participant}/link")
def make_link(request: Request, name: StudyName, participant: ParticipantName) -> Response:
    """Give a participant another link, and show it this once."""
    store = store_of(request)
    row = study_row(store, name)
    who = participant_row(store, row, participant)
    link = reissue(store, row.name, who.id)
    links = [(link.participant, site_of(request).settings.address + link.path)]
    return page(request, "study/links.html", study=row, links=links, again=who.id)


@router.post("/people/{participant}/delete", response_class=RedirectResponse)
def delete_person(request: Request, name: StudyName, participant: ParticipantName) -> Response:
    """Delete a participant with all that this person said, rated and played."""
    store = store_of(request)
    row = study_row(store, name)
    who = participant_row(store, row, participant)
    with set_aside(request, row):
        forget(store, row.name, who.id)
    return RedirectResponse(f"/studies/{row.name}#people", 303)


@router.post("/delete")
def delete(
    request: Request, name: StudyName, typed: Annotated[str, Form(max_length=200)]
) -> Response:
    """Delete a study with all that belongs to it, if its name was typed."""
    store = store_of(request)
    row = study_row(store, name)
    if typed.strip() != row.name:
        raise ConfigError(
            f'To delete the study, type its name; expected "{row.name}", found "{typed.strip()}". '
            "Nothing was deleted."
        )
    store.studies.change(row.name, open=False)
    with stopped(request, row.name):
        forget_study(store, row.name)
    return RedirectResponse("/studies", 303)


def _texts(request: Request, name: str, values: dict[str, str], problem: str) -> Response:
    store = store_of(request)
    row = study_row(store, name)
    place, _, said = problem.removeprefix(f"{name}: ").partition(": ")
    if place not in TEXTS:
        place, said = "", problem
    return page(
        request,
        "study/texts.html",
        study=row,
        values=values,
        place=place,
        problem=said,
        consented=consented(store, row.name),
    )
