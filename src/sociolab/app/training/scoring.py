"""What the judges of an episode gave one seat: its rewards, and what is missing of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.app.judge import verdicts_of
from sociolab.core.episode import Episode
from sociolab.core.ports import Judge
from sociolab.core.score import Score, ScoreFailure

Rewards: TypeAlias = dict[str, dict[str, float]]
"""By judge and measure."""


@dataclass(frozen=True, slots=True)
class Given:
    """Scores of the seat and of the whole episode, by judge and measure.

    A score that failed is no reward: it is in neither, and `failures` says so. What a judge cannot
    tell by its nature is in none of the three.
    """

    rewards: Rewards = field(default_factory=dict)
    of_episode: Rewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()


async def given(judges: Sequence[Judge], episode: Episode, seat: str) -> Given:
    """What each judge says of the episode; ModelError where a call fails, WorldError for a bug."""
    rewards: Rewards = {}
    of_episode: Rewards = {}
    failures: list[str] = []
    for judge in judges:
        name = judge.id.name
        for verdict in await verdicts_of(judge, episode):
            measure = verdict.measure.name
            if verdict.seat not in (seat, None):
                continue
            if isinstance(verdict, Score):
                kept = of_episode if verdict.seat is None else rewards
                kept.setdefault(name, {})[measure] = float(verdict.value)
            elif isinstance(verdict, ScoreFailure):
                failures.append(f"{measure} by {name}: {verdict.cause}: {verdict.problem}")
    return Given(rewards, of_episode, tuple(failures))
