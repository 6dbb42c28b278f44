"""One run: in words, tables, heat maps and charts, what failed, what it took, how to repeat it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.app.watching.run_view import (
    RunView,
    known_view,
    outline_view,
    run_report,
    run_view,
)
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import RunName, file_answer, known_run, store_option
from sociolab.web.watch.runs import Progress, progress_of

router = APIRouter(tags=["watch"])


QUICK = 500
"""Trials of a run whose figures are there at once; those of a larger one are waited for."""


@router.get("/runs/{run}", response_class=HTMLResponse)
def one_run(
    request: Request,
    run: RunName,
    anew: Annotated[bool, Query(description="Not with figures of an earlier state.")] = False,
) -> HTMLResponse:
    """The page of a run. While a large run is played its figures may be of a little earlier."""
    store = store_of(request)
    row = known_run(store, run)
    one = progress_of(store, row)
    if row.trials <= QUICK:
        return _shown(request, one, run_view(store, run), fresh=True)
    known = known_view(store, run)
    if known is not None and (known.fresh or (one.live and not anew)):
        return _shown(request, one, known.value, fresh=known.fresh)
    return _shown(request, one, outline_view(store, run), fresh=True, name="watch/working.html")


@router.get("/runs/{run}/figures", response_class=Response)
def figures(request: Request, run: RunName) -> Response:
    """Work out the figures of a run, and lead to its page when they are there."""
    store = store_of(request)
    known_run(store, run)
    run_view(store, run)
    return Response(status_code=204, headers={"HX-Redirect": f"/runs/{run}"})


def _shown(
    request: Request, one: Progress, view: RunView, *, fresh: bool, name: str = "watch/run.html"
) -> HTMLResponse:
    return page(
        request,
        name,
        run=one.row.name,
        row=one.row,
        one=one,
        shown="run",
        fresh=fresh,
        view=view,
        store_option=store_option(store_of(request)),
        **{**view.parts, "warnings": _wrong(one, view)},
    )


def _wrong(one: Progress, view: RunView) -> tuple[str, ...]:
    """What went wrong. That a run which is being played, or an open study, is not played to its end
    is nothing of that kind, and stands beside its progress."""
    told: tuple[str, ...] = view.parts["warnings"]
    # The server itself holds a study's run for a while after it was closed.
    if one.live if one.study is None else one.study.open:
        return tuple(sentence for sentence in told if not sentence.endswith(" not played yet"))
    return told


@router.get("/runs/{run}/report.html", response_class=HTMLResponse)
def report(request: Request, run: RunName) -> Response:
    """The run as one HTML file that needs nothing else, to be kept or sent on."""
    store = store_of(request)
    known_run(store, run)
    return file_answer(run_report(store, run), f"{run}.html", "text/html; charset=utf-8")
