"""The researcher's view of impressions: a cloud of the words, and how often each came."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from sociolab.report.export import csv_text
from sociolab.studies.impressions import cloud, counted, impression_study, words_of
from sociolab.web.pages import page
from sociolab.web.rate.files import download
from sociolab.web.rate.known import study_row
from sociolab.web.site import store_of

router = APIRouter(prefix="/studies/{study}/impressions", tags=["impressions"])

Study: TypeAlias = Annotated[str, Path(max_length=100)]


@router.get("")
def impressions(request: Request, study: Study) -> Response:
    """The words, as a cloud and as a table, and how far each session has come."""
    store = store_of(request)
    found = impression_study(store, study_row(store, study, "impressions"))
    words = words_of(store, found.name)
    counts = counted(words)
    given = Counter(trial for trial, _, _ in words)
    return page(
        request,
        "rate/impressions.html",
        study=found,
        words=words,
        counts=counts,
        cloud=cloud(counts),
        sessions=[(trial, given[trial]) for trial in found.sessions],
        people=len({person for _, person, _ in words}),
    )


@router.get("/words.csv")
def export(request: Request, study: Study) -> Response:
    """Every word as CSV: session, participant, word."""
    store = store_of(request)
    row = study_row(store, study, "impressions")
    text = csv_text(("session", "participant", "word"), words_of(store, row.name))
    return download(text, f"{row.name}-words.csv")
