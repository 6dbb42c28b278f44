"""What the engine must be told to play a scene: seats, kinds of action, order, limit, views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from sociolab.core.episode import ActionSpace, Moved
from sociolab.core.ports import Observation, Question

Order: TypeAlias = Literal["round-robin", "simultaneous"]


class Witness(Protocol):
    """What one seat knows so far: a fold over the moves that it may see."""

    def see(self, move: Moved) -> None:
        """Take in a move that this seat may see, its own included."""
        ...

    def observe(self, turn: int) -> Observation:
        """What this seat is shown when it is asked at this turn."""
        ...

    def seat_called(self, name: str) -> str | None:
        """The seat that this seat calls so; None if it knows nobody of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Poll:
    """Questions that never enter the history, put to seats before turn `at`; None: at the end."""

    at: int | None
    seats: tuple[str, ...]
    question: Question


class Scene(Protocol):
    """A scene of N >= 2 seats. `limit` counts turns (round-robin) or rounds (simultaneous)."""

    @property
    def seats(self) -> tuple[str, ...]: ...

    @property
    def space(self) -> ActionSpace: ...

    @property
    def order(self) -> Order: ...

    @property
    def limit(self) -> int: ...

    @property
    def polls(self) -> Sequence[Poll]: ...

    def witness(self, seat: str) -> Witness:
        """A fresh witness: before the first turn."""
        ...


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """How often a seat is asked for one turn, and what becomes of an episode with a failed turn.

    "skip": the turn stays empty, on record as failed, and the episode goes on. "stop": it ends.
    """

    attempts: int = 3
    then: Literal["skip", "stop"] = "skip"
