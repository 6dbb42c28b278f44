"""The floor of an app, where plays go on; and who asks to take part in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, FastAPI, Path
from starlette.requests import HTTPConnection

from sociolab.studies.lobby import Floor, Hall, NotPlayable
from sociolab.studies.settings import PlayPlan
from sociolab.web.refusals import Missing, Refused
from sociolab.web.security.limits import Limiter, Rate
from sociolab.web.site import Site
from sociolab.web.taking import Taking, taking

ACTS = Rate(20, 120)
"""Answers of one participant: nobody types faster, a script that went wild does."""

BUSY_SECONDS = 5.0
"""How long a turn waits for another program that writes to the store. Nobody is served meanwhile;
what could not be written is sent again by the page."""


@asynccontextmanager
async def floor_open(app: FastAPI) -> AsyncIterator[None]:
    """Plays go on while the app is served: what was under way is taken up at once."""
    site: Site = app.state.site
    site.store.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    app.state.acts = Limiter(ACTS)
    async with Floor(site.store) as floor:
        app.state.floor = floor
        yield


@dataclass(frozen=True, slots=True)
class Playing:
    """A participant of an open play study, and the hall where they play."""

    who: Taking
    plan: PlayPlan
    hall: Hall
    acts: Limiter

    @property
    def person(self) -> int:
        """As the hall knows them."""
        return self.who.participant.pk


async def playing(
    request: HTTPConnection,
    study: Annotated[str, Path(max_length=100)],
    participant: Annotated[str, Path(max_length=100)],
) -> Playing:
    """Who asks, as a dependency; as `taking` has it; Missing where nothing is played."""
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
    hall = floor.open_hall(who.study.name)
    if hall is None:
        hall = await _opened(floor, who)
        who = taking(request, study, participant)  # much may have changed while one waited
    return Playing(who, plan, hall, request.app.state.acts)


async def _opened(floor: Floor, who: Taking) -> Hall:
    try:
        return await floor.hall(who.study)
    except NotPlayable as error:
        # At 503 a page that is open asks again, and sends again what it was sending.
        raise Refused(str(error), 503 if error.soon else 400, 5 if error.soon else None) from error


Player: TypeAlias = Annotated[Playing, Depends(playing)]
"""For the signature of a page."""
