"""The replay of an episode in town: its page, and what happened there as numbers."""

from __future__ import annotations

import gzip
import json
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import HTMLResponse, Response

from sociolab.app.towns.town import WORLDS, Replay, replay
from sociolab.core.errors import StoreError
from sociolab.web.pages import STATIC, page
from sociolab.web.refusals import Missing
from sociolab.web.site import site_of
from sociolab.web.town.compact import compact
from sociolab.web.town.words import words_of

router = APIRouter(tags=["town"])

RunName = Annotated[str, Path(max_length=200, description="The run's name.")]
TrialId = Annotated[str, Path(max_length=200, description="The episode's id.")]


@router.get("/runs/{run}/episodes/{trial}/town", response_class=HTMLResponse)
def shown(request: Request, run: RunName, trial: TrialId) -> Response:
    """The page on which the days of an episode are played again."""
    found = _found(request, run, trial)
    told = words_of(found)
    return page(request, "town/replay.html", run=run, trial=trial, told=told, modules=modules())


@router.get("/runs/{run}/episodes/{trial}/town.json", response_class=Response)
def numbers(request: Request, run: RunName, trial: TrialId) -> Response:
    """The days of an episode as JSON, compressed where the client takes gzip."""
    body = json.dumps(compact(_found(request, run, trial)), separators=(",", ":")).encode()
    headers = {"Vary": "Accept-Encoding"}
    if takes_gzip(request.headers.get("accept-encoding", "")):
        body = gzip.compress(body, compresslevel=6, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type="application/json", headers=headers)


@cache
def modules() -> tuple[str, ...]:
    """The scripts that the page's first one asks for, so that the browser need not find out."""
    found = (path.name for path in (STATIC / "js" / "town").glob("*.js"))
    return tuple(sorted(name for name in found if name != "main.js"))


def takes_gzip(accepted: str) -> bool:
    """Whether a client with this Accept-Encoding takes gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _found(request: Request, run: str, trial: str) -> Replay:
    store = site_of(request).store
    if not store.has_run(run):
        raise Missing(f'There is no run "{run}".')
    if store.run(run).world not in WORLDS:
        raise Missing(f'Nobody lives in a town in the run "{run}"; its episodes are transcripts.')
    try:
        store.trial_pk(run, trial)
    except StoreError:
        raise Missing(f'The run "{run}" has no episode "{trial}".') from None
    return replay(store, run, trial)
