"""The researcher's pages of studies, and their actions: texts, links, participants, data."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path as FilePath
from tempfile import mkdtemp
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from sociolab.core.errors import ConfigError
from sociolab.report.words import plural
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyKind, StudyRow
from sociolab.studies.participants import MOST_LINKS, forget, forget_study, invite, reissue
from sociolab.studies.progress import describe_capacity, progress_of
from sociolab.studies.recruiting import describe_recruiting
from sociolab.studies.settings import StudySettings, plan_rows
from sociolab.studies.setup import TEXTS, change_texts, count_consented, set_open
from sociolab.studies.study_export import export_zip
from sociolab.web.pages import Fields, page
from sociolab.web.play import set_aside, stopped
from sociolab.web.site import Missing, site_of, store_of

StudyName: TypeAlias = Annotated[str, Path(alias="study", max_length=80)]
ParticipantName: TypeAlias = Annotated[str, Path(alias="participant", max_length=20)]


def study_row(store: Store, name: str, kind: StudyKind | None = None) -> StudyRow:
    """Missing if there is no study of this name (and of this kind, if given)."""
    study = next((row for row in store.studies.all() if row.name == name), None)
    if study is None:
        raise Missing(f'There is no study called "{name}".')
    if kind is not None and study.kind != kind:
        raise Missing(f"There is no such study ({_KINDS[kind]}).")
    return study


def participant_row(store: Store, study: StudyRow, name: str) -> ParticipantRow:
    """Missing if there is no participant of this name."""
    participant = next(
        (row for row in store.studies.participants(study.name) if row.id == name), None
    )
    if participant is None:
        raise Missing(f'The study "{study.name}" has no participant "{name}".')
    return participant


router = APIRouter(prefix="/studies", tags=["studies"])

_PAGE = 100
"""Participants on a page."""


@router.get("")
def studies(request: Request) -> Response:
    """All studies, the newest first."""
    store = store_of(request)
    rows = [
        (row, StudySettings.model_validate(row.settings), progress_of(store, row.name))
        for row in reversed(store.studies.all())
    ]
    return page(request, "study/list.html", rows=rows)


@router.get("/{study}")
def one(
    request: Request, name: StudyName, at: Annotated[int, Query(ge=1, le=100_000)] = 1
) -> Response:
    """A study: how far it is, its links, its data."""
    return page(request, "study/one.html", **study_context(request, name, at))


@router.get("/{study}/progress")
def progress(request: Request, name: StudyName) -> Response:
    """How far a study is, as a part of its page."""
    store = store_of(request)
    row = study_row(store, name)
    return page(
        request,
        "study/progress.html",
        study=row,
        progress=progress_of(store, row.name),
        problem=_problem(request, row.name),
    )


@router.get("/{study}/preview")
def preview(request: Request, name: StudyName) -> Response:
    """Everything that a participant will see around what the study does."""
    row = study_row(store_of(request), name)
    settings = StudySettings.model_validate(row.settings)
    return page(request, "study/preview.html", study=row, settings=settings)


def _problem(request: Request, study: str) -> str:
    """Why a study cannot be played, in a sentence, or ""."""
    problems: Mapping[str, str] = request.app.state.live_studies.problems
    return problems.get(study, "")


def study_context(request: Request, name: str, at: int = 1) -> dict[str, Any]:
    """What the page of a study shows; `at` counts the pages of its participants from 1."""
    store = store_of(request)
    row = study_row(store, name)
    settings = StudySettings.model_validate(row.settings)
    people = store.studies.participants(row.name)
    return {
        "study": row,
        "settings": settings,
        "plan": plan_rows(settings),
        "progress": progress_of(store, row.name),
        "room": describe_capacity(store, row),
        "recruiting": describe_recruiting(store, row, site_of(request).settings.address),
        "problem": _problem(request, row.name),
        "people": people[(at - 1) * _PAGE : at * _PAGE],
        "count": len(people),
        "at": at,
        "pages": max(1, -(-len(people) // _PAGE)),
        "done": Counter(
            each.participant for each in store.studies.assignments(row.name) if each.state == "done"
        ),
        "consented": count_consented(store, row.name),
        "address": site_of(request).settings.address,
        "shared": site_of(request).settings.admin_token is not None,
    }


@router.post("/{study}/state", response_class=RedirectResponse)
def set_state(
    request: Request, name: StudyName, state: Annotated[Literal["open", "closed"], Form()]
) -> Response:
    """Let participants in, or keep them out."""
    store = store_of(request)
    row = study_row(store, name)
    set_open(store, row.name, is_open=state == "open")
    record_action(store, row.name, "opened" if state == "open" else "closed")
    return RedirectResponse(f"/studies/{row.name}", 303)


@router.get("/{study}/texts")
def texts(request: Request, name: StudyName) -> Response:
    """The texts of a study, to be worded anew."""
    row = study_row(store_of(request), name)
    settings = StudySettings.model_validate(row.settings)
    values = {text: getattr(settings, text) for text in TEXTS}
    return _texts(request, row.name, values, "")


@router.post("/{study}/texts")
def change(request: Request, name: StudyName, fields: Fields) -> Response:
    """Word the texts anew, or show what is wrong with all that was written."""
    store = store_of(request)
    row = study_row(store, name)
    wording = {text: fields[text].replace("\r\n", "\n") for text in TEXTS if text in fields}
    try:
        change_texts(store, row.name, wording)
    except ConfigError as error:
        settings = StudySettings.model_validate(row.settings)
        values = {text: wording.get(text, getattr(settings, text)) for text in TEXTS}
        response = _texts(request, row.name, values, str(error))
        response.status_code = 422
        return response
    record_action(store, row.name, "changed texts")
    return RedirectResponse(f"/studies/{row.name}", 303)


@router.post("/{study}/links")
def make_links(
    request: Request, name: StudyName, count: Annotated[int, Form(ge=1, le=MOST_LINKS)]
) -> Response:
    """Make links for new participants, and show them this once."""
    store = store_of(request)
    row = study_row(store, name)
    invited = invite(store, row.name, count)
    record_action(store, row.name, f"made {plural(count, 'link')}")
    address = site_of(request).settings.address
    links = [(link.participant, address + link.path) for link in invited]
    room = describe_capacity(store, row)
    return page(request, "study/links.html", study=row, links=links, again="", room=room)


@router.post("/{study}/people/{participant}/link")
def make_link(request: Request, name: StudyName, participant: ParticipantName) -> Response:
    """Give a participant another link, and show it this once."""
    store = store_of(request)
    row = study_row(store, name)
    who = participant_row(store, row, participant)
    link = reissue(store, row.name, who.id)
    record_action(store, row.name, "gave a participant a new link")
    links = [(link.participant, site_of(request).settings.address + link.path)]
    return page(request, "study/links.html", study=row, links=links, again=who.id, room="")


@router.post("/{study}/people/{participant}/delete", response_class=RedirectResponse)
def delete_person(request: Request, name: StudyName, participant: ParticipantName) -> Response:
    """Delete a participant with all that this person said, rated and played."""
    store = store_of(request)
    row = study_row(store, name)
    who = participant_row(store, row, participant)
    with set_aside(request, row):
        forget(store, row.name, who.id)
        record_action(store, row.name, "deleted a participant")
    return RedirectResponse(f"/studies/{row.name}#people", 303)


@router.post("/{study}/delete")
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
        record_action(store, row.name, "deleted the study")
    return RedirectResponse("/studies", 303)


def _texts(request: Request, name: str, values: dict[str, str], problem: str) -> Response:
    store = store_of(request)
    row = study_row(store, name)
    place, _, message = problem.removeprefix(f"{name}: ").partition(": ")
    if place not in TEXTS:
        place, message = "", problem
    return page(
        request,
        "study/texts.html",
        study=row,
        values=values,
        place=place,
        problem=message,
        consented=count_consented(store, row.name),
    )


@router.get("/{study}/export.zip", response_class=FileResponse)
def download(request: Request, name: StudyName) -> Response:
    """Everything that a study holds, as a ZIP archive."""
    store = store_of(request)
    row = study_row(store, name)
    folder = FilePath(mkdtemp(prefix="sociolab-"))
    remove = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    try:
        export_zip(store, row.name, folder / "study.zip", folder / "files")
        record_action(store, row.name, "exported the data")
    except BaseException:  # what holds participants' data must not stay behind
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / "study.zip",
        media_type="application/zip",
        filename=f"{row.name}.zip",
        background=remove,
    )


def record_action(store: Store, study: str, action: str) -> None:
    """Record in the audit log what the researcher did on a page."""
    store.audit_log.add(f"{action} (web app)", study)


_KINDS = {
    "play": "of play",
    "rate": "of ratings",
    "impressions": "of impressions",
    "review": "of scenario reviews",
}
