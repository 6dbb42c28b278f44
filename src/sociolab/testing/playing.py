"""Short ways to play and take apart an episode in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from sociolab.core.codec import encode_event
from sociolab.core.episode import CastMember, Ended, Episode, Event, Task, Trial
from sociolab.core.ports import Play, Player, World
from sociolab.engine.drive import drive
from sociolab.engine.play import play
from sociolab.engine.scene import FailurePolicy, Scene

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
