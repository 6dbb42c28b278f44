"""What an environment tells of a reply, and of an episode that a policy played."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sociolab.app.training.scoring import Rewards
from sociolab.app.training.seat import Answer, Observed
from sociolab.core.episode import Episode, Trial

Policy: TypeAlias = Callable[[Observed], Awaitable[Answer]]
"""Replies to what is asked; called for many episodes at once in `rollouts`."""

Kinds: TypeAlias = dict[str, dict[str, str]]
"""By judge and measure, what is not a score."""

OnError: TypeAlias = Literal["mark", "raise"]
"""What becomes of an episode that breaks off in `rollouts`: marked by its `error`, or raised."""


@dataclass(frozen=True, slots=True)
class Step:
    """What came of a reply.

    `observation` is what is asked next, None when the episode is over (`done`). `usable` says
    whether the reply could be used, `problem` why not; it is None where the episode ended before
    the reply counted. When it is over, `rewards` are what the judges gave the seat and
    `episode_scores` what they gave the episode, by judge and measure; a score that failed is in
    neither, but told in `failures`. `episode` is the record then. Where an outcome was not
    established (goal_checked of SOTOPIA), the reward is the least that it could be worth, and
    `reward_kinds` says so, by judge and measure: "lower bound (disputed)".

    `unusable` counts the turns and answers that the policy failed to give in this episode so far,
    each after its last attempt; `lost` those that the other seats failed to give. `problems` tells
    the first of its own and the first of theirs.
    """

    observation: Observed | None
    usable: bool | None = None
    problem: str = ""
    rewards: Rewards = field(default_factory=dict)
    episode_scores: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    episode: Episode | None = field(default=None, repr=False)
    unusable: int = 0
    lost: int = 0
    problems: tuple[str, ...] = ()
    reward_kinds: Kinds = field(default_factory=dict)

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
    """An episode that a policy played; rewards and their kinds, scores, failures and what was not
    given (`unusable`, `lost`, `problems`) are those of `Step`.

    `error` says what broke it off (a failed call of the partner, a bug of the policy or of a
    plugin): there are no rewards then, and `episode` is None.
    """

    trial: Trial = field(repr=False)
    seat: str
    turns: tuple[PolicyTurn, ...] = field(repr=False)
    rewards: Rewards = field(default_factory=dict)
    episode_scores: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    episode: Episode | None = field(default=None, repr=False)
    error: str = ""
    unusable: int = 0
    lost: int = 0
    problems: tuple[str, ...] = ()
    reward_kinds: Kinds = field(default_factory=dict)
