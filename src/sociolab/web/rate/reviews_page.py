"""The researcher's view of scenario reviews: what was decided, why, and how far reviewers agree."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from sociolab.store.store import Store
from sociolab.studies.reviews import (
    POINTS,
    ReviewStudy,
    review_study,
    reviewed,
    reviewer_agreement,
    reviews_csv,
    verdicts,
)
from sociolab.web.pages import page
from sociolab.web.rate.files import download
from sociolab.web.rate.known import study_row
from sociolab.web.site import store_of

router = APIRouter(prefix="/studies/{study}/reviews", tags=["reviews"])

Study: TypeAlias = Annotated[str, Path(max_length=100)]


@router.get("")
def reviews(request: Request, study: Study) -> Response:
    """What reviewers decided, scenario by scenario."""
    store = store_of(request)
    found = _study(store, study)
    all_ = verdicts(store, found)
    return page(
        request,
        "rate/reviews.html",
        study=found,
        verdicts=all_,
        shown={one.task: reviewed(found, one.task) for one in all_ if one.reviews},
        agreement=reviewer_agreement(all_),
        points=POINTS,
        count=sum(len(one.reviews) for one in all_),
        full=sum(len(one.reviews) >= found.plan.raters for one in all_),
    )


@router.get("/reviews.csv")
def export(request: Request, study: Study) -> Response:
    """Every review as CSV, with the texts that were proposed."""
    store = store_of(request)
    found = _study(store, study)
    return download(reviews_csv(verdicts(store, found)), f"{found.name}-reviews.csv")


def _study(store: Store, name: str) -> ReviewStudy:
    return review_study(study_row(store, name, "review"))
