"""What the researcher sees of studies: all of them, one of them, and what participants see."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sociolab.store.store import Store
from sociolab.store.studies import StudyRow
from sociolab.studies.progress import progress_of
from sociolab.studies.settings import StudySettings, plan_words
from sociolab.studies.setup import consented
from sociolab.web.pages import page
from sociolab.web.site import site_of, store_of
from sociolab.web.study.names import StudyName, study_row

router = APIRouter(prefix="/studies", tags=["studies"])

_PAGE = 100
"""Participants shown at a time."""


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
    return page(request, "study/one.html", **shown(request, name, at))


@router.get("/{study}/progress")
def progress(request: Request, name: StudyName) -> Response:
    """How far a study is, as a part of its page."""
    store = store_of(request)
    row = study_row(store, name)
    return page(request, "study/progress.html", study=row, progress=progress_of(store, row.name))


@router.get("/{study}/preview")
def preview(request: Request, name: StudyName) -> Response:
    """Everything that a participant will see around what the study does."""
    row = study_row(store_of(request), name)
    settings = StudySettings.model_validate(row.settings)
    return page(request, "study/preview.html", study=row, settings=settings)


def shown(request: Request, name: str, at: int = 1) -> dict[str, Any]:
    """What the page of a study shows; `at` counts the pages of its participants from 1."""
    store = store_of(request)
    row = study_row(store, name)
    settings = StudySettings.model_validate(row.settings)
    people = store.studies.participants(row.name)
    return {
        "study": row,
        "settings": settings,
        "plan": plan_words(settings),
        "progress": progress_of(store, row.name),
        "people": people[(at - 1) * _PAGE : at * _PAGE],
        "count": len(people),
        "at": at,
        "pages": max(1, -(-len(people) // _PAGE)),
        "done": done_by(store, row),
        "consented": consented(store, row.name),
        "address": site_of(request).settings.address,
        "shared": site_of(request).settings.admin_token is not None,
    }


def done_by(store: Store, row: StudyRow) -> dict[int, int]:
    """How many assignments each participant has done."""
    found: dict[int, int] = {}
    for each in store.studies.assignments(row.name):
        found[each.participant] = found.get(each.participant, 0) + (each.state == "done")
    return found
