"""Plays of the study "chat", in a lobby as a server that was just started has it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sociolab.store import Store
from sociolab.studies import LiveStudies, Lobby, Screen, Sent, SentAction


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[Lobby, Store]]:
    """The lobby of the study "chat", as a server that was just started has it."""
    with Store.open(path) as store:
        async with LiveStudies(store) as floor:
            yield await floor.lobby(store.studies.get("chat")), store


def run(play: Callable[[], Awaitable[None]]) -> None:
    async def at_most() -> None:
        await asyncio.wait_for(play(), 20)

    asyncio.run(at_most())


async def until(lobby: Lobby, person: int, wanted: Callable[[Screen], Any]) -> Screen:
    """The first screen that is as wanted."""
    with lobby.listening(person) as changed:
        while not wanted(screen := lobby.screen(person)):
            await changed.wait()
            changed.clear()
        return screen


def asked(screen: Screen) -> bool:
    return screen.asking is not None


def said(screen: Screen, text: str = "", kind: str = "speak", **fields: Any) -> Sent:
    """A turn for what the screen asks."""
    assert screen.scene is not None
    assert screen.asking is not None
    asking = screen.asking
    values = {
        "trial": screen.scene.trial, "turn": asking.turn, "name": asking.name,
        "attempt": asking.attempt, "actions": (SentAction(kind=kind, text=text),),
    }  # fmt: skip
    return Sent.model_validate(values | fields)


async def play_out(lobby: Lobby, person: int, text: str = "Well then.") -> Screen:
    """Talk whenever it is this person's turn, until it is over."""
    while True:
        screen = await until(lobby, person, lambda one: asked(one) or one.phase != "playing")
        if not asked(screen):
            return screen
        await lobby.act(person, said(screen, text))


def time_is_up(lobby: Lobby, person: int) -> None:
    """Let the turn of a person end now, as if its time had passed."""
    live = lobby._live.places[person].episode
    (player,) = [one for one in live._seats.values() if one.pending is not None]
    assert player._answer is not None
    player._answer.set_exception(TimeoutError())
