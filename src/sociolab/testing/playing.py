"""Play an episode in a test, and a small scene without a world: people who choose a cake."""

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
    Task,
    Trial,
)
from sociolab.core.ports import Play, Player, World
from sociolab.engine.driver import drive
from sociolab.engine.episode_loop import play
from sociolab.engine.scene import FailurePolicy, Order, Poll, Scene
from sociolab.plugin.scene import OpenScene, OpenWitness

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
    """Play a scene to its end without a store, and return its events.

    >>> from sociolab.testing import AnyPlayer, SilentPlayer, StockScene, play_scene
    >>> events = play_scene(StockScene(limit=2), {"first": AnyPlayer(), "second": SilentPlayer()})
    >>> [type(event).__name__ for event in events]
    ['Moved', 'Unusable', 'Unusable', 'Unusable', 'Ended']
    """
    return drive_recorded(play(scene, trial=TRIAL, seed=seed, policy=policy), players, journal)


def play_task(
    world: World,
    task: Task,
    players: Mapping[str, Player],
    *,
    seed: int = 0,
    journal: Sequence[Event] = (),
) -> Episode:
    """Play a task of a world to its end without a store. Each task has a trial of its own.

    >>> from sociolab.app import load_world
    >>> from sociolab.testing import AnyPlayer, play_task
    >>> world = load_world("sotopia").world
    >>> task = world.tasks()[0]
    >>> episode = play_task(world, task, dict.fromkeys(task.seats, AnyPlayer(leave_rate=1)))
    >>> episode.ended.reason, episode.ended.turn
    ('left', 0)
    """
    cast = tuple(CastMember(seat) for seat in task.seats)
    trial = Trial(f"{TRIAL} of {task.id}", world.name, task, cast, 0, seed)
    return Episode(trial, drive_recorded(world.play(task, trial.id, seed), players, journal))


def drive_recorded(
    game: Play, players: Mapping[str, Player], journal: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """The events of an episode; fails unless exactly the events missing in the journal are
    recorded.

    >>> from sociolab.engine import play
    >>> from sociolab.testing import AnyPlayer, StockScene, drive_recorded
    >>> players = {"first": AnyPlayer(leave_rate=0), "second": AnyPlayer(leave_rate=0)}
    >>> events = drive_recorded(play(StockScene(limit=2)), players)
    >>> drive_recorded(play(StockScene(limit=2)), players, journal=events[:1]) == events
    True
    """
    recorded: list[Event] = []
    events = asyncio.run(drive(game, players, recorded.append, journal))
    on_record = sorted(map(encode_event, (*journal, *recorded)))
    message = "a replay records what the journal lacks, and nothing else"
    assert on_record == sorted(map(encode_event, events)), message
    return events


def as_bytes(events: Sequence[Event]) -> bytes:
    """Events as the store encodes them.

    >>> from sociolab.judging import Ended
    >>> from sociolab.testing import as_bytes
    >>> as_bytes([Ended("turn limit", 20)])
    b'["ended","turn limit",20,null]'
    """
    return "\n".join(encode_event(event) for event in events).encode("utf-8", "surrogatepass")


def ending_of(events: Sequence[Event]) -> Ended:
    """The last event, which must say why the episode ended.

    >>> from sociolab.testing import AnyPlayer, StockScene, ending_of, play_scene
    >>> events = play_scene(StockScene(), {"first": AnyPlayer(leave_rate=1), "second": AnyPlayer()})
    >>> ending_of(events).reason
    'left'
    """
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
"""Seats, and the names that everybody knows them by."""


@dataclass(frozen=True, slots=True)
class StockScene:
    """A small scene of no world: people who know each other's names choose a cake.

    Two to five seats ("first" to "fifth"), who can speak, act, do nothing or leave; it ends after
    `limit` turns.

    >>> from sociolab.testing import SilentPlayer, StockScene, play_scene
    >>> scene = StockScene(seats=("first", "second", "third"), limit=5)
    >>> events = play_scene(scene, dict.fromkeys(scene.seats, SilentPlayer()))
    >>> scene.witness("third").observe(0).head
    'You are Cleo. Choose a cake together. What you can do: speak, act, none, leave.'
    >>> events[-1]
    Ended(reason='turn limit', turn=4, seat=None)
    """

    seats: tuple[str, ...] = ("first", "second")
    limit: int = 8
    order: Order = "round-robin"
    polls: Sequence[Poll] = ()
    space: ActionSpace = STOCK_ACTIONS

    def witness(self, seat: str) -> OpenWitness:
        kinds = ", ".join(kind.name for kind in self.space.kinds)
        heads = {
            name: f"You are {STOCK_NAMES[name]}. Choose a cake together. What you can do: {kinds}."
            for name in self.seats
        }
        return OpenScene(heads, self.space, self.limit, STOCK_NAMES).witness(seat)
