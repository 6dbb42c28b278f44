"""From replies to the events that record them."""

from __future__ import annotations

from sociolab.core.episode import Answered, Moved, Unusable
from sociolab.core.ports import NoReply, Reply, Request


def event_of(request: Request, reply: Reply) -> Moved | Answered:
    """The event that a usable reply is."""
    if isinstance(reply.value, tuple):
        return Moved(request.turn, request.seat, reply.value, request.attempt, reply.memory)
    # As the type reads it: by alias, and without what it computes itself.
    value = reply.value.model_dump(mode="json", by_alias=True, round_trip=True)
    return Answered(
        request.turn,
        request.seat,
        request.name,
        value,
        request.attempt,
        reply.memory,
        request.optional,
    )


def unusable_of(request: Request, reply: NoReply, *, final: bool) -> Unusable:
    """The event that an unusable reply is: `final` if it is not asked for again."""
    return Unusable(
        request.turn,
        request.seat,
        request.name,
        request.attempt,
        reply.cause,
        reply.problem,
        reply.raw,
        final,
        reply.again,
        reply.memory,
        request.optional,
    )
