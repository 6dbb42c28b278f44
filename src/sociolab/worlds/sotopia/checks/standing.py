"""Who stands where: the state of a talk about an agreement on one issue or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeAlias, TypeVar

V = TypeVar("V")


class Stand(NamedTuple, Generic[V]):
    """Where a seat stands on an issue: for one of `values`; none where it cannot be read.

    `said` is the turn (as an index) in which it was last said, `rank` the one in which it was
    last upheld, be it by refusing something else. The rest is as in `Take`.
    """

    values: tuple[V, ...]
    said: int
    rank: int
    asked: bool = False
    tied: bool = False
    soft: bool = False
    partial: bool = False
    doubt: str = ""

    @property
    def firm(self) -> bool:
        """Neither a question nor under a condition."""
        return not (self.asked or self.tied)


Stands: TypeAlias = dict[str, Stand[V]]
"""A seat's stands, by issue."""


class Standing(Generic[V]):
    """All seats' stands, and what else is remembered of the talk."""

    def __init__(self, seats: Iterable[str], issues: Iterable[str], known: Iterable[V]) -> None:
        self.seats: dict[str, Stands[V]] = {seat: {} for seat in seats}
        self.issues = tuple(issues)
        self.known = set(known)
        """Values that have been spoken of: to speak of them again need not mean anything."""
        self.last = dict.fromkeys(self.seats, -1)
        """Each seat's last turn."""
        self.asks_else = dict.fromkeys(self.seats, False)
        self.agreed = False
        self.loose = False
        """Whether there was assent, but to nothing that could be read."""

        self.warm: set[str] = set()
        """Seats whose last word may be a yes to what another stands for, and may be none."""
        self.proposer: str | None = None
        """Who made the last proposal."""
        self.refused = False
        """Whether another seat refused the last proposal, or left instead of answering it."""
        self.dangling = False
        """Whether the last proposal was answered in a way that cannot be read."""

    def of_others(self, issue: str, but: str) -> tuple[str, Stand[V]] | None:
        """The stand on an issue that was upheld last by another seat than `but`."""
        best: tuple[str, Stand[V]] | None = None
        for seat, stands in self.seats.items():
            if seat != but and issue in stands:
                stand = stands[issue]
                if best is None or stand.rank > best[1].rank:
                    best = (seat, stand)
        return best

    def on(self, issue: str) -> list[Stand[V]]:
        """The stands that there are on an issue."""
        return [stands[issue] for stands in self.seats.values() if issue in stands]

    def meeting(self, issue: str) -> tuple[V, ...] | None:
        """What all stand for; empty where it cannot be read, None where they differ."""
        common: tuple[V, ...] | None = None
        for stands in self.seats.values():
            stand = stands.get(issue)
            if stand is None:
                return None
            if common is None:
                common = stand.values
            elif common != stand.values:
                common = tuple(value for value in common if value in stand.values)
                if not common:
                    return None
        return common

    def settled(self) -> list[str]:
        """The issues on which all stand for the same."""
        return [issue for issue in self.issues if self.meeting(issue) is not None]
