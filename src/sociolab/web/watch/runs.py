"""All runs, and how far one is: a part of pages that renews itself while the run is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from sociolab.app.watching.live import being_played
from sociolab.report.words import about, money
from sociolab.store.store import RunRow, Store
from sociolab.store.studies import StudyRow
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import PageNumber, RunName, known_run, store_option

router = APIRouter(tags=["watch"], default_response_class=HTMLResponse)

PAGE = 25
"""Runs on a page."""
MOST_AGENTS = 5
"""Lines for the agents of a run in the list."""
Shown: TypeAlias = Literal["list", "run"]


@dataclass(frozen=True, slots=True)
class Progress:
    """A run and whether it is being played just now."""

    row: RunRow
    live: bool
    study: StudyRow | None
    """The study in which people play it, if there is one."""

    @property
    def done(self) -> int:
        """Trials that were played or failed."""
        return self.row.played + self.row.failed


@dataclass(frozen=True, slots=True)
class Listed:
    """A run in the list: how far, by whom, and what it took."""

    progress: Progress
    agents: tuple[str, ...]
    calls: int
    failed_calls: int
    cost: str

    @property
    def shown(self) -> int:
        """How many of the agents are named."""
        return len(self.agents) if len(self.agents) <= MOST_AGENTS else MOST_AGENTS - 1


@router.get("/runs")
def runs(request: Request, number: Annotated[PageNumber, Query(alias="page")] = 1) -> HTMLResponse:
    """All runs of episodes, the newest first."""
    store = store_of(request)
    every = store.runs()
    rows = [row for row in reversed(every) if row.trials]
    pages = max(1, -(-len(rows) // PAGE))
    at = min(number, pages)
    return page(
        request,
        "watch/runs.html",
        runs=[_listed(store, row) for row in rows[(at - 1) * PAGE : at * PAGE]],
        total=len(rows),
        hidden=len(every) - len(rows),
        number=at,
        pages=pages,
        store_option=store_option(store),
    )


@router.get("/runs/{run}/progress")
def progress(
    request: Request, run: RunName, shown: Annotated[Shown, Query(alias="in")] = "list"
) -> HTMLResponse:
    """How far a run is, as a part of a page: its line in the list, or the head of its own page,
    which is made anew when the run is over."""
    store = store_of(request)
    row = known_run(store, run)
    if shown == "list":
        return page(request, "watch/run_row.html", run=_listed(store, row))
    found = progress_of(store, row)
    made = page(request, "watch/progress.html", one=found, shown=shown)
    if not found.live:
        made.headers["HX-Refresh"] = "true"
    return made


def progress_of(store: Store, row: RunRow) -> Progress:
    """How far a run is."""
    studies = (one for one in store.studies.all() if one.kind == "play" and one.run == row.name)
    return Progress(row, being_played(store.path, row.name), next(studies, None))


def _listed(store: Store, row: RunRow) -> Listed:
    totals = store.calls.totals(row.name)
    cost = "" if not totals.calls else "not known"
    if totals.usd is not None:
        cost = f"{about(totals.estimated_calls)}{money(totals.usd)}"
    return Listed(progress_of(store, row), _agents(row), totals.calls, totals.failed_calls, cost)


def _agents(row: RunRow) -> tuple[str, ...]:
    """The agents, then the partner, as the run's settings name them."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    agents, partner = settings.get("agents"), settings.get("partner")
    named = [*(agents if isinstance(agents, list) else ()), partner]
    labels = [str(one[0]) for one in named if isinstance(one, list) and one]
    return tuple(dict.fromkeys(labels))
