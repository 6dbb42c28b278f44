"""A socket that says "changed" whenever a participant's screen may look different, and no more."""

from __future__ import annotations

import asyncio
from collections import Counter

from starlette.websockets import WebSocket, WebSocketDisconnect

from sociolab.core.errors import SociolabError
from sociolab.studies.lobby import Hall
from sociolab.web.play.live import playing

MOST = 6
"""Sockets of one participant at once: windows that show the same."""

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
    key = (id(who.hall), who.person)
    if _open[key] >= MOST:
        await connection.close(REFUSED)
        return
    _open[key] += 1
    try:
        await connection.accept()
        await _tell(connection, who.hall, who.person)
    finally:
        _open[key] -= 1
        if not _open[key]:
            del _open[key]


async def _tell(connection: WebSocket, hall: Hall, person: int) -> None:
    with hall.listening(person) as changed:
        telling = asyncio.create_task(_tell_changes(connection, hall, changed))
        try:
            await connection.receive_text()  # nothing is expected but the end
            await connection.close(REFUSED)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)


async def _tell_changes(connection: WebSocket, hall: Hall, changed: asyncio.Event) -> None:
    while not hall.closed:
        await changed.wait()
        changed.clear()  # what changes while this is sent is told in the next round
        await connection.send_text("changed")
    await connection.close(AGAIN)  # whoever connects anew finds the hall that took its place
