"""The replies of an earlier, unfinished play, given again instead of asking for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from sociolab.core.episode import ACT, Answered, Event, Moved, Unusable
from sociolab.core.errors import StoreError
from sociolab.core.ports import NoReply, Question, Reply, Request


@dataclass(frozen=True, slots=True)
class Recorded(Reply):
    """A reply read from a journal: the `to` of its actions holds seats, not names."""


class Journal:
    """Recorded events, and the replies in them by what was asked: seat, turn, name, attempt."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = tuple(events)
        self._replies: dict[tuple[str, int, str, int], Moved | Answered | Unusable] = {}
        for event in events:
            match event:
                case Moved():
                    self._replies[event.seat, event.turn, ACT, event.attempt] = event
                case Answered():
                    self._replies[event.seat, event.turn, event.question, event.attempt] = event
                case Unusable():
                    self._replies[event.seat, event.turn, event.name, event.attempt] = event

    def reply(self, request: Request) -> Recorded | NoReply | None:
        """The reply that was given to this request; None if it was not asked before."""
        match self._replies.get((request.seat, request.turn, request.name, request.attempt)):
            case Moved() as event:
                return Recorded(event.actions, event.memory)
            case Answered() as event:
                return _answer(event, request)
            case Unusable() as event:
                return NoReply(event.cause, event.problem, event.raw, event.again, event.memory)
            case None:
                return None

    def holds(self, event: Event, index: int) -> bool:
        """Whether this event is on record as number `index`; StoreError if another one is."""
        if index >= len(self._events):
            return False
        if self._events[index] != event:
            raise _changed(f"replaying event {index} gave {event}, but {self._events[index]}")
        return True


def _answer(event: Answered, request: Request) -> Recorded:
    assert isinstance(request.wanted, Question)  # no question is called as a turn is
    try:
        value = request.wanted.reply.model_validate(event.value)
    except ValidationError as error:
        raise _changed(f'the answer to "{event.question}" has another form now: it') from error
    return Recorded(value, event.memory)


def _changed(what: str) -> StoreError:
    return StoreError(
        f"{what} is on record: the world's rules changed since; play under another --name"
    )
