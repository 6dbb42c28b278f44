"""Twice as much of one factor: what it takes, costs, and makes of the standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.analysis.factors import GIVEN, JUDGE, JUDGINGS, REPEAT
from sociolab.stats.variance import Components


@dataclass(frozen=True, slots=True)
class Costs:
    """What one episode costs to play, and one judging of it, in dollars; `estimated` where some
    calls that this is known from had no token count."""

    play: float
    judging: float
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """Twice as much of one factor: the standard error then, and what it takes and costs.

    `error` is None where the design cannot tell, `cost` where costs are not known.
    """

    factor: str
    error: float | None
    plays: int
    judgings: int
    cost: float | None


def steps_of(
    found: Components, plays: int, costs: Costs | None, *, judged_once: bool, again: bool
) -> tuple[Step, ...]:
    """The doublings of a design of so many plays, in the order of its factors.

    `judged_once`: each play has one judging, so that its repeats double the residual's levels.
    `again`: the one judge judged some plays several times, and could do so more often.
    """

    def step(factor: str, error: float | None, more: int) -> Step:
        cost = None if costs is None else more * costs.play + found.n * costs.judging
        return Step(factor, error, more, found.n, cost)

    steps = [
        step(factor, error, 0 if factor == JUDGE else plays)
        for factor, error in found.advice.doublings.items()
        if factor not in GIVEN
    ]
    halved = _with_half_the_residual(found)
    if judged_once:
        steps.insert(-1, step(REPEAT, halved, plays))
    if again:
        steps.append(step(JUDGINGS, halved, 0))
    return tuple(steps)


def _with_half_the_residual(found: Components) -> float | None:
    """The standard error where the residual's part is halved; the mean holds 1 / n of it."""
    error, residual = found.advice.error, found.residual.variance
    if error is None or residual is None:
        return None
    return math.sqrt(max(error**2 - residual / (2 * found.n), 0.0))


def best_of(error: float | None, steps: Sequence[Step]) -> Step | None:
    """The step that takes most off this standard error: by dollar where all costs are known, else
    among those that take more plays. None where none helps."""
    helpful = [
        step
        for step in steps
        if error is not None and step.error is not None and step.error < error
    ]
    if all(step.cost for step in steps):
        return max(
            helpful,
            key=lambda step: ((error or 0) - (step.error or 0)) / (step.cost or 1),
            default=None,
        )
    playing = [step for step in helpful if step.plays]
    return min(playing, key=lambda step: step.error or 0, default=None)
