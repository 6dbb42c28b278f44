"""Drive a play: players answer its requests, a journal answers those of an earlier run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sociolab.core.episode import Answered, Event, Json, Moved, Unusable
from sociolab.core.errors import StoreError
from sociolab.core.ports import NoReply, Play, Player, Question, Reply, Request

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
    send: list[Reply | NoReply] | None = None
    try:
        while True:
            step = play.send(send)
            send = None
            if isinstance(step, tuple):
                send = await _replies(step, players, memories, past)
                for request, reply in zip(step, send, strict=True):
                    if isinstance(reply, Reply) or reply.memory is not None:
                        memories[request.seat] = reply.memory
            else:
                if not past.holds(step, len(events)):
                    record(step)
                events.append(step)
    except StopIteration:
        return tuple(events)


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
    return list(await asyncio.gather(*(one(request) for request in requests)))


class Journal:
    """The replies of an earlier, unfinished play, keyed by what was asked."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._replies: dict[tuple[str, int, str, int], Event] = {}
        for event in events:
            match event:
                case Moved():
                    self._replies[event.seat, event.turn, "act", event.attempt] = event
                case Answered():
                    key = (event.seat, event.turn, event.question, event.attempt)
                    self._replies[key] = event
                case Unusable():
                    self._replies[event.seat, event.turn, event.name, event.attempt] = event
                case _:
                    pass

    def reply(self, request: Request) -> Reply | NoReply | None:
        """The reply that was given to this request, if it was."""
        if not self._replies:
            return None
        key = (request.seat, request.turn, request.name, request.attempt)
        match self._replies.get(key):
            case Moved() as event:
                return Reply(event.actions, event.memory)
            case Answered() as event:
                assert isinstance(request.wanted, Question)
                return Reply(request.wanted.reply.model_validate(event.value), event.memory)
            case Unusable() as event:
                return NoReply(event.cause, event.problem, event.raw, event.again, event.memory)
            case _:
                return None

    def holds(self, event: Event, index: int) -> bool:
        """Whether this event is already on record; StoreError if another one is."""
        if index >= len(self._events):
            return False
        if self._events[index] != event:
            raise StoreError(
                f"replaying event {index} gave {event}, but {self._events[index]} is on record: "
                "the world's rules changed since; play under another --name"
            )
        return True
