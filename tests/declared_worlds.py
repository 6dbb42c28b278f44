"""What a run of one of our worlds stores of it, for stores that are made by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sociolab.app.registry import world_plugin
from sociolab.core.episode import Trial
from sociolab.core.metrics import AgentKind, Declared


def declared(world: str, trials: Iterable[Trial] = ()) -> Declared:
    """The world's declaration, with the agents of these trials."""
    labels = {member.agent for trial in trials for member in trial.cast}
    return replace(world_plugin(world).declared, agents={one: _kind(one) for one in labels})


def _kind(label: str) -> AgentKind:
    if label.startswith("python:"):
        return "own code"
    if "/" in label:
        return "model"
    return {"human": "person", "scripted": "rules", "scripted-complete": "rules"}.get(  # type: ignore[return-value]
        label, "plugin"
    )
