"""Drive a play: players answer its requests, a journal answers those of an earlier run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sociolab.core.episode import Ended, Event, Happened, Json, Unusable
from sociolab.core.errors import SociolabError, WorldError, cause_of, stops_all
from sociolab.core.ports import (
    Completed,
    NoReply,
    Play,
    Player,
    Reply,
    Request,
    Sent,
    StartRequests,
)
from sociolab.core.tracebacks import describe_error
from sociolab.engine.journal import Journal

Record: TypeAlias = Callable[[Event], None]


async def drive(
    play: Play, players: Mapping[str, Player], record: Record, journal: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """Play to the end; every event goes to `record` as it happens.

    `journal` holds the events of a play that was cut off: its replies are given again by what was
    asked (seat, turn, name, attempt), not in order of arrival, and are not recorded a second time.
    What a player raises on purpose (ModelError, WorldError) passes through; any other exception is
    a WorldError that names the seat and the turn. At an optional question both are an unanswered
    question, unless the error stops the whole run. What was recorded stays.
    """
    pending = _Asked(players, Journal(journal))
    events: list[Event] = []
    sent: Sent = None
    async with pending:
        while True:
            try:
                step = play.send(sent)
            except StopIteration:
                return tuple(events)
            if isinstance(step, tuple):
                sent = await pending.replies(step)
            elif isinstance(step, StartRequests):
                sent = await pending.some(step.requests)
            else:
                sent = None
                if not pending.past.holds(step, len(events)):
                    record(step)
                events.append(step)
                _remember(pending.memories, step)


def _remember(memories: dict[str, Json], event: Event) -> None:
    """What a player carries on is read off the events, so that a resumed play has the same."""
    if isinstance(event, _NO_REPLIES):
        return
    if isinstance(event, Unusable) and event.memory is None:
        return
    memories[event.seat] = event.memory


_NO_REPLIES = (Ended, Happened)  # made once: every event is asked about


class _Asked:
    """Players under way: whoever was asked and has not replied yet is stopped at the end."""

    def __init__(self, players: Mapping[str, Player], past: Journal) -> None:
        self.past = past
        self.memories: dict[str, Json] = {}
        self._players = players
        self._running: dict[asyncio.Task[Reply | NoReply], Request] = {}

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        # The others must not go on, nor be paid for, when this play is over.
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def replies(self, requests: Sequence[Request]) -> list[Reply | NoReply | Completed]:
        """As many replies, in the order of the requests."""
        if len(requests) == 1:
            return [self.past.reply(requests[0]) or await self._reply(requests[0])]
        tasks = [self._start(request) for request in requests]
        replies: list[Reply | NoReply | Completed] = list(await asyncio.gather(*tasks))
        for task in tasks:
            del self._running[task]
        return replies

    async def some(self, requests: Sequence[Request]) -> list[Reply | NoReply | Completed]:
        """The replies that have come, in the order in which they were asked for; at least one."""
        self.past.as_they_came()
        completed: list[Reply | NoReply | Completed] = []
        for request in requests:
            recorded = self.past.reply(request)
            if recorded is not None:
                completed.append(Completed(request, recorded))
            else:
                self._start(request)
        if not completed:
            if not self._running:
                raise WorldError("a play waits for replies, but has asked for none; mend the world")
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        done = [task for task in self._running if task.done()]
        failed = [task for task in done if task.cancelled() or task.exception() is not None]
        good = [task for task in done if task not in failed]
        completed += [Completed(self._running.pop(task), task.result()) for task in good]
        if failed and not completed:  # what came with it is taken first: it was paid for
            failed[0].result()
        return completed

    def _start(self, request: Request) -> asyncio.Task[Reply | NoReply]:
        task = asyncio.ensure_future(self._known_or_asked(request))
        self._running[task] = request
        return task

    async def _known_or_asked(self, request: Request) -> Reply | NoReply:
        return self.past.reply(request) or await self._reply(request)

    async def _reply(self, request: Request) -> Reply | NoReply:
        player = self._players[request.seat]
        try:
            return await player.reply(request, self.memories.get(request.seat))
        except SociolabError as error:
            if request.optional and not stops_all(error):
                return NoReply(cause_of(error), str(error), again=False)
            raise
        except Exception as error:  # somebody's player
            where = f"the player of {request.seat} broke at turn {request.turn + 1}"
            problem = f"{where}: {describe_error(error)}"
            if request.optional:
                return NoReply("plugin", problem, again=False)
            raise WorldError(problem) from error
