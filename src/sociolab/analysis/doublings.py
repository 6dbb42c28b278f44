"""Doublings of a design: the standard error with twice as many of a factor, and the cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.stats.variance import Components
from sociolab.store.store import Store

SCENARIO, TASK, SEAT, PARTNER = "scenario", "task", "seat", "partner"
PAIRING, PROMPTS, REPEAT, JUDGE = "pairing", "prompts", "repeat", "judge"
JUDGINGS = "judgings"
"""More judgings of each episode by the one judge there is."""

_NEVER_ALONE = (SEAT, PAIRING)
"""What nobody can have more of without more of something else."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What one episode costs to play, and one judging of it, in dollars; `estimated` where some
    tokens behind these were estimated."""

    play: float
    judging: float
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Doubling:
    """Twice the levels of one factor: the standard error then, and what that takes: so many more
    episodes (`plays`) and judgings of episodes.

    `error` is None where the design cannot tell, `cost` where costs are not known.
    """

    factor: str
    error: float | None
    plays: int
    judgings: int
    cost: float | None


def list_doublings(
    components: Components,
    episodes: int,
    judgings: int,
    costs: Costs | None,
    *,
    judged_once: bool,
    again: bool,
) -> tuple[Doubling, ...]:
    """The doublings of a design of so many episodes and judgings, in the order of its factors.

    `judged_once`: each play has one judging, so that its repeats double the residual's levels.
    `again`: the one judge judged some plays several times, and could do so more often.
    """

    def step(factor: str, error: float | None, more: int) -> Doubling:
        cost = None if costs is None else more * costs.play + judgings * costs.judging
        return Doubling(factor, error, more, judgings, cost)

    steps = [
        step(factor, error, 0 if factor == JUDGE else episodes)
        for factor, error in components.advice.doublings.items()
        if factor not in _NEVER_ALONE
    ]
    error, residual = components.advice.error, components.residual.variance
    halved = None
    if error is not None and residual is not None:  # the mean holds 1 / n of the residual
        halved = math.sqrt(max(error**2 - residual / (2 * components.n), 0.0))
    if judged_once:
        steps.insert(-1, step(REPEAT, halved, episodes))
    if again:
        steps.append(step(JUDGINGS, halved, 0))
    return tuple(steps)


def best_step(error: float | None, steps: Sequence[Doubling]) -> Doubling | None:
    """The step that takes most off this standard error: by dollar where all costs are known, else
    among those that take more plays. None where none helps."""
    helpful = [
        step
        for step in steps
        if error is not None and step.error is not None and step.error < error
    ]
    if all(step.cost for step in steps):
        return max(helpful, key=lambda step: per_dollar(error, step) or 0, default=None)
    playing = [step for step in helpful if step.plays]
    return min(playing, key=lambda step: step.error or 0, default=None)


def per_dollar(error: float | None, step: Doubling | None) -> float | None:
    """What a dollar takes off this standard error by a step; None where that is not known."""
    if error is None or step is None or step.error is None or not step.cost:
        return None
    return (error - step.error) / step.cost


def estimate_costs(
    store: Store, runs: Sequence[str], per_play: float | None, per_judging: float | None
) -> Costs | None:
    """What is not given is taken from the runs: the calls of agents and partners by episode played,
    those of judges by model judging. None where neither is given and no call had a price."""
    dollars: dict[str, float] = {}
    episodes = judgings = 0
    estimated = False
    for run in runs:
        for role, total in store.calls.totals(run).by_role.items():
            if total.usd is not None:
                dollars[role] = dollars.get(role, 0.0) + total.usd
                estimated = estimated or total.estimated
        episodes += store.run(run).played
        judgings += sum(
            counts.episodes
            for judge, counts in store.verdicts.counts(run).items()
            if judge.method == "model"
        )
    played = sum(dollars.get(role, 0.0) for role in ("agent", "partner", "background"))
    judged = dollars.get("judge", 0.0)
    play, judging = per_play, per_judging
    if play is None:
        play = played / episodes if episodes else 0.0
    if judging is None:
        judging = judged / judgings if judgings else 0.0
    if not play and not judging:
        return None
    return Costs(play, judging, estimated and (per_play is None or per_judging is None))
