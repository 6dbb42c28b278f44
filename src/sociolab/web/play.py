"""The page on which people play: its socket, its state, and their actions."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from anyio import from_thread
from fastapi import APIRouter, Depends, FastAPI, Path, Request
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from sociolab.core.errors import SociolabError
from sociolab.store.connect import lock_run
from sociolab.store.store import Store
from sociolab.store.studies import StudyRow
from sociolab.studies.live_episode import CutOff, NotTaken, Sent, Stale
from sociolab.studies.lobby import LiveStudies, Lobby, NotPlayable
from sociolab.studies.play_records import PlayRecords, is_done, why_done
from sociolab.studies.screen import Screen
from sociolab.studies.settings import PlayPlan
from sociolab.web.pages import page
from sociolab.web.participant_session import Taking, find_item, taking, token
from sociolab.web.site import Limiter, Missing, Rate, Refused, Site, site_of

ACTS = Rate(20, 120)
"""Answers of one participant: people do not type faster, a runaway script does."""

BUSY_SECONDS = 5.0
"""How long a turn waits for another program that writes to the store. Nobody is served meanwhile;
the page resends what could not be written."""


@asynccontextmanager
async def live_studies_open(app: FastAPI) -> AsyncIterator[None]:
    """Run the live studies while the app is served; episodes resume at once."""
    site: Site = app.state.site
    site.store.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    app.state.acts = Limiter(ACTS)
    async with LiveStudies(site.store) as live:
        app.state.live_studies = live
        watching = asyncio.create_task(live.watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Playing:
    """A participant of an open play study, and its lobby."""

    who: Taking
    plan: PlayPlan
    lobby: Lobby
    acts: Limiter

    @property
    def person(self) -> int:
        """The participant's key, by which the lobby knows them."""
        return self.who.participant.pk


async def playing(
    request: HTTPConnection,
    study: Annotated[str, Path(max_length=100)],
    participant: Annotated[str, Path(max_length=100)],
) -> Playing:
    """The player who makes a request, as a dependency; like `taking`, and Missing where nothing is
    played."""
    live = cast("LiveStudies", request.app.state.live_studies)
    try:
        # Not in a thread: a few reads of one row cost less than going there and back.
        who = taking(request, study, participant)
    except Refused:
        await live.shut_if_closed(study)  # it may have been closed just now
        raise
    plan = who.settings.play
    if plan is None:
        raise Missing("Nothing is played in this study.")
    lobby = live.open_lobby(who.study.name)
    if lobby is None:
        try:
            lobby = await live.lobby(who.study)
        except NotPlayable as error:
            # At 503 an open page asks again, and resends what it was sending.
            status, seconds = (503, 5) if error.soon else (400, None)
            raise Refused(str(error), status, seconds) from error
        who = taking(request, study, participant)  # much may have changed meanwhile
    return Playing(who, plan, lobby, request.app.state.acts)


Player: TypeAlias = Annotated[Playing, Depends(playing)]
"""For the signature of a page."""


def hide_ids(who: Taking, screen: Screen) -> Screen:
    """The screen with tokens instead of ids."""
    scene, last = screen.scene, screen.last
    return screen.model_copy(
        update={
            "scene": scene and scene.model_copy(update={"trial": token(who, scene.trial)}),
            "last": last and last.model_copy(update={"trial": token(who, last.trial)}),
        }
    )


MOST_SOCKETS = 6
"""Open sockets of one participant, that is, windows."""

REFUSED = 1008
"""Close code of a socket that may not be opened (policy violation)."""

AGAIN = 1012
"""Close code that asks to connect again (service restart)."""

_open: Counter[tuple[int, int]] = Counter()


async def socket(connection: WebSocket) -> None:
    """Tell the participant's page to fetch its state; refused as the page itself would be."""
    params = connection.path_params
    try:
        who = await playing(connection, params["study"], params["participant"])
    except SociolabError:
        await connection.close(REFUSED)
        return
    key = (id(who.lobby), who.person)
    if _open[key] >= MOST_SOCKETS:
        await connection.close(REFUSED)
        return
    _open[key] += 1
    try:
        await connection.accept()
        await _notify_until_closed(connection, who.lobby, who.person)
    finally:
        _open[key] -= 1
        if not _open[key]:
            del _open[key]


