"""How stored episodes read: each transcript is made by the world that played it."""

from __future__ import annotations

import re
from functools import cache

from sociolab.app.data.sets import load_world
from sociolab.core.episode import CastMember, Episode, Task, Trial
from sociolab.core.errors import ConfigError, StoreError, WorldError
from sociolab.core.ports import Transcript, World
from sociolab.report.transcript_view import transcript_view


@cache
def world_of(name: str) -> World:
    """A world to show old episodes with: each carries its own task, so any data set serves.

    Read once, as some take a second.
    """
    return load_world(name).world


def transcript_of(episode: Episode, seat: str | None = None) -> Transcript:
    """The transcript by the episode's world; StoreError where the world cannot read its record."""
    try:
        return world_of(episode.trial.world).transcript(episode, seat)
    except (ValueError, LookupError, TypeError, AttributeError) as error:  # of a world of ours
        raise StoreError(
            f"the episode {episode.trial.id} cannot be shown: its record is not one that the world "
            f"{episode.trial.world} reads ({type(error).__name__}); use the version that played it"
        ) from error


def seat_called(episode: Episode, name: str) -> str:
    """The seat of this id, of the character of this full name, or of this first name.

    Upper and lower case are one. ConfigError where no seat is called so, or several are.
    """
    trial = episode.trial
    if name in trial.task.seats:
        return name
    read = transcript_view(episode, transcript_of(episode))
    wanted = name.casefold().strip()
    # A seat may answer some questions of another's: its id is that one's, and what for.
    parts = tuple(f"{seat}." for seat in trial.task.seats)
    people = [seat for seat in read.seats if not seat.id.startswith(parts)]
    called = [(seat.id, _names(seat.id, seat.name)) for seat in people]
    first = [(seat, {full.split()[0] for full in names if full}) for seat, names in called]
    for known in (called, first):
        fits = [seat for seat, names in known if wanted in names]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise ConfigError(f'--as: several seats are called "{name}": {", ".join(fits)}')
    seats = ", ".join(seat.called for seat in people)
    raise ConfigError(f'--as: expected one of {seats}, found "{name}"')


def _names(seat: str, name: str) -> set[str]:
    """What a seat is called in full; ids are names with hyphens or underscores for spaces."""
    words = re.sub(r"[-_]+", " ", seat).strip()
    return {seat.casefold(), words.casefold(), name.casefold().strip()}


def task_title(world: World, task: Task) -> str:
    """What a task is called in its transcripts; "" where its world needs an episode to tell."""
    cast = tuple(CastMember(seat, "") for seat in task.seats)
    try:
        title = world.transcript(Episode(Trial(task.id, world.name, task, cast, 0, 0), ())).title
    except WorldError:  # a plugin's, which cannot show an episode that nobody has played
        return ""
    return title.removeprefix(f"{task.id}: ")
