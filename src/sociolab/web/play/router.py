"""The page on which a participant plays, what its screen shows, and what they do."""

from __future__ import annotations

import math

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from sociolab.studies.live_episode import CutOff, NotTaken, Sent, Stale
from sociolab.studies.screen import Screen
from sociolab.web.pages import page
from sociolab.web.play.live import Player, Playing, floor_open
from sociolab.web.play.names import veiled
from sociolab.web.play.socket import socket
from sociolab.web.refusals import Refused
from sociolab.web.tokens import meant

router = APIRouter(tags=["play"], lifespan=floor_open)

_BASE = "/take/{study}/{participant}/play"

router.add_websocket_route(f"{_BASE}/socket", socket)


@router.get(_BASE, response_class=HTMLResponse)
async def play(request: Request, who: Player) -> HTMLResponse:
    """The page; what it shows comes from its state."""
    return page(
        request,
        "play/play.html",
        home=who.who.home,
        title=who.who.settings.title,
        contact=who.who.settings.contact,
        seconds=who.plan.turn_seconds,
    )


@router.get(f"{_BASE}/state", response_model=Screen)
async def state(who: Player) -> Response:
    """What the participant's screen shows now."""
    return _screen(who)


@router.post(f"{_BASE}/begin", response_model=Screen)
async def begin(who: Player) -> Response:
    """The participant is ready for the next episode: into the waiting room."""
    _take(who)
    who.hall.begin(who.person)
    return _screen(who)


@router.post(f"{_BASE}/act", response_model=Screen)
async def act(who: Player, sent: Sent) -> Response:
    """The participant's turn, or answer to a question; on disk when this answers.

    422 where it cannot be used, 409 where it comes too late, 503 where plays were stopped. Sent
    twice it counts once.
    """
    _take(who)
    trial = meant(who.who, sent.trial, who.hall.given(who.person))
    try:
        await who.hall.act(who.person, sent.model_copy(update={"trial": trial}))
    except NotTaken as error:
        raise Refused(str(error), 422) from error
    except Stale as error:
        raise Refused(str(error), 409) from error
    except CutOff as error:
        raise Refused(str(error), 503, 1) from error
    return _screen(who)


def _screen(who: Playing) -> Response:
    # As JSON at once: to check our own screen again would take longer than to make it.
    screen = veiled(who.who, who.hall.screen(who.person))
    return Response(screen.model_dump_json(), media_type="application/json")


def _take(who: Playing) -> None:
    wait = who.acts.take(str(who.person))
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"That was very fast; try again in {seconds} s.", 429, seconds)
