"""Transcripts of stored episodes, made by their world, and the requests that each seat got, rebuilt
by replaying the episode from its record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from sociolab.app.data.sets import load_world
from sociolab.app.registry import world_plugin
from sociolab.core.episode import (
    ARCHIVED,
    Answered,
    CastMember,
    Episode,
    Event,
    Happened,
    Moved,
    Task,
    Trial,
    Unusable,
)
from sociolab.core.errors import ConfigError, SociolabError, StoreError, WorldError
from sociolab.core.names import fold_name
from sociolab.core.ports import (
    Completed,
    NoReply,
    Observation,
    Reply,
    Request,
    Sent,
    StartRequests,
    Transcript,
    World,
)
from sociolab.engine.journal import Journal
from sociolab.engine.scene import FailurePolicy
from sociolab.plugin.world import WorldPlugin
from sociolab.report.transcript_views import transcript_view
from sociolab.store.store import RunRow

_loaded: dict[str, tuple[WorldPlugin, World]] = {}
"""By name, each world that was loaded to show episodes: loading takes up to a second."""


def world_of(name: str) -> World:
    """A world to show stored episodes with: each carries its own task, so any data set will do."""
    plugin = world_plugin(name)
    if name not in _loaded or _loaded[name][0] is not plugin:
        _loaded[name] = plugin, load_world(name).world
    return _loaded[name][1]


def transcript_of(episode: Episode, seat: str | None = None) -> Transcript:
    """The transcript, as all see it or as one seat did; StoreError where the episode's world cannot
    read the record."""
    try:
        return world_of(episode.trial.world).transcript(episode, seat)
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # of a world of ours
        raise StoreError(
            f"the episode {episode.trial.id} cannot be shown: its record is not one that the world "
            f"{episode.trial.world} reads ({type(error).__name__}); use the version that played it"
        ) from error


def find_seat(episode: Episode, name: str) -> str:
    """The seat with this id, full name or first name of a character, in upper or lower case.

    ConfigError where no seat is called so, or several are.
    """
    trial = episode.trial
    if name in trial.task.seats:
        return name
    view = transcript_view(episode, transcript_of(episode))
    folded = fold_name(name)
    # A seat may answer certain questions in place of another, as `ann.plan` does for `ann`.
    parts = tuple(f"{seat}." for seat in trial.task.seats)
    people = [seat for seat in view.seats if not seat.id.startswith(parts)]
    full_names = [(seat.id, _full_names(seat.id, seat.name)) for seat in people]
    first_names = [
        (seat, {full.split()[0] for full in names if full}) for seat, names in full_names
    ]
    for candidates in (full_names, first_names):
        fits = [seat for seat, names in candidates if folded in names]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise ConfigError(f'--as: several seats are called "{name}": {", ".join(fits)}')
    seats = ", ".join(seat.called for seat in people)
    raise ConfigError(f'--as: expected one of {seats}, found "{name}"')


def _full_names(seat: str, name: str) -> set[str]:
    """Id and name, and the id read as a name with hyphens or underscores for spaces."""
    words = re.sub(r"[-_]+", " ", seat).strip()
    return {fold_name(seat), fold_name(words), fold_name(name)}


def task_title(world: World, task: Task) -> str:
    """The title of a task in its transcripts; "" where its world cannot make one without events."""
    cast = tuple(CastMember(seat) for seat in task.seats)
    try:
        title = world.transcript(Episode(Trial(task.id, world.name, task, cast, 0, 0), ())).title
    except WorldError:  # of a plugin that cannot show an episode without events
        return ""
    return title.removeprefix(f"{task.id}: ")


# ------------------------------------------------------------------ requests, rebuilt by a replay


Key: TypeAlias = tuple[str, int, str, int]
"""A request: seat, turn (from 0), "act" or the question's name, attempt (from 1)."""


def replies_of(events: Sequence[Event]) -> dict[Key, tuple[int, Moved | Answered | Unusable]]:
    """The events that are replies, by request, each with its index in the record."""
    replies: dict[Key, tuple[int, Moved | Answered | Unusable]] = {}
    for place, event in enumerate(events):
        match event:
            case Moved(turn, seat, _, attempt):
                replies[seat, turn, "act", attempt] = (place, event)
            case Answered(turn, seat, question, _, attempt):
                replies[seat, turn, question, attempt] = (place, event)
            case Unusable(turn, seat, name, attempt):
                replies[seat, turn, name, attempt] = (place, event)
    return replies


def is_aside(event: Moved | Answered | Unusable) -> bool:
    """Whether this answers an optional question; such answers are no training examples."""
    return not isinstance(event, Moved) and event.optional


def requests_of(world: World, episode: Episode) -> Mapping[Key, Request]:
    """Every request of an episode; {} where a replay does not reproduce the record.

    That is so for imported episodes, and where a world's rules have changed since.
    """
    trial = episode.trial
    try:
        play = world.play(trial.task, trial.id, trial.seed)
        played = (e for e in episode.events if not (isinstance(e, Happened) and e.what == ARCHIVED))
        journal = Journal(tuple(played))
        requests: dict[Key, Request] = {}
        sent: Sent = None
        count = 0
        while True:
            try:
                step = play.send(sent)
            except StopIteration:
                return requests
            sent = None
            if isinstance(step, tuple):
                sent = [_recorded_reply(journal, request, requests) for request in step]
            elif isinstance(step, StartRequests):
                journal.allow_any_order()
                sent = [
                    Completed(request, _recorded_reply(journal, request, requests))
                    for request in step.requests
                ]
            elif journal.holds(step, count):
                count += 1
            else:
                raise StoreError(f"replaying {trial.id} gave {step}, which is not on record")
    except SociolabError:
        return {}


def _recorded_reply(
    journal: Journal, request: Request, requests: dict[Key, Request]
) -> Reply | NoReply:
    requests[request.seat, request.turn, request.name, request.attempt] = request
    reply = journal.reply(request)
    if reply is None:
        raise StoreError(f"the reply of {request.seat} at turn {request.turn} is not on record")
    return reply


def replaying_world(row: RunRow) -> World:
    """The world with the settings of a run, on which depends what its seats saw."""
    settings = row.settings if isinstance(row.settings, dict) else {}
    attempts, on_failure = settings.get("attempts"), settings.get("on_failed_turn")
    end: Literal["skip", "stop"] = "stop" if on_failure == "stop" else "skip"
    policy = FailurePolicy(attempts, end) if isinstance(attempts, int) else FailurePolicy(then=end)
    return load_world(row.world, policy=policy, settings=row.world_settings).world


def observations(world: World, episode: Episode) -> Mapping[tuple[str, int], Observation]:
    """The observation of each seat and turn, at the last attempt; {} as in `requests_of`."""
    requests = requests_of(world, episode).values()
    return {(request.seat, request.turn): request.observation for request in requests}
