"""Pages of runs: the list, the progress of a run, and its scores in words, tables and charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.analysis.run_comparison import two_agents
from sociolab.app.results import shown_run
from sociolab.app.run_cache import RUN_CACHE
from sociolab.report.html import ShownRun, content, render_page
from sociolab.report.result import details_of, distributions_of, outline_of
from sociolab.report.run_facts import recorded_labels
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import Headline, headline
from sociolab.report.transcript_views import Extreme, extremes, leading, titled
from sociolab.report.words import about, money
from sociolab.store.calls import Totals
from sociolab.store.connect import run_is_locked
from sociolab.store.store import RunRow, Store
from sociolab.store.studies import StudyRow
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import (
    PageNumber,
    RunName,
    file_answer,
    require_run,
    store_option,
)


@dataclass(frozen=True, slots=True)
class RunView:
    """A run to be shown. `parts` are for the template, from `report.html.content`.

    `extremes` are each agent's episodes with the lowest and highest score in `main`, a metric and
    its judge.
    """

    result: RunResult
    parts: Mapping[str, Any]
    extremes: tuple[Extreme, ...]
    main: str
    totals: Totals
    headline: Headline | None = None


def run_view(store: Store, run: str) -> RunView:
    """StoreError or ConfigError if there is no such run of episodes."""
    return RUN_CACHE.get_or_make(store, run, "view", lambda: _run_view(store, run))


def run_result(store: Store, run: str) -> RunResult:
    return run_view(store, run).result


def outline_view(store: Store, run: str) -> RunView:
    """A run before its episodes are read (see `report.result.outline_of`)."""
    result = outline_of(store, run, store.trials(run))
    return RunView(result, content(1, ShownRun(result)), (), "", store.calls.totals(run))


def _run_view(store: Store, run: str) -> RunView:
    figures = details_of(store, run)
    result, spreads = figures.result, distributions_of(figures.columns)
    main = leading(result, spreads)
    return RunView(
        result,
        content(1, ShownRun(result, spreads=spreads, compared=two_agents(store, result))),
        extremes(main),
        titled(result, main),
        store.calls.totals(run),
        headline(result),
    )


router = APIRouter(tags=["watch"], default_response_class=HTMLResponse)

PAGE = 100
"""Runs on a page."""
MOST_AGENTS = 5
"""Lines that the list has for the agents of a run."""
ShownIn: TypeAlias = Literal["list", "run"]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A run, and whether it is being played right now."""

    row: RunRow
    live: bool
    study: StudyRow | None
    """The study in which people play it, if there is one."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list: progress, agents and cost."""

    progress: RunProgress
    agents: tuple[str, ...]
    calls: int
    failed_calls: int
    cost: str
    usd: float | None
    notes: int

    @property
    def named_agents(self) -> int:
        """How many of the agents are named."""
        return len(self.agents) if len(self.agents) <= MOST_AGENTS else MOST_AGENTS - 1


