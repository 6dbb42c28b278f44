"""The events that record replies, and a journal that reuses those of an interrupted episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from sociolab.core.episode import ACT, Answered, Ended, Event, Happened, Moved, Unusable
from sociolab.core.errors import StoreError
from sociolab.core.ports import NoReply, Question, Reply, Request


def reply_event(request: Request, reply: Reply) -> Moved | Answered:
    """The event that records a usable reply."""
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


def unusable_event(request: Request, reply: NoReply, *, final: bool) -> Unusable:
    """The event that records an unusable reply; `final`: there is no further attempt."""
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


@dataclass(frozen=True, slots=True)
class Recorded(Reply):
    """A reply read from a journal: the `to` of its actions holds seats, not names."""


class Journal:
    """Recorded events, and the replies in them by what was asked: seat, turn, name, attempt."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._by_key = {_key(event): event for event in events}
        self._in_order = True

    def reply(self, request: Request) -> Recorded | NoReply | None:
        """The recorded reply to this request; None if there is none."""
        match self._by_key.get((request.seat, request.turn, request.name, request.attempt)):
            case Moved() as event:
                return Recorded(event.actions, event.memory)
            case Answered() as event:
                return _read_answer(event, request)
            case Unusable() as event:
                return NoReply(event.cause, event.problem, event.raw, event.again, event.memory)
            case _:
                return None

    def allow_any_order(self) -> None:
        """From now on replies may arrive in another order: events are matched by key."""
        self._in_order = False

    def holds(self, event: Event, index: int) -> bool:
        """Whether this event, number `index`, is on record; StoreError if it differs from that."""
        if not self._in_order:
            recorded = self._by_key.get(_key(event))
        else:
            recorded = self._events[index] if index < len(self._events) else None
        if recorded is not None and recorded != event:
            raise _changed(f"replaying event {index} gave {event}, but {recorded}")
        return recorded is not None


def _key(event: Event) -> tuple[str, int, str, int]:
    """Seat, turn, name, attempt; what is not a reply has attempt 0."""
    match event:
        case Moved():
            return event.seat, event.turn, ACT, event.attempt
        case Answered():
            return event.seat, event.turn, event.question, event.attempt
        case Unusable():
            return event.seat, event.turn, event.name, event.attempt
        case Happened():
            return event.seat, event.turn, event.what, 0
        case Ended():
            return "", event.turn, "", 0


def _read_answer(event: Answered, request: Request) -> Recorded:
    assert isinstance(request.expected, Question)  # no question is called as a turn is
    try:
        value = request.expected.reply.model_validate(event.value)
    except ValidationError as error:
        raise _changed(f'the answer to "{event.question}" has another form now: it') from error
    return Recorded(value, event.memory)


def _changed(what: str) -> StoreError:
    return StoreError(
        f"{what} is on record: the world's rules changed since; play under another --name"
    )
