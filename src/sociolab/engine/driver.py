"""Drive an episode: players answer its requests, and a journal those of an earlier run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sociolab.core.episode import Answered, Event, Json, Moved, Unusable
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
    """Play to the end and return the events; each also goes to `record` as it happens.

    `journal` holds the events of an interrupted episode: its replies are reused, matched by request
    (seat, turn, name, attempt) and not by order of arrival, and not recorded a second time.
    What a player raises on purpose (ModelError, WorldError) passes through; any other exception
    becomes a WorldError that names the seat and the turn. At an optional question both become an
    unanswered question, unless the error stops the whole run. What was recorded stays.
    """
    pending = _Pending(players, Journal(journal))
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
                # Memories come from the events, so that a resumed episode has the same ones.
                keeps_memory = isinstance(step, Unusable) and step.memory is None
                if isinstance(step, Moved | Answered | Unusable) and not keeps_memory:
                    pending.memories[step.seat] = step.memory


class _Pending:
    """The requests under way; on exit, those without a reply are cancelled."""

    def __init__(self, players: Mapping[str, Player], past: Journal) -> None:
        self.past = past
        self.memories: dict[str, Json] = {}
        self._players = players
        self._running: dict[asyncio.Task[Reply | NoReply], Request] = {}

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        # Nobody must go on, nor be paid for, when the episode is over.
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def replies(self, requests: Sequence[Request]) -> list[Reply | NoReply | Completed]:
        """One reply for each request, in their order."""
        if len(requests) == 1:
            return [await self._reply_to(requests[0])]
        tasks = [self._start(request) for request in requests]
        replies: list[Reply | NoReply | Completed] = list(await asyncio.gather(*tasks))
        for task in tasks:
            del self._running[task]
        return replies

    async def some(self, requests: Sequence[Request]) -> list[Reply | NoReply | Completed]:
        """At least one completed reply, in the order of their requests."""
        self.past.allow_any_order()
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
        succeeded = [task for task in done if task not in failed]
        completed += [Completed(self._running.pop(task), task.result()) for task in succeeded]
        if (
            failed and not completed
        ):  # replies that came with it are taken first: they were paid for
            failed[0].result()
        return completed

    def _start(self, request: Request) -> asyncio.Task[Reply | NoReply]:
        task = asyncio.ensure_future(self._reply_to(request))
        self._running[task] = request
        return task

    async def _reply_to(self, request: Request) -> Reply | NoReply:
        recorded = self.past.reply(request)
        if recorded is not None:
            return recorded
        player = self._players[request.seat]
        try:
            return await player.reply(request, self.memories.get(request.seat))
        except SociolabError as error:
            if request.optional and not stops_all(error):
                return NoReply(cause_of(error), str(error), again=False)
            raise
        except Exception as error:  # a bug of the player
            where = f"the player of {request.seat} broke at turn {request.turn + 1}"
            problem = f"{where}: {describe_error(error)}"
            if request.optional:
                return NoReply("plugin", problem, again=False)
            raise WorldError(problem) from error