@router.get("/runs")
def runs(request: Request, number: Annotated[PageNumber, Query(alias="page")] = 1) -> HTMLResponse:
    """All runs of episodes, the newest first."""
    store = store_of(request)
    every = store.runs()
    rows = [row for row in reversed(every) if row.trials and not row.keeps]
    pages = max(1, -(-len(rows) // PAGE))
    at = min(number, pages)
    return page(
        request,
        "watch/runs.html",
        runs=[_listed_run(store, row) for row in rows[(at - 1) * PAGE : at * PAGE]],
        total=len(rows),
        hidden=len(every) - len(rows),
        number=at,
        pages=pages,
        store_option=store_option(store),
    )


@router.get("/runs/{run}/progress")
def progress(
    request: Request, run: RunName, view: Annotated[ShownIn, Query(alias="in")] = "list"
) -> HTMLResponse:
    """How far a run is, as a part of a page: its line in the list, or the head of its own page,
    which is made anew when the run is over."""
    store = store_of(request)
    row = require_run(store, run)
    if view == "list":
        return page(request, "watch/run_row.html", run=_listed_run(store, row))
    status = progress_of(store, row)
    response = page(request, "watch/progress.html", one=status, shown=view)
    if not status.live:
        response.headers["HX-Refresh"] = "true"
    return response


@router.get("/runs/{run}/headline")
def run_headline(request: Request, run: RunName) -> HTMLResponse:
    """The main metric of a run, as a cell of the list; worked out once until the run changes."""
    store = store_of(request)
    row = require_run(store, run)
    main_metric = run_view(store, run).headline if row.played else None
    return page(request, "watch/headline.html", found=main_metric)


def progress_of(store: Store, row: RunRow) -> RunProgress:
    studies = (s for s in store.studies.all() if s.kind == "play" and s.run == row.name)
    return RunProgress(row, run_is_locked(store.path, row.name), next(studies, None))


def _listed_run(store: Store, row: RunRow) -> ListedRun:
    totals = store.calls.totals(row.name)
    cost = "" if not totals.calls else "not known"
    if totals.usd is not None:
        cost = f"{about(totals.estimated)}{money(totals.usd)}"
    return ListedRun(
        progress_of(store, row),
        _agents(row),
        totals.calls,
        totals.failed_calls,
        cost,
        totals.usd,
        len(store.notes.of(row.name)),
    )


def _agents(row: RunRow) -> tuple[str, ...]:
    """The agents, then the partner, as the run's settings name them."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    partner = recorded_labels([settings.get("partner")])
    return tuple(dict.fromkeys([*recorded_labels(settings.get("agents")), *partner]))


QUICK = 500
"""Up to this many trials, a run's figures are computed before its page is shown."""


@router.get("/runs/{run}", response_class=HTMLResponse)
def one_run(
    request: Request,
    run: RunName,
    anew: Annotated[bool, Query(description="Not with figures of an earlier state.")] = False,
) -> HTMLResponse:
    """The page of a run. While a large run is played its figures may be of a little earlier."""
    store = store_of(request)
    row = require_run(store, run)
    status = progress_of(store, row)
    if row.trials <= QUICK:
        return _run_page(request, status, run_view(store, run), fresh=True)
    cached = RUN_CACHE.peek(store, run, "view")
    if cached is not None and (cached.fresh or (status.live and not anew)):
        return _run_page(request, status, cached.value, fresh=cached.fresh)
    return _run_page(
        request, status, outline_view(store, run), fresh=True, name="watch/working.html"
    )


@router.get("/runs/{run}/figures", response_class=Response)
def figures(request: Request, run: RunName) -> Response:
    """Work out the figures of a run, and lead to its page when they are there."""
    store = store_of(request)
    require_run(store, run)
    run_view(store, run)
    return Response(status_code=204, headers={"HX-Redirect": f"/runs/{run}"})


def _run_page(
    request: Request,
    status: RunProgress,
    view: RunView,
    *,
    fresh: bool,
    name: str = "watch/run.html",
) -> HTMLResponse:
    return page(
        request,
        name,
        run=status.row.name,
        row=status.row,
        one=status,
        shown="run",
        fresh=fresh,
        view=view,
        store_option=store_option(store_of(request)),
        **{**view.parts, "warnings": _warnings(status, view)},
    )


def _warnings(status: RunProgress, view: RunView) -> tuple[str, ...]:
    """Warnings on a run. That a run or open study is not complete yet is left out: it is shown with
    the progress."""
    warnings: tuple[str, ...] = view.parts["warnings"]
    # The server itself holds a study's run for a while after it was closed.
    if status.live if status.study is None else status.study.open:
        return tuple(sentence for sentence in warnings if not sentence.endswith(" not played yet"))
    return warnings


@router.get("/runs/{run}/report.html", response_class=HTMLResponse)
def report(request: Request, run: RunName) -> Response:
    """The run as one HTML file that needs nothing else, to be kept or sent on."""
    store = store_of(request)
    require_run(store, run)
    text = render_page([shown_run(store, run_result(store, run))])
    return file_answer(text, f"{run}.html", "text/html; charset=utf-8")
