"""What a run of one of our worlds stores of it, for stores that are made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sociolab.app import world_plugin
from sociolab.core import Declared, Trial


def declared(world: str, trials: Iterable[Trial] = ()) -> Declared:
    """The world's declaration, with the agents of these trials."""
    agents = (member.identity for trial in trials for member in trial.cast)
    return replace(world_plugin(world).declared, agents={one.label: one.kind for one in agents})
