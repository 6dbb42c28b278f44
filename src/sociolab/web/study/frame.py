"""The pages around what a study does: consent, instructions, questions at the end, leaving."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.studies.participants import (
    INSTRUCTIONS,
    REASON,
    WHOLE,
    completion_code,
    filled,
    forget,
    keep_survey,
)
from sociolab.web.pages import page
from sociolab.web.play import steps as play
from sociolab.web.site import store_of
from sociolab.web.study.fields import Fields
from sociolab.web.study.floor import leave_table, set_aside
from sociolab.web.study.hub import Step, due
from sociolab.web.taking import Bound, Taking

router = APIRouter(prefix="/take/{study}/{participant}", tags=["taking part"])


@router.get("/consent")
def consent(request: Request, who: Bound) -> Response:
    """What taking part means, to agree to or to decline."""
    return _shown(request, who, "consent")


@router.post("/consent", response_class=RedirectResponse)
def decide(
    request: Request, who: Bound, choice: Annotated[Literal["agree", "decline"], Form()]
) -> Response:
    """Note what the participant decided, once."""
    if _is_due(store_of(request), who, "consent"):
        state: Literal["consented", "refused"] = "consented" if choice == "agree" else "refused"
        store_of(request).studies.stand(who.participant.pk, state)
    return _home(who)


@router.get("/instructions")
def instructions(request: Request, who: Bound) -> Response:
    """What the participant will do."""
    return _shown(request, who, "instructions")


@router.post("/instructions", response_class=RedirectResponse)
def understood(request: Request, who: Bound) -> Response:
    """Note that the instructions were read."""
    if _is_due(store_of(request), who, "instructions"):
        store_of(request).studies.answer(who.participant.pk, WHOLE, INSTRUCTIONS, True)
    return _home(who)


@router.get("/survey")
def survey(request: Request, who: Bound) -> Response:
    """The questions at the end."""
    note = play.note(store_of(request), who)
    return _shown(request, who, "survey", values={}, problems={}, note=note)


@router.post("/survey")
def answer(request: Request, who: Bound, fields: Fields) -> Response:
    """Keep the answers, or show what is missing with all that was filled in."""
    store = store_of(request)
    if not _is_due(store, who, "survey"):
        return _home(who)
    found = filled(who.settings, fields)
    if found.problems:
        made = _shown(request, who, "survey", values=fields, problems=found.problems, note="")
        made.status_code = 422
        return made
    keep_survey(store, who.participant, found.values)
    return _home(who)


@router.get("/end")
def end(request: Request, who: Bound) -> Response:
    """Thanks, and the completion code for those who came to the end."""
    store = store_of(request)
    if not _is_due(store, who, "end"):
        return _home(who)
    if not who.over:
        store.studies.stand(who.participant.pk, "finished")
        who = replace(
            who, participant=store.studies.participant(who.study.name, who.participant.id)
        )
    finished = who.participant.state == "finished"
    code = completion_code(who.settings, who.participant.id) if finished else ""
    note = play.note(store, who) if finished and not who.settings.survey else ""
    return page(request, "study/end.html", who=who, code=code, note=note)


@router.get("/leave")
def leaving(request: Request, who: Bound) -> Response:
    """Whether to leave, and what becomes of the participant's data then."""
    return page(request, "study/leave.html", who=who)


@router.post("/leave", response_class=RedirectResponse)
def leave(
    request: Request,
    who: Bound,
    data: Annotated[Literal["keep", "delete"], Form()],
    reason: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Leave the study; with "delete", all that the participant did goes too."""
    store = store_of(request)
    if data == "delete":
        with set_aside(request, who.study):
            forget(store, who.study.name, who.participant.id)
        return RedirectResponse("/deleted", 303)
    if not who.over:
        store.studies.stand(who.participant.pk, "left")
        leave_table(request, who.study.name, who.participant.pk)
        if reason.strip():
            store.studies.answer(who.participant.pk, WHOLE, REASON, reason.strip())
    return _home(who)


def _shown(request: Request, who: Taking, step: Step, **values: Any) -> Response:
    """The page of a step, if that is due; else the way to what is."""
    if not _is_due(store_of(request), who, step):
        return _home(who)
    return page(request, f"study/{step}.html", who=who, **values)


def _is_due(store: Store, who: Taking, step: Step) -> bool:
    return due(store, who)[0] == step


def _home(who: Taking) -> Response:
    return RedirectResponse(who.home, 303)
