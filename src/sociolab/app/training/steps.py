"""What an environment tells of a reply, and of an episode that a policy played."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.app.training.scoring import Rewards
from sociolab.app.training.seat import Answer, Observed
from sociolab.core.episode import Episode, Trial

Policy: TypeAlias = Callable[[Observed], Awaitable[Answer]]
"""Replies to what is asked; called for many episodes at once in `rollouts`."""


@dataclass(frozen=True, slots=True)
class Step:
    """What came of a reply.

    `observation` is what is asked next, None when the episode is over (`done`). `usable` says
    whether the reply could be used, `problem` why not; it is None where the episode ended before
    the reply counted. When it is over, `rewards` are what the judges gave the seat and
    `episode_scores` what they gave the episode, by judge and measure; a score that failed is in
    neither, but told in `failures`. `episode` is the record then.
    """

    observation: Observed | None
    usable: bool | None = None
    problem: str = ""
    rewards: Rewards = field(default_factory=dict)
    episode_scores: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    episode: Episode | None = field(default=None, repr=False)

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.observation is None


@dataclass(frozen=True, slots=True)
class PolicyTurn:
    """What was asked, what the policy replied, and whether that was usable, as in `Step`."""

    observation: Observed
    reply: Answer
    usable: bool | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Rollout:
    """An episode that a policy played; rewards, scores and failures are those of `Step`.

    `error` says what broke it off (a failed call of the partner or of a judge, a plugin's bug):
    there are no rewards then, and `episode` is None if it was not played to its end.
    """

    trial: Trial = field(repr=False)
    seat: str
    turns: tuple[PolicyTurn, ...] = field(repr=False)
    rewards: Rewards = field(default_factory=dict)
    episode_scores: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    episode: Episode | None = field(default=None, repr=False)
    error: str = ""
