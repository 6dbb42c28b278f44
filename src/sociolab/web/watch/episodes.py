"""The page of a run's episodes: filtered, sorted, 50 to a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse

from sociolab.app.episode_list import ORDERS, STATES, EpisodeFilter, choices, list_page
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import PageNumber, RunName, episode_filter, require_run

router = APIRouter(tags=["watch"], default_response_class=HTMLResponse)

_FEW = 4
"""Up to this many seats, each agent is named."""
_ORDERS = dict(
    zip(
        ORDERS,
        ("as planned", "lowest score first", "highest score first", "longest first",
         "most invalid turns first", "by task"),
        strict=True,
    )
)  # fmt: skip


@router.get("/runs/{run}/episodes")
def episodes(
    request: Request,
    run: RunName,
    filtered: Annotated[EpisodeFilter, Depends(episode_filter)],
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> HTMLResponse:
    """A page of a run's episodes."""
    store = store_of(request)
    row = require_run(store, run)
    listing = list_page(store, run, filtered, number)
    return page(
        request,
        "watch/episodes.html",
        run=run,
        row=row,
        found=listing,
        choices=choices(store, run),
        wanted=filtered,
        states=[state for state in STATES if state],
        orders=_ORDERS,
        query=query_of(filtered),
        cast=cast_text,
        filtering=filtered != EpisodeFilter(score=filtered.score, order=filtered.order),
    )


def query_of(filtered: EpisodeFilter) -> str:
    """The filter as a query string, without defaults."""
    usual, values = asdict(EpisodeFilter()), asdict(filtered)
    changed: dict[str, Any] = {
        name: value for name, value in values.items() if value != usual[name]
    }
    return urlencode({k: "1" if v is True else v for k, v in changed.items()}, errors="replace")


def cast_text(cast: Sequence[tuple[str, str]]) -> str:
    """The agents by seat; in a large cast, neighbouring seats of one agent are counted."""
    agents = [agent for _, agent in cast]
    if len(agents) <= _FEW:
        return " / ".join(agents)
    counted = ((agent, len(list(seats))) for agent, seats in groupby(agents))
    return " / ".join(f"{agent} x {count}" if count > 1 else agent for agent, count in counted)
