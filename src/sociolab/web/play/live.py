"""The floor of an app, where plays go on; and who asks to take part in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, FastAPI, Path
from starlette.requests import HTTPConnection

from sociolab.app.floor.floor import Floor
from sociolab.app.floor.hall import Hall
from sociolab.app.study.settings import PlayPlan
from sociolab.web.refusals import Missing, Refused
from sociolab.web.site import Site
from sociolab.web.taking import Taking, taking


@asynccontextmanager
async def floor_open(app: FastAPI) -> AsyncIterator[None]:
    """Plays go on while the app is served: what was under way is taken up at once."""
    site: Site = app.state.site
    async with Floor(site.store) as floor:
        app.state.floor = floor
        yield


@dataclass(frozen=True, slots=True)
class Playing:
    """A participant of an open play study, and the hall where they play."""

    who: Taking
    plan: PlayPlan
    hall: Hall

    @property
    def person(self) -> int:
        """As the hall knows them."""
        return self.who.participant.pk


async def playing(
    request: HTTPConnection,
    study: Annotated[str, Path(max_length=100)],
    participant: Annotated[str, Path(max_length=100)],
) -> Playing:
    """Who asks, as a dependency; Refused as in `taking`, Missing where nothing is played."""
    floor = cast("Floor", request.app.state.floor)
    try:
        # Not in a thread: a few reads of one row cost less than going there and back.
        who = taking(request, study, participant)
    except Refused:
        await floor.look(study)  # it may have been closed just now
        raise
    plan = who.settings.play
    if plan is None:
        raise Missing("Nothing is played in this study.")
    return Playing(who, plan, await floor.hall(who.study))


Player: TypeAlias = Annotated[Playing, Depends(playing)]
"""For the signature of a page."""
