"""Runs compared and ranked in the browser, as `sociolab compare` and `sociolab rank` do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from sociolab.analysis.compare_sides import CompareRequest
from sociolab.analysis.rank import rank_runs, ranking_section
from sociolab.analysis.run_comparison import compare_runs
from sociolab.core.errors import ConfigError
from sociolab.report.result import outline_of
from sociolab.report.section import Section
from sociolab.store.store import RunRow, Store
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import Label, require_run, store_option

router = APIRouter(tags=["watch"], default_response_class=HTMLResponse)

Runs = Annotated[
    list[str],
    Query(alias="run", max_length=20, default_factory=list, description="Names of runs."),
]


@router.get("/compare")
def compare(
    request: Request,
    run: Runs,
    agent: Label = "",
    other: Annotated[Label, Query(alias="with")] = "",
    judge: Label = "",
) -> HTMLResponse:
    """Two agents, of two runs or of one: paired differences on the tasks that both played. Without
    runs, a form to choose them."""
    store = store_of(request)
    runs = _require_runs(store, run)
    if not runs:
        return _conclusion_page(request, "compare")
    sections: Sequence[Section] = ()
    details: Sequence[Section] = ()
    problem = ""
    try:
        result = compare_runs(
            store, CompareRequest(runs, agent or None, other or None, judge or None)
        )
        sections = result.overview
        details = [replace(s, figures=()) for s in result.sections] if result.comparison else ()
    except ConfigError as error:
        problem = str(error)
    lineups = (outline_of(store, run, store.trials(run)).agents for run in runs)
    return _conclusion_page(
        request,
        "compare",
        runs,
        sections,
        problem,
        {"--agent": agent, "--with": other, "--judge": judge},
        agents=tuple(dict.fromkeys(agent for agents in lineups for agent in agents)),
        details=details,
    )


@router.get("/rank")
def rank(request: Request, run: Runs, judge: Label = "") -> HTMLResponse:
    """Agents of several runs, ranked by who scores better with the same task, seat and partner.
    Without runs, a form to choose them."""
    store = store_of(request)
    runs = _require_runs(store, run)
    if not runs:
        return _conclusion_page(request, "rank")
    sections: Sequence[Section] = ()
    problem = ""
    try:
        sections = (ranking_section(rank_runs(store, runs, judge or None)),)
    except ConfigError as error:
        problem = str(error)
    return _conclusion_page(request, "rank", runs, sections, problem, {"--judge": judge})


def _conclusion_page(
    request: Request,
    verb: str,
    runs: Sequence[str] = (),
    sections: Sequence[Section] = (),
    problem: str = "",
    chosen: Mapping[str, str] = MappingProxyType({}),
    *,
    agents: Sequence[str] = (),
    details: Sequence[Section] = (),
) -> HTMLResponse:
    """The page of a verb, with the equivalent command, and a form for other runs."""
    flags = [word for flag, value in chosen.items() if value for word in (flag, value)]
    return page(
        request,
        "watch/conclusions.html",
        verb=verb,
        title=verb.capitalize(),
        worlds=_runs_by_world(store_of(request)),
        runs=runs,
        agents=agents,
        chosen=chosen,
        sections=sections,
        details=details,
        problem=problem,
        store_option=store_option(store_of(request)),
        command=shlex.join(["sociolab", verb, *runs, *flags]) + store_option(store_of(request)),
    )


def _require_runs(store: Store, runs: Sequence[str]) -> tuple[str, ...]:
    """The runs of an address, each once; one that was left blank in the form is none."""
    named = tuple(dict.fromkeys(filter(None, runs)))
    for run in named:
        require_run(store, run)
    return named


def _runs_by_world(store: Store) -> Mapping[str, Sequence[RunRow]]:
    """The runs of which something was played, the newest first."""
    by_world: dict[str, list[RunRow]] = {}
    for row in reversed(store.runs()):
        if row.played and not row.keeps:
            by_world.setdefault(row.world, []).append(row)
    return by_world