async def _notify_until_closed(connection: WebSocket, lobby: Lobby, person: int) -> None:
    with lobby.listening(person) as changed:
        notifying = asyncio.create_task(_notify_changes(connection, lobby, changed))
        try:
            await connection.receive_text()  # nothing is expected but the end
            await connection.close(REFUSED)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            notifying.cancel()
            await asyncio.gather(notifying, return_exceptions=True)


async def _notify_changes(connection: WebSocket, lobby: Lobby, changed: asyncio.Event) -> None:
    while not lobby.closed:
        await changed.wait()
        changed.clear()  # before sending: a change meanwhile sends another message
        await connection.send_text("changed")
    await connection.close(AGAIN)  # the page reconnects, to the lobby that took its place


router = APIRouter(tags=["play"], lifespan=live_studies_open)

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
    _limit_rate(who)
    who.lobby.begin(who.person)
    return _screen(who)


@router.post(f"{_BASE}/act", response_model=Screen)
async def act(who: Player, sent: Sent) -> Response:
    """The participant's turn, or answer to a question; on disk when this answers.

    422 where it cannot be used, 409 where it comes too late, 503 where plays were stopped. Sent
    twice it counts once.
    """
    _limit_rate(who)
    trial = find_item(who.who, sent.trial, who.lobby.episodes_of(who.person))
    try:
        await who.lobby.act(who.person, sent.model_copy(update={"trial": trial}))
    except NotTaken as error:
        raise Refused(str(error), 422) from error
    except Stale as error:
        raise Refused(str(error), 409) from error
    except CutOff as error:
        raise Refused(str(error), 503, 1) from error
    return _screen(who)


def _screen(who: Playing) -> Response:
    # Serialized here: FastAPI would validate the screen again, which takes longer than building it.
    screen = hide_ids(who.who, who.lobby.screen(who.person))
    return Response(screen.model_dump_json(), media_type="application/json")


def _limit_rate(who: Playing) -> None:
    wait = who.acts.take(str(who.person))
    if wait:
        seconds = math.ceil(wait)
        raise Refused(f"That was very fast; try again in {seconds} s.", 429, seconds)


def next_step(store: Store, who: Taking) -> str | None:
    """The path of the page to play on; None where this participant is done."""
    plan, run = who.settings.play, who.study.run
    if plan is None or run is None:
        return None
    records, person = PlayRecords(store, who.study.name, run), who.participant.pk
    playing = any(row.state == "open" for row in records.assignments_of(person))
    return "/play" if playing or not is_done(records, plan, person) else None


def note(store: Store, who: Taking) -> str:
    """Why a participant has not played all planned episodes, in a sentence for them, or ""."""
    plan, run = who.settings.play, who.study.run
    if plan is None or run is None:
        return ""
    return why_done(PlayRecords(store, who.study.name, run), plan, who.participant.pk)


@contextmanager
def set_aside(request: Request, study: StudyRow) -> Iterator[None]:
    """Pause a study's episodes and lock its run; they resume from the store afterwards.

    Only in a thread that serves a request. StoreError where another process plays the run.
    """
    if study.kind != "play" or study.run is None:
        yield
        return
    with stopped(request, study.name), lock_run(site_of(request).settings.store, study.run):
        yield


def leave_episode(request: Request, study: str, person: int) -> None:
    """Remove a person who leaves from the lobby, so that partners need not wait. Only in a thread
    that serves a request."""
    live: LiveStudies | None = getattr(request.app.state, "live_studies", None)
    lobby = live.open_lobby(study) if live is not None else None
    if lobby is not None:
        from_thread.run_sync(lobby.leave, person)


@contextmanager
def stopped(request: Request, study: str) -> Iterator[None]:
    """Pause a study's episodes; players wait meanwhile. Only in a thread that serves a request."""
    live: LiveStudies | None = getattr(request.app.state, "live_studies", None)
    if live is None:
        yield
        return
    from_thread.run(live.pause, study)
    try:
        yield
    finally:
        from_thread.run_sync(live.unpause, study)
