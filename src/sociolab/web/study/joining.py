"""A secret link: a page that says what it is, and a button that gives the link to this browser.

Programs that look at links before people do (previews, scanners of mail) use none up.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.participants import digest
from sociolab.studies.play_records import SPENT, is_spent
from sociolab.studies.settings import StudySettings
from sociolab.web.pages import page
from sociolab.web.refusals import Missing, Refused
from sociolab.web.site import store_of
from sociolab.web.taking import bind, home

router = APIRouter(tags=["taking part"])

Secret = Annotated[str, Path(max_length=100)]


@router.get("/join/{secret}")
def join(request: Request, secret: Secret) -> Response:
    """What the link is for, and a button to begin."""
    row, study = _invited(store_of(request), secret)
    if row.bound:
        made = page(request, "study/used.html", home=home(row.study, row.id))
        made.status_code = 410
        return made
    _check_open(store_of(request), study)
    settings = StudySettings.model_validate(study.settings)
    return page(request, "study/join.html", settings=settings, secret=secret)


@router.post("/join/{secret}", response_class=RedirectResponse)
def begin(request: Request, secret: Secret) -> Response:
    """Give the link to this browser."""
    store = store_of(request)
    row, study = _invited(store, secret)
    _check_open(store, study)
    answer = RedirectResponse(home(row.study, row.id), 303)
    if not bind(request, row, answer):
        return RedirectResponse(f"/join/{secret}", 303)
    return answer


@router.get("/deleted")
def deleted(request: Request) -> Response:
    """What somebody sees whose data were deleted at their wish."""
    return page(request, "study/deleted.html")


def _invited(store: Store, secret: str) -> tuple[ParticipantRow, StudyRow]:
    row = store.studies.participant_of_link(digest(secret))
    if row is None:
        raise Missing(
            "This link leads nowhere: it is incomplete, or a newer one took its place. Copy the "
            "whole link, or ask those who sent it for a new one."
        )
    return row, store.studies.get(row.study)


def _check_open(store: Store, study: StudyRow) -> None:
    if not study.open:
        raise Refused("This study is not open at the moment. Your link is kept for you.")
    if study.kind == "play" and study.run is not None and is_spent(store, study.run):
        raise Refused(f"{SPENT} Your link was not used up.")
