"""Runs and episodes as JSON, for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import JSONResponse, Response

from sociolab.app.watching import records
from sociolab.app.watching.episodes import Wanted, listed
from sociolab.app.watching.run_view import run_result
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import (
    PageNumber,
    RunName,
    TrialId,
    json_answer,
    known_run,
    known_trial,
    wanted,
)

router = APIRouter(tags=["api"], prefix="/api", default_response_class=JSONResponse)


@router.get("/runs")
def runs(request: Request) -> Response:
    """All runs, the oldest first; those that only keep model replies say whose."""
    rows = store_of(request).runs()
    return json_answer(
        {"schema": records.SCHEMA, "runs": [records.run_record(row) for row in rows]}
    )


@router.get("/runs/{run}")
def one_run(request: Request, run: RunName) -> Response:
    """The result of a run, as `sociolab report --json` prints it."""
    store = store_of(request)
    known_run(store, run)
    return json_answer(run_result(store, run).model_dump(by_alias=True))


@router.get("/runs/{run}/episodes")
def episodes(
    request: Request,
    run: RunName,
    filtered: Annotated[Wanted, Depends(wanted)],
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    size: Annotated[int, Query(ge=1, le=1000, description="Episodes on a page.")] = 50,
) -> Response:
    """A page of a run's episodes, filtered and sorted."""
    store = store_of(request)
    known_run(store, run)
    return json_answer(records.list_record(run, listed(store, run, filtered, number, size)))


@router.get("/runs/{run}/episodes/{trial}")
def episode(request: Request, run: RunName, trial: TrialId) -> Response:
    """An episode: what was planned, what happened, how it reads, what judges said of it."""
    store = store_of(request)
    known_trial(store, run, trial)
    return json_answer(records.episode_record(store, run, trial))
