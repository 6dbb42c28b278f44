"""The waiting room: who came when, who is still there, and who has waited long enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PRESENT_SECONDS = 30.0
"""Whose page has not been heard of for longer is not there: pages ask again more often."""


@dataclass(slots=True)
class Waiter:
    """Somebody who waits; moments are in seconds of one clock."""

    person: int
    since: float
    ready: float
    """Not paired before: everybody waits a while, whoever the partner will be."""


class WaitingRoom:
    """First come, first paired; the times are given, so that nothing here reads a clock."""

    def __init__(self) -> None:
        self._waiters: dict[int, Waiter] = {}
        self._seen: dict[int, float] = {}

    def __contains__(self, person: object) -> bool:
        return person in self._waiters

    def enter(self, person: int, now: float, ready: float) -> None:
        """Somebody begins to wait."""
        self._waiters[person] = Waiter(person, now, ready)
        self._seen[person] = now

    def everybody(self) -> tuple[int, ...]:
        """Who waits, in the order in which they came."""
        return tuple(self._waiters)

    def leave(self, person: int) -> None:
        """And waits no longer."""
        self._waiters.pop(person, None)
        self._seen.pop(person, None)

    def seen(self, person: int, now: float) -> bool:
        """Somebody's page was heard of; whether they had seemed to be gone."""
        back = not self.present(person, now)
        self._seen[person] = now
        return back

    def present(self, person: int, now: float) -> bool:
        """Whether somebody who waits is still there."""
        return now - self._seen.get(person, now) <= PRESENT_SECONDS

    def waited(self, person: int, now: float) -> float:
        """For how many seconds."""
        return now - self._waiters[person].since

    def ready(self, now: float) -> Iterator[int]:
        """Those who can be paired, in the order in which they came."""
        for waiter in list(self._waiters.values()):
            if waiter.ready <= now and self.present(waiter.person, now):
                yield waiter.person
