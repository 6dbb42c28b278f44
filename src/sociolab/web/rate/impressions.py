"""Pages of those who give an impression: a session, and a field for one word."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.studies.assignment import deal, held
from sociolab.studies.impressions import (
    ImpressionStudy,
    give_word,
    impression_study,
    pile,
    session_shown,
)
from sociolab.studies.text_rules import LONGEST_WORD
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.taking import Participant, Taking
from sociolab.web.tokens import Item, token

router = APIRouter(prefix="/take/{study}/{participant}/impression", tags=["impressions"])


@router.get("", response_class=RedirectResponse)
def go_on(request: Request, who: Participant) -> Response:
    """To the next session, dealt to this person; home where there is none."""
    store = store_of(request)
    study = impression_study(store, who.study)
    item = deal(store, study.name, who.participant.pk, pile(study))
    if item is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/impression/session/{token(who, item)}", 303)


@router.get("/session/{token}")
def session(request: Request, who: Participant, trial: Item) -> Response:
    """A session to read, and the question."""
    return _asked(request, who, trial, "", "")


@router.post("/session/{token}")
def say(
    request: Request,
    who: Participant,
    trial: Item,
    word: Annotated[str, Form(max_length=400)] = "",
) -> Response:
    """Keep the word, and go on; or say what is wrong with it."""
    store = store_of(request)
    if _is_due(store, who, trial):
        problem = give_word(store, who.study.name, who.participant, trial, word)
        if problem:
            return _asked(request, who, trial, word, problem)
    return RedirectResponse(who.home, 303)


def _asked(request: Request, who: Taking, trial: str, word: str, problem: str) -> Response:
    store = store_of(request)
    if not _is_due(store, who, trial):
        return RedirectResponse(who.home, 303)
    study = impression_study(store, who.study)
    made = page(
        request,
        "rate/impression.html",
        who=who,
        token=token(who, trial),
        shown=session_shown(store, study.run, trial),
        number=_done(store, who, study) + 1,
        most=min(study.plan.each, len(study.sessions)),
        longest=LONGEST_WORD,
        word=word,
        problem=problem,
    )
    made.status_code = 422 if problem else 200
    return made


def _is_due(store: Store, who: Taking, trial: str) -> bool:
    row = held(store, who.study.name, who.participant.pk, trial)
    return row is not None and row.state != "done"


def _done(store: Store, who: Taking, study: ImpressionStudy) -> int:
    rows = store.studies.assignments(study.name, who.participant.pk)
    return sum(row.state == "done" for row in rows)
