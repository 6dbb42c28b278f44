"""Pages of reviewers: a scenario with its people and goals, the points, the decision."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.studies.assignment import deal, held
from sociolab.studies.reviews import (
    LONGEST_TEXT,
    POINTS,
    Decision,
    Review,
    ReviewStudy,
    draft_of,
    give_review,
    keep_draft,
    pile,
    review_study,
    reviewed,
)
from sociolab.web.pages import page
from sociolab.web.refusals import Refused
from sociolab.web.site import store_of
from sociolab.web.taking import Participant, Taking
from sociolab.web.tokens import Item, token

router = APIRouter(prefix="/take/{study}/{participant}/review", tags=["reviews"])

Holds: TypeAlias = Literal["yes", "no"] | None
LongText: TypeAlias = Annotated[str, Field(max_length=LONGEST_TEXT)]


class ReviewForm(BaseModel):
    """A review as it is sent: a field for each of `POINTS`, and the texts in their order."""

    decision: Decision | None = None
    clear: Holds = None
    tie: Holds = None
    possible: Holds = None
    tension: Holds = None
    private: Holds = None
    fit: Holds = None
    harmless: Holds = None
    reason: LongText = ""
    texts: Annotated[list[LongText], Field(max_length=20)] = []

    @property
    def points(self) -> dict[str, bool]:
        """The points that were answered."""
        said = {key: getattr(self, key) for key in POINTS}
        return {key: value == "yes" for key, value in said.items() if value}


@router.get("", response_class=RedirectResponse)
def go_on(request: Request, who: Participant) -> Response:
    """To the next scenario, dealt to this reviewer; home where there is none."""
    store = store_of(request)
    study = review_study(who.study)
    item = deal(store, study.name, who.participant.pk, pile(study))
    if item is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/review/task/{token(who, item)}", 303)


@router.get("/task/{token}")
def task(request: Request, who: Participant, task: Item) -> Response:
    """A scenario to review, with what was filled in so far."""
    return _asked(request, who, task, _kept(store_of(request), who, task), ())


@router.post("/task/{token}/draft")
def draft(request: Request, who: Participant, task: Item, form: ReviewForm) -> dict[str, bool]:
    """Keep a review as it stands."""
    store = store_of(request)
    if not _is_due(store, who, review_study(who.study), task):
        raise Refused("This scenario is not yours to review, or its review is handed in.", 409)
    keep_draft(store, who.participant.pk, task, form.model_dump(mode="json"))
    return {"saved": True}


@router.post("/task/{token}")
def decide(
    request: Request, who: Participant, task: Item, form: Annotated[ReviewForm, Form()]
) -> Response:
    """Keep the review, and go on; or say what is wrong with it."""
    store = store_of(request)
    study = review_study(who.study)
    if _is_due(store, who, study, task):
        if form.decision is None:
            return _asked(request, who, task, form, ("Choose: keep, edit or reject.",))
        texts = tuple(text.replace("\r\n", "\n") for text in form.texts)
        review = Review(form.decision, form.points, form.reason, texts)
        problems = give_review(store, study, who.participant, task, review)
        if problems:
            return _asked(request, who, task, form, problems)
    return RedirectResponse(who.home, 303)


def _kept(store: Store, who: Taking, task: str) -> ReviewForm:
    kept = draft_of(store, who.study.name, who.participant.pk, task)
    return ReviewForm() if kept is None else ReviewForm.model_validate(kept)


def _asked(
    request: Request, who: Taking, task: str, form: ReviewForm, problems: tuple[str, ...]
) -> Response:
    store = store_of(request)
    study = review_study(who.study)
    if not _is_due(store, who, study, task):
        return RedirectResponse(who.home, 303)
    shown = reviewed(study, task)
    rows = store.studies.assignments(study.name, who.participant.pk)
    made = page(
        request,
        "rate/review.html",
        who=who,
        token=token(who, task),
        shown=shown,
        texts=form.texts if len(form.texts) == len(shown.texts) else shown.texts,
        points=POINTS,
        form=form,
        said=form.points,
        problems=problems,
        number=sum(row.state == "done" for row in rows) + 1,
        most=min(study.plan.each, len(study.tasks)),
        longest=LONGEST_TEXT,
    )
    made.status_code = 422 if problems else 200
    return made


def _is_due(store: Store, who: Taking, study: ReviewStudy, task: str) -> bool:
    row = held(store, study.name, who.participant.pk, task)
    return row is not None and row.state != "done" and task in study.tasks
