"""Who sits where at an AntEval table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Agent = TypeVar("Agent")


def table_casts(
    agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
) -> tuple[tuple[Agent, ...], ...]:
    """A table for each agent.

    Without a partner the agent plays everybody, the NPC too (AntEval Table 1). With a partner the
    agent plays the players, and the partner the NPC, which has the last seat.
    """
    players = len(seats) - 1
    return tuple((*[agent] * players, partner or agent) for agent in dict.fromkeys(agents))
