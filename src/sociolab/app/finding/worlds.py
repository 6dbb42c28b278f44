"""Worlds that show episodes of the store, whatever data those were played on."""

from __future__ import annotations

from functools import cache

from sociolab.app.data.sets import load_world
from sociolab.core.episode import Episode
from sociolab.core.errors import StoreError
from sociolab.core.ports import Transcript, World


@cache
def world_of(name: str) -> World:
    """A world to show old episodes with: each carries its own task, so any data set serves.

    Read once, as some take a second.
    """
    return load_world(name).world


def told(episode: Episode, seat: str | None = None) -> Transcript:
    """The transcript by the episode's world; StoreError where the world cannot read its record."""
    try:
        return world_of(episode.trial.world).transcript(episode, seat)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise StoreError(
            f"the episode {episode.trial.id} cannot be shown: its record is not one that the world "
            f"{episode.trial.world} reads ({type(error).__name__}); use the version that played it"
        ) from error
