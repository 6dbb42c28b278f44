"""Who thinks for whom in a town: the seats of a task, and which agent takes which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sociolab.worlds.stss.task import SocialTask

Agent = TypeVar("Agent")

ROUTINE = ".routine"
"""Behind the performer's id: the seat that answers its low-level questions."""


def seats_of(task: SocialTask) -> tuple[str, ...]:
    """The performer first, then its low-level questions, then everybody in the background."""
    return (task.performer, task.performer + ROUTINE, *task.background)


def seat_for(task: SocialTask, evaluated: Sequence[str], resident: str, question: str) -> str:
    """The seat that answers a resident's question (STSS section 5.1)."""
    if resident == task.performer and question not in evaluated:
        return resident + ROUTINE
    return resident


def town_casts(
    agents: Sequence[Agent], partner: Agent | None, seats: Sequence[str]
) -> tuple[tuple[Agent, ...], ...]:
    """A town for each agent: it is the performer, and the partner is everybody else.

    Without a partner the agent thinks for all.
    """
    others = len(seats) - 1
    return tuple((agent, *[partner or agent] * others) for agent in dict.fromkeys(agents))
