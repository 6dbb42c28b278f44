"""Who thinks for whom in a town: the seats of a task, and which agent takes which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sociolab.core.episode import Trial
from sociolab.worlds.stss.task import SocialTask

Agent = TypeVar("Agent")

ROUTINE = ".routine"
"""Behind the performer's id: the seat that answers its low-level questions."""


BUILT_IN = ("scripted", "scripted-complete")
"""The agents that read no words: they understand the acts of one another, and nothing else."""

SMOKE = (
    "smoke: the background agents are scripted and understand nobody but each other, so that "
    "nothing could come of this; name a model that plays them, --background openai/MODEL"
)


def is_smoke(trial: Trial) -> bool:
    """Whether a performer that is not built-in met scripted residents, who agree to nothing."""
    built_in = [one.agent in BUILT_IN for one in trial.cast]
    return any(built_in[1:]) and not built_in[0]


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
