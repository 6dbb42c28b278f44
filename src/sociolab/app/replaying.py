"""A stored episode played again from its record, to learn what each seat was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from sociolab.app.data.sets import load_world
from sociolab.core.episode import Answered, Episode, Event, Moved, Unusable
from sociolab.core.errors import SociolabError, StoreError
from sociolab.core.ports import (
    Completed,
    NoReply,
    Observation,
    Reply,
    Request,
    Sent,
    StartRequests,
    World,
)
from sociolab.engine.journal import Journal
from sociolab.engine.scene import FailurePolicy
from sociolab.store.store import RunRow

Key: TypeAlias = tuple[str, int, str, int]
"""What was asked: seat, turn (from 0), "act" or the question's name, attempt."""


def replies_of(events: Sequence[Event]) -> dict[Key, tuple[int, Moved | Answered | Unusable]]:
    """The events that are replies, by what was asked, each with its place in the record."""
    found: dict[Key, tuple[int, Moved | Answered | Unusable]] = {}
    for place, event in enumerate(events):
        match event:
            case Moved(turn, seat, _, attempt):
                found[seat, turn, "act", attempt] = (place, event)
            case Answered(turn, seat, question, _, attempt):
                found[seat, turn, question, attempt] = (place, event)
            case Unusable(turn, seat, name, attempt):
                found[seat, turn, name, attempt] = (place, event)
    return found


def is_aside(event: Moved | Answered | Unusable) -> bool:
    """Whether it answers an optional question, whose answers are no training examples."""
    return not isinstance(event, Moved) and event.optional


def requests_of(world: World, episode: Episode) -> Mapping[Key, Request]:
    """Every request of an episode; nothing where the play goes another way than the record.

    That is so for episodes of other programs, and where a world's rules changed since.
    """
    trial = episode.trial
    try:
        play = world.play(trial.task, trial.id, trial.seed)
        journal = Journal(episode.events)
        found: dict[Key, Request] = {}
        sent: Sent = None
        count = 0
        while True:
            try:
                step = play.send(sent)
            except StopIteration:
                return found
            sent = None
            if isinstance(step, tuple):
                sent = [_known(journal, request, found) for request in step]
            elif isinstance(step, StartRequests):
                journal.as_they_came()
                sent = [
                    Completed(request, _known(journal, request, found)) for request in step.requests
                ]
            elif journal.holds(step, count):
                count += 1
            else:
                raise StoreError(f"replaying {trial.id} gave {step}, which is not on record")
    except SociolabError:
        return {}


def _known(journal: Journal, request: Request, found: dict[Key, Request]) -> Reply | NoReply:
    found[request.seat, request.turn, request.name, request.attempt] = request
    known = journal.reply(request)
    if known is None:
        raise StoreError(f"the reply of {request.seat} at turn {request.turn} is not on record")
    return known


def replaying_world(row: RunRow) -> World:
    """The world as a run was played in it: what a seat saw hangs on its settings."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    attempts, then = settings.get("attempts"), settings.get("on_failed_turn")
    end: Literal["skip", "stop"] = "stop" if then == "stop" else "skip"
    policy = FailurePolicy(attempts, end) if isinstance(attempts, int) else FailurePolicy(then=end)
    return load_world(row.world, policy=policy, settings=row.world_settings).world


def observations(world: World, episode: Episode) -> Mapping[tuple[str, int], Observation]:
    """What each seat saw when it was last asked in a turn; nothing where a repeat differs."""
    asked = requests_of(world, episode).values()
    return {(one.seat, one.turn): one.observation for one in asked}
