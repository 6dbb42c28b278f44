"""A small scene of no world: two people at a table, for players that read text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.core.episode import ActionKind, ActionSpace, Moved
from sociolab.core.ports import Line, Observation
from sociolab.engine.scene import Order, Poll

STOCK_ACTIONS = ActionSpace(
    (
        ActionKind("speak", spoken=True),
        ActionKind("act"),
        ActionKind("none", has_text=False),
        ActionKind("leave", has_text=False, leaves=True),
    )
)
STOCK_NAMES = {"first": "Ada", "second": "Ben", "third": "Cleo", "fourth": "Dan", "fifth": "Eve"}
"""Seats, and what everybody calls them."""


@dataclass(frozen=True, slots=True)
class StockScene:
    """People who know each other's names and want to choose a cake."""

    seats: tuple[str, ...] = ("first", "second")
    limit: int = 8
    order: Order = "round-robin"
    polls: Sequence[Poll] = ()
    space: ActionSpace = STOCK_ACTIONS

    def witness(self, seat: str) -> StockWitness:
        """What this seat knows before the first turn."""
        return StockWitness(self, seat)


class StockWitness:
    """What one seat has seen."""

    def __init__(self, scene: StockScene, seat: str) -> None:
        self._scene = scene
        self._seat = seat
        self._lines: list[Line] = []

    def see(self, move: Moved) -> None:
        """Take in a move."""
        who = STOCK_NAMES[move.seat]
        text = " ".join(f"{who} ({a.kind}): {' '.join(a.text.split())}" for a in move.actions)
        self._lines.append(Line(move.turn, who, move.seat == self._seat, move.actions, text))

    def observe(self, turn: int) -> Observation:
        """What this seat is shown."""
        you = STOCK_NAMES[self._seat]
        kinds = ", ".join(kind.name for kind in self._scene.space.kinds)
        return Observation(
            seat=self._seat,
            you=you,
            turn=turn,
            limit=self._scene.limit,
            head=f"You are {you}. Choose a cake together. What you can do: {kinds}.",
            history=tuple(self._lines),
            tail=f"Turn {turn + 1} of {self._scene.limit} is yours.",
            others=tuple(STOCK_NAMES[seat] for seat in self._scene.seats if seat != self._seat),
            view=None,
        )

    def seat_called(self, name: str) -> str | None:
        """The seat of this name, but not one's own."""
        for seat in self._scene.seats:
            if STOCK_NAMES[seat] == name and seat != self._seat:
                return seat
        return None
