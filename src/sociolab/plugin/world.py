"""What does a world declare, so that everything above it can ask instead of knowing it by name?

A package registers a loader under its world's name in the entry points "sociolab.worlds":

    @world("ultimatum", declared=Declared(main=("payoff",), cluster="game"))
    def load(setup: WorldSetup) -> WorldKit:
        return WorldKit(world=Ultimatum(setup), ...)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import WorldKit
from sociolab.engine.setup import WorldSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldPlugin:
    """A world as its package declares it; called with a setup it gives the kit that plays.

    `declared` is what is stored with its runs: metrics, the main one, what a cluster is called.
    """

    name: str
    loader: Callable[[WorldSetup], WorldKit]
    declared: Declared = UNDECLARED

    def __call__(self, setup: WorldSetup) -> WorldKit:
        """The world over its data, with its players and judges."""
        return replace(self.loader(setup), declared=self.declared)


def world(
    name: str,
    *,
    declared: Declared = UNDECLARED,
) -> Callable[[Callable[[WorldSetup], WorldKit]], WorldPlugin]:
    """Make a plugin of the loader of a world."""

    def made(loader: Callable[[WorldSetup], WorldKit]) -> WorldPlugin:
        return WorldPlugin(name=name, loader=loader, declared=declared)

    return made
