"""Who got which fact from whom and when: read off the words that were spoken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from sociolab.core.episode import Moved
from sociolab.worlds.anteval.session import Fact, Session
from sociolab.worlds.anteval.telling import SPEAK


class Supports(Protocol):
    """Whether a statement says this fact: a matcher."""

    def supports(self, statement: str, fact: Fact) -> bool:
        """True where the statement, taken by itself, says it."""
        ...


@dataclass(frozen=True, slots=True)
class Telling:
    """Somebody said a fact in this turn (from 0), and these seats heard it."""

    turn: int
    by: str
    heard: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of one fact: all its tellings in order, none if it was never said."""

    fact: str
    tellings: tuple[Telling, ...]

    @property
    def relays(self) -> tuple[Telling, ...]:
        """For each seat that told it after somebody else had: the first time it did so."""
        if not self.tellings:
            return ()
        first: dict[str, Telling] = {}
        for telling in self.tellings:
            first.setdefault(telling.by, telling)
        return tuple(one for seat, one in first.items() if seat != self.tellings[0].by)

    def source(self, seat: str) -> Telling | None:
        """From whom this seat heard it first, and when; None if it never did."""
        return next((one for one in self.tellings if seat in one.heard), None)


def trace(session: Session, moves: Sequence[Moved], matcher: Supports) -> tuple[Trace, ...]:
    """A trace for each fact of the NPC, in their order."""
    told: dict[str, list[Telling]] = {fact.id: [] for fact in session.knowledge}
    for telling, text in utterances(session, moves):
        for fact in session.knowledge:
            if matcher.supports(text, fact):
                told[fact.id].append(telling)
    return tuple(Trace(fact, tuple(tellings)) for fact, tellings in told.items())


def utterances(session: Session, moves: Sequence[Moved]) -> Iterator[tuple[Telling, str]]:
    """All that was said, turn by turn, asides included."""
    seats = tuple(character.id for character in session.characters)
    for move in moves:
        for action in move.actions:
            if action.kind == SPEAK:
                heard = tuple(seat for seat in action.to or seats if seat != move.seat)
                yield Telling(move.turn, move.seat, heard), " ".join(action.text.split())
