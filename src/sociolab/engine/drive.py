"""Drive a play: players answer its requests, a journal answers those of an earlier run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sociolab.core.episode import Ended, Event, Json, Unusable
from sociolab.core.ports import NoReply, Play, Player, Reply, Request
from sociolab.engine.journal import Journal

Record: TypeAlias = Callable[[Event], None]


async def drive(
    play: Play, players: Mapping[str, Player], record: Record, journal: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """Play to the end; every event goes to `record` as it happens.

    `journal` holds the events of a play that was cut off: its replies are given again by what was
    asked (seat, turn, name, attempt), not in order of arrival, and are not recorded a second time.
    ModelError and WorldError of a player pass through; what was recorded stays.
    """
    past = Journal(journal)
    events: list[Event] = []
    memories: dict[str, Json] = {}
    replies: list[Reply | NoReply] | None = None
    while True:
        try:
            step = play.send(replies)
        except StopIteration:
            return tuple(events)
        if isinstance(step, tuple):
            replies = await _replies(step, players, memories, past)
            continue
        replies = None
        if not past.holds(step, len(events)):
            record(step)
        events.append(step)
        _remember(memories, step)


def _remember(memories: dict[str, Json], event: Event) -> None:
    """What a player carries on is read off the events, so that a resumed play has the same."""
    if isinstance(event, Ended) or (isinstance(event, Unusable) and event.memory is None):
        return
    memories[event.seat] = event.memory


async def _replies(
    requests: Sequence[Request],
    players: Mapping[str, Player],
    memories: Mapping[str, Json],
    past: Journal,
) -> list[Reply | NoReply]:
    async def one(request: Request) -> Reply | NoReply:
        known = past.reply(request)
        if known is not None:
            return known
        return await players[request.seat].reply(request, memories.get(request.seat))

    if len(requests) == 1:
        return [await one(requests[0])]
    tasks = [asyncio.ensure_future(one(request)) for request in requests]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        # The others must not go on, nor be paid for, when this play is over.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
