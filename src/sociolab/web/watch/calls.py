"""Every model call of an episode, word for word."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from sociolab.app.watching.calls import call_page
from sociolab.report.run_facts import uncounted
from sociolab.report.words import about, money
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import Label, PageNumber, RunName, TrialId, known_trial

router = APIRouter(tags=["watch"])


@router.get("/runs/{run}/episodes/{trial}/calls", response_class=HTMLResponse)
def calls(
    request: Request,
    run: RunName,
    trial: TrialId,
    who: Label = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    at: Annotated[int | None, Query(ge=0, le=2**62, description="A call to be led to.")] = None,
) -> HTMLResponse:
    """The calls of an episode, 25 to a page; `who` is a role and seat."""
    store = store_of(request)
    known_trial(store, run, trial)
    found = call_page(store, run, trial, who, number, at)
    words = {"money": money, "about": about, "uncounted": uncounted}
    return page(request, "watch/calls.html", run=run, trial=trial, found=found, who=who, **words)
