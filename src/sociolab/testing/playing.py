"""Short ways to play and take apart an episode in a test, and a small scene of no world: two people
at a table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.core.codec import encode_event
from sociolab.core.episode import (
    ActionKind,
    ActionSpace,
    CastMember,
    Ended,
    Episode,
    Event,
    Moved,
    Task,
    Trial,
)
from sociolab.core.ports import Line, Observation, Play, Player, World
from sociolab.engine.drive import drive
from sociolab.engine.play import play
from sociolab.engine.scene import FailurePolicy, Order, Poll, Scene

TRIAL = "trial"

POLICY = FailurePolicy()


def play_scene(
    scene: Scene,
    players: Mapping[str, Player],
    *,
    seed: int = 0,
    policy: FailurePolicy = POLICY,
    journal: Sequence[Event] = (),
) -> tuple[Event, ...]:
    """The events of a scene played to its end."""
    return driven(play(scene, trial=TRIAL, seed=seed, policy=policy), players, journal)


def play_task(
    world: World,
    task: Task,
    players: Mapping[str, Player],
    *,
    seed: int = 0,
    journal: Sequence[Event] = (),
) -> Episode:
    """A task played to its end, as an episode."""
    cast = tuple(CastMember(seat, "tested") for seat in task.seats)
    trial = Trial(TRIAL, world.name, task, cast, 0, seed)
    return Episode(trial, driven(world.play(task, TRIAL, seed), players, journal))


def driven(
    game: Play, players: Mapping[str, Player], journal: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """The events of a play; fails where what is recorded is not what the journal lacks."""
    recorded: list[Event] = []
    events = asyncio.run(drive(game, players, recorded.append, journal))
    on_record = sorted(map(encode_event, (*journal, *recorded)))
    told = "a replay records what the journal lacks, and nothing else"
    assert on_record == sorted(map(encode_event, events)), told
    return events


def as_bytes(events: Sequence[Event]) -> bytes:
    """Events as the store keeps them."""
    return "\n".join(encode_event(event) for event in events).encode("utf-8", "surrogatepass")


def ended(events: Sequence[Event]) -> Ended:
    """The last event, which says why it was over."""
    last = events[-1]
    assert isinstance(last, Ended), f"the last event says why it ended; found {last}"
    return last


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
