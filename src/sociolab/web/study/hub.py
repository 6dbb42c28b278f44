"""What comes next for a participant: consent, instructions, what the study does, questions, end.

Every page of the frame asks `step`, and leads to the hub where it is not the one that is due: so
a reload lands where one was, and going back changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.store.studies import StudyKind
from sociolab.studies.participants import INSTRUCTIONS, said, survey_done
from sociolab.web.play import steps as play
from sociolab.web.rate import steps as rate
from sociolab.web.refusals import Refused
from sociolab.web.site import store_of
from sociolab.web.taking import Bound, NextStep, Taking

router = APIRouter(tags=["taking part"])

Step: TypeAlias = Literal["consent", "instructions", "activity", "survey", "end"]

_NEXT: Mapping[StudyKind, NextStep] = {
    "play": play.next_step,
    "rate": rate.next_step,
    "impressions": rate.next_step,
    "review": rate.next_step,
}
"""Whether there is something to do in a study of each kind, and where."""


@router.get("/take/{study}/{participant}", response_class=RedirectResponse)
def hub(request: Request, who: Bound) -> Response:
    """Lead the participant to what is next."""
    step, path = due(store_of(request), who)
    return RedirectResponse(who.home + (path if step == "activity" else f"/{step}"), 303)


def due(store: Store, who: Taking) -> tuple[Step, str]:
    """What is next for a participant, and where, if it is part of what the study does.

    Refused where the study is closed and the participant is not done.
    """
    if who.over:
        return "end", ""
    if not who.study.open:
        raise Refused("This study is closed at the moment. What you did so far is kept.")
    if not who.agreed:
        return "consent", ""
    answers = said(store, who.participant)
    if who.settings.instructions and INSTRUCTIONS not in answers:
        return "instructions", ""
    path = _NEXT[who.study.kind](store, who)
    if path is not None:
        return "activity", path
    return ("survey", "") if not survey_done(who.settings, answers) else ("end", "")
